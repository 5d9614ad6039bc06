/**
 * Some readers, such as node:readline of Node 24, end a line at U+2028 and U+2029 too: no answer on any front may
 * contain them, even if files, requests and ids do (spec 15).
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { withDirectory } from '../directory.js';
import { startHttpServer, startProgram } from './server-process.js';

type Json = Readonly<Record<string, unknown>>;

/** One way to call a server. */
interface Way {
  /** @returns the answer as it came */
  readonly call: (operation: string, params: Json, id: string) => Promise<string>;
  readonly close: () => Promise<unknown>;
}

const options = { toolset: 'all', names: 'unicode', durability: 'none', logLevel: 'debug', mcpMaxChars: 0 };

async function rest(directory: string): Promise<Way> {
  const server = await startHttpServer(directory, options);
  return {
    call: (operation, params) => post(`${server.url}/${encodeURIComponent(operation)}`, params),
    close: () => server.stop(),
  };
}

async function mcpOverHttp(directory: string): Promise<Way> {
  const server = await startHttpServer(directory, options);
  return {
    call: (operation, params, id) => post(`${server.url}/mcp`, toolCall(operation, params, id)),
    close: () => server.stop(),
  };
}

async function post(url: string, body: Json): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.text();
}

/** @param message the request that calls an operation */
function overStdio(message: (operation: string, params: Json, id: string) => Json): typeof rest {
  return (directory) => {
    const server = startProgram([
      `--dir=${directory}`,
      '--transport=stdio',
      '--toolset=all',
      '--names=unicode',
      '--mcp-max-chars=0',
    ]);
    return Promise.resolve({
      call: (operation, params, id) =>
        new Promise((resolve) => {
          server.lines.once('line', resolve);
          server.stdin.write(`${JSON.stringify(message(operation, params, id))}\n`);
        }),
      close: () => server.stop(),
    });
  };
}

function toolCall(name: string, given: Json, id: string): Json {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } };
}

const ways: readonly (readonly [name: string, open: (directory: string) => Promise<Way>])[] = [
  ['REST', rest],
  ['MCP over HTTP', mcpOverHttp],
  ['JSON-RPC over stdio', overStdio((method, params, id) => ({ jsonrpc: '2.0', id, method, params }))],
  ['MCP over stdio', overStdio(toolCall)],
];

const separators = ['\u2028', '\u2029'];
const name = fc
  .array(fc.constantFrom('a', 'é', '€', ...separators), { minLength: 1, maxLength: 6 })
  .map((units) => units.join(''));
/** Long ones span several pipe reads. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', 'é', '€', '"\\', '\u0001', '\n', '\r\n', ' \t', ...separators),
      fc.nat({ max: 3 }).map((less) => 'x'.repeat(65_536 - less)),
    ),
    { maxLength: 12 },
  )
  .map((units) => units.join(''));

/** Whether a value contains this text, verbatim or within a text for models. */
function holds(value: unknown, wanted: string): boolean {
  if (typeof value === 'string') return value.includes(wanted);
  return typeof value === 'object' && value !== null && Object.values(value).some((member) => holds(member, wanted));
}

describe('an answer', () => {
  for (const [way, open] of ways) {
    it(`contains no character that lenient readers treat as a line break, and keeps its meaning (${way})`, () =>
      withDirectory({}, async (directory) => {
        const { call, close } = await open(directory);
        const answerTo = async (id: string, operation: string, params: Json): Promise<unknown> => {
          const raw = await call(operation, params, id);
          assert.ok(!separators.some((each) => raw.includes(each)), `${operation}: ${raw.slice(0, 500)}`);
          return JSON.parse(raw) as unknown;
        };
        try {
          await fc.assert(
            fc.asyncProperty(name, text, async (file, content) => {
              const answer = (operation: string, params: Json): Promise<unknown> => answerTo(file, operation, params);
              const edits = [{ old_string: content, new_string: `${content}${file}` }];
              await answer('create', { path: file, content, encoding: 'utf-8' });
              try {
                assert.ok(holds(await answer('view', { path: file }), content));
                assert.ok(holds(await answer('read_file', { name: file }), content.split(/\r?\n/)[0] ?? ''));
                assert.ok(holds(await answer('list_files', {}), file) || way.startsWith('MCP'));
                await answer('view', { path: '' });
                await answer('apply_edits', { path: file, edits, dry_run: true });
                const missing = [{ old_string: `${content.slice(0, 200)}!`, new_string: '' }];
                await answer('apply_edits', { path: file, edits: missing });
                assert.ok(holds(await answer('view', { path: `${file}b` }), `${file}b`));
                await answer('edit_file', { name: file, [file]: 1 });
                await answer(file, {});
              } finally {
                rmSync(join(directory, file));
              }
            }),
            { numRuns: 10 },
          );
        } finally {
          await close();
        }
      }));
  }
});
