/** Arguments as clients really send them (spec 15), through the official clients over both transports. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { StreamableHTTPClientTransport as ModernHttp, Client as ModernClient } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { withDirectory, writeFinished } from '../directory.js';
import { offered } from '../operations/offered.js';
import { clientInfo, connections } from './mcp.js';
import { startHttpServer, startProgram } from './server-process.js';

const options = { toolset: 'all', mcpLineBase: 1 };
/** What one client adds to every call. */
const added = { toolCallId: 'call_1', sessionId: 'a1b2', action: 'sendMessage', chatInput: 'please' };
const edit = { line: '2', operation: 'delete', content: null };

const taken: readonly (readonly [title: string, tool: string, given: Record<string, unknown>, text: RegExp])[] = [
  ['what one client adds', 'list_files', added, /Total files: 1$/],
  [
    'null, "" and "true" for what is optional: the defaults of the tool hold',
    'edit_file',
    { name: 'b.txt', append: 'x', edits: null, create_if_missing: '', expected_hash: null, return_hash: 'true' },
    /^File edited successfully: b\.txt\n[^]*File created: true\nHash: [0-9a-f]{16}$/,
  ],
  ['what one client adds, beside parameters', 'read_file', { name: 'a.txt', ...added }, /^File: a\.txt \(3 lines\)/],
  [
    'empty and null bounds',
    'read_file',
    { name: 'a.txt', start_line: '', end_line: null, return_hash: 'false' },
    /^File: a\.txt \(3 lines\)\n\none\ntwo\nthree$/,
  ],
  ['numbers as strings', 'read_file', { name: 'a.txt', start_line: '2', end_line: ' 2 ' }, /\n\ntwo$/],
  ['edits as a string of JSON', 'edit_file', { name: 'a.txt', edits: JSON.stringify([edit]) }, /Total lines: 2/],
  ['edits as one object', 'edit_file', { name: 'a.txt', edits: edit }, /Total lines: 2/],
  [
    'booleans as strings, and members of an edit that mean nothing',
    'apply_edits',
    { path: 'a.txt', dry_run: 'true', edits: { old_string: 'two', new_string: '2', replace_all: '' } },
    /^Would have replaced 1 /,
  ],
];

const refused: readonly (readonly [title: string, given: Record<string, unknown>, text: RegExp])[] = [
  ['an unknown argument, with the name that was meant', { name: 'a.txt', startline: 1 }, /startline.*start_line/s],
  ['an unknown argument that is null', { name: 'a.txt', startline: null }, /startline.*start_line/s],
  ['null for what is required', { name: null }, /\/name/],
  ['another word for a boolean', { name: 'a.txt', return_hash: 'yes' }, /\/return_hash/],
];

for (const [name, connect] of Object.entries(connections)) {
  describe(`arguments sent by ${name}`, () => {
    it('are taken where they leave no doubt, and refused where they do', () =>
      withDirectory({}, async (directory) => {
        const { client, end } = await connect(directory, options);
        const call = async (title: string, tool: string, given: Record<string, unknown>): Promise<string> => {
          writeFinished(join(directory, 'a.txt'), 'one\ntwo\nthree\n');
          const { content, isError } = await client.callTool({ name: tool, arguments: given });
          assert.equal(
            isError,
            refused.some(([each]) => each === title),
            title,
          );
          return (content as readonly { readonly text: string }[]).map(({ text }) => text).join('\n');
        };
        for (const [title, tool, given, text] of taken) assert.match(await call(title, tool, given), text, title);
        for (const [title, given, text] of refused) assert.match(await call(title, 'read_file', given), text, title);
        await end();
      }));
  });
}

describe('/mcp/', () => {
  it('is /mcp to the official clients', () =>
    withDirectory({ 'a.txt': '' }, async (directory) => {
      const server = await startHttpServer(directory);
      const url = new URL(`${server.url}/mcp/`);
      // Its optional members are declared as if undefined could not be given, which they are given.
      const transport = new StreamableHTTPClientTransport(url) as Parameters<Client['connect']>[0];
      const client = new Client(clientInfo);
      await client.connect(transport);
      const modern = new ModernClient(clientInfo, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
      await modern.connect(new ModernHttp(url));
      for (const each of [client, modern]) {
        assert.deepEqual(
          (await each.listTools()).tools.map(({ name }) => name),
          offered(),
        );
        await each.close();
      }
      await server.stop();
    }));
});

describe('a response of a client on stdio', () => {
  it('is not answered', () =>
    withDirectory({ 'a.txt': 'text\n' }, async (directory) => {
      const server = startProgram([`--dir=${directory}`, '--transport=stdio', '--log-level=error']);
      const lines: unknown[] = [];
      const answered = new Promise((resolve) =>
        server.lines.on('line', (line) => {
          lines.push(JSON.parse(line));
          resolve(undefined);
        }),
      );
      for (const message of [
        { jsonrpc: '2.0', id: 7, result: { roots: [] } },
        { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } },
        [{ jsonrpc: '2.0', id: 8, result: {} }],
        { jsonrpc: '2.0', id: 9, method: 'ping', params: null },
      ]) {
        server.stdin.write(`${JSON.stringify(message)}\n`);
      }
      await answered;
      assert.equal(await server.stop(), 0);
      assert.deepEqual(lines, [{ jsonrpc: '2.0', id: 9, result: {} }]);
      assert.equal(server.errors(), '');
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'text\n');
    }));
});
