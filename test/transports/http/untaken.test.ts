/** Clients that request much and read nothing, next to others (spec 6). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Outcome } from '../../../src/core/errors.js';
import { operations, filenameOf } from '../../../src/core/operations.js';
import { withDirectory } from '../../directory.js';
import { Client, kinds, mb, pause, request, withServer, type RecordedCall } from './harness.js';

/** More than the system buffers for a client that reads nothing. */
const large = 10 * mb;
/** Room for seven of them; a read in progress reserves six times its size. */
const memory = 128 * mb;
const greedy = 20;

const content = Buffer.from(`"${'y'.repeat(large)}"`);

function fileOf({ name, params }: RecordedCall): string {
  const operation = operations.get(name);
  assert.ok(operation !== undefined);
  return filenameOf(operation, params) ?? String(Reflect.get(Object(params), 'path'));
}

/** @param made called when a large answer is ready */
function answered(call: RecordedCall, made: () => void): Outcome {
  if (fileOf(call) === 'large.txt') {
    if (call.name === 'edit_file') return { ok: true, result: { success: true } };
    made();
    return { ok: true, result: { content, total_lines: 1 } };
  }
  if (call.name === 'list_files') return { ok: true, result: { files: [], total_count: 0, directory: '' } };
  return { ok: true, result: { content: 'one', total_lines: 1 } };
}

const small: Readonly<Record<string, string>> = {
  'a look at its health': request('GET /health'),
  'its figures': request('GET /metrics'),
  'a small file that is read': request('/read_file', JSON.stringify({ name: 'small.txt' })),
  'a small file that is viewed': request('/view', JSON.stringify({ path: 'small.txt' })),
  'the list of a few files': request('/list_files', '{}'),
  'an edit': request('/edit_file', JSON.stringify({ name: 'small.txt', append: 'x' })),
  'an edit of a large file': request('/edit_file', JSON.stringify({ name: 'large.txt', append: 'x' })),
  'a small file that is read by MCP': mcp('read_file', { name: 'small.txt' }),
  'the list of a few files by MCP': mcp('list_files', {}),
  'an edit by MCP': mcp('edit_file', { name: 'small.txt', append: 'x' }),
};

function mcp(name: string, args: object): string {
  const params = { name, arguments: args };
  return request('/mcp', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
}

describe('clients that request large answers and read none', { concurrency: true }, () => {
  for (const kind of kinds) {
    it(`do not block small requests, and get no more than memory allows (${kind})`, () =>
      withDirectory({ 'small.txt': 'one\n', 'large.txt': 'y'.repeat(large) }, async (directory) => {
        let begun = 0;
        const outcome = (call: RecordedCall): Outcome => answered(call, () => begun++);
        await withServer(
          kind,
          async ({ port }) => {
            const clients = await Promise.all(Array.from({ length: greedy }, () => Client.connect(port)));
            for (const client of clients) {
              client.socket.pause();
              await client.send(request('/read_file', JSON.stringify({ name: 'large.txt' })));
            }
            for (const end = Date.now() + 20_000; begun < 3 && Date.now() < end;) await pause(20);
            // Enough time for one too many.
            await pause(300);
            const before = begun;
            assert.ok(before >= 3 && before * large <= memory, `${String(before)} were begun`);
            const other = await Client.connect(port);
            for (const [index, [name, bytes]] of Object.entries(small).entries()) {
              await other.send(bytes);
              const { responses } = await other.reply(index + 1);
              assert.equal(responses[index]?.status, 200, `${name}: no answer, or ${String(responses[index]?.status)}`);
            }
            assert.equal(begun, before, 'no more of them were begun meanwhile');
            // The memory passes to the next when they leave.
            for (const client of clients.slice(0, greedy - 1)) client.leave();
            const last = clients.at(-1);
            last?.socket.resume();
            assert.equal((await last?.reply())?.responses[0]?.status, 200);
            other.leave();
            last?.leave();
          },
          { config: { directory, maxBytes: 16 * mb, maxSizeMb: 16 }, memory, outcome, checked: true },
        );
      }));
  }
});
