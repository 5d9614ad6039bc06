/** Who changed what can be read from the log at its usual level, whichever front made the change (spec 16). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import { flags, startHttpServer, startProgram, type ServerProcess } from './server-process.js';

type Json = Readonly<Record<string, unknown>>;

interface Line extends Json {
  readonly operation?: string;
  readonly changed?: readonly string[];
}

/** One way to call a server. */
interface Way {
  readonly call: (operation: string, params: Json) => Promise<unknown>;
  /** End it. @returns its log */
  readonly close: () => Promise<readonly Line[]>;
}

const options = { toolset: 'all', durability: 'none', logLevel: 'info' };

/** All lines have been written by the time that the server has ended. */
async function logOf(server: ServerProcess): Promise<readonly Line[]> {
  assert.equal(await server.stop(), 0);
  return server
    .errors()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

const overHttp =
  (place: (operation: string, params: Json) => readonly [path: string, body: Json]) =>
  async (directory: string): Promise<Way> => {
    const server = await startHttpServer(directory, options);
    const call = async (operation: string, params: Json): Promise<unknown> => {
      const [path, body] = place(operation, params);
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
      return (await fetch(`${server.url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
    };
    return { call, close: () => logOf(server) };
  };

const overStdio =
  (message: (operation: string, params: Json) => Json) =>
  (directory: string): Promise<Way> => {
    const server = startProgram([`--dir=${directory}`, '--transport=stdio', ...flags(options)]);
    const call = (operation: string, params: Json): Promise<unknown> =>
      new Promise((resolve) => {
        server.lines.once('line', resolve);
        server.stdin.write(`${JSON.stringify(message(operation, params))}\n`);
      });
    return Promise.resolve({ call, close: () => logOf(server) });
  };

const toolCall = (name: string, given: Json): Json => {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
};

const ways: Readonly<Record<string, (directory: string) => Promise<Way>>> = {
  REST: overHttp((operation, params) => [operation, params]),
  'MCP over HTTP': overHttp((operation, params) => ['mcp', toolCall(operation, params)]),
  'JSON-RPC over stdio': overStdio((method, params) => ({ jsonrpc: '2.0', id: 1, method, params })),
  'MCP over stdio': overStdio(toolCall),
};

const edits = [{ old_string: 'a', new_string: 'b' }];
const many = Array.from({ length: 23 }, (_, index) => `many/${String(index)}.md`);

/** Calls in this order, and the names that each of them changes. */
const calls: readonly (readonly [operation: string, params: Json, changed: readonly string[], more?: number])[] = [
  ['edit_file', { name: 'a.md', append: 'a', create_if_missing: true }, ['a.md']],
  ['edit_file', { name: 'a.md', edits: [{ line: 1, operation: 'replace', content: 'a' }] }, []],
  ['read_file', { name: 'a.md' }, []],
  ['create', { path: 'd/b.md', content: 'a' }, ['d/b.md']],
  ['str_replace', { path: 'd/b.md', old_str: 'a', new_str: 'aa' }, ['d/b.md']],
  ['insert', { path: './d/b.md', insert_line: 1, new_str: 'x' }, ['./d/b.md']],
  ['rename', { old_path: 'd/b.md', new_path: 'c.md' }, ['d/b.md', 'c.md']],
  ['write', { path: 'c.md', content: 'a', expected_hash: '*' }, ['c.md']],
  ['write', { path: 'c.md', content: 'a', expected_hash: '*' }, []],
  ['apply_edits', { path: 'c.md', edits, dry_run: true }, []],
  ['apply_edits', { path: 'c.md', edits }, ['c.md']],
  ['apply_edits', { path: 'c.md', edits: [{ old_string: 'b', new_string: 'b' }] }, []],
  [
    'apply_changes',
    {
      changes: [
        { path: 'a.md', edits },
        { path: 'c.md', edits: [{ old_string: 'b', new_string: 'b' }] },
        { path: 'n.md', content: 'n' },
        { path: 'gone.md', content: 'n' },
      ],
      dry_run: true,
    },
    [],
  ],
  [
    'apply_changes',
    {
      changes: [
        { path: 'a.md', edits },
        { path: 'c.md', edits: [{ old_string: 'b', new_string: 'b' }] },
        { path: 'n.md', content: 'n' },
      ],
    },
    ['a.md', 'n.md'],
  ],
  [
    'apply_changes',
    {
      changes: [
        { path: 'n.md', rename_to: 'm.md' },
        { path: 'c.md', delete: true },
      ],
    },
    ['n.md', 'm.md', 'c.md'],
  ],
  ['apply_changes', { changes: many.map((path) => ({ path, content: '' })) }, many.slice(0, 20), 3],
  [
    'apply_changes',
    { changes: [{ path: 'm.md', rename_to: 'o.md', edits: [{ old_string: 'n', new_string: 'o' }] }] },
    ['m.md', 'o.md'],
  ],
  ['apply_changes', { changes: [{ glob: '[co].md', edits: [{ at: 'end', new_string: 'x' }] }] }, ['o.md']],
  ['delete', { path: 'o.md' }, ['o.md']],
];

describe('the log at its usual level', () => {
  for (const [way, open] of Object.entries(ways)) {
    it(`has a line for each change, with every name that it changed (${way})`, () =>
      withDirectory({}, async (directory) => {
        const { call, close } = await open(directory);
        for (const [operation, params] of calls) await call(operation, params);
        const lines = (await close()).filter(({ operation }) => operation !== undefined);
        const expected = calls.filter(([, , changed]) => changed.length > 0);
        assert.deepEqual(
          lines.map(({ level, operation, changed, changed_more, outcome }) => [
            level,
            operation,
            changed,
            changed_more,
            outcome,
          ]),
          expected.map(([operation, , changed, more]) => ['info', operation, changed, more, 'ok']),
        );
      }));
  }
});
