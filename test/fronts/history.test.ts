/** Spec 18 where it concerns fronts: who calls, feeds that wait, tokens, flags. Plain calls: history.cases.ts. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDirectory, writeFinished } from '../directory.js';
import { logIn } from '../history/scene.js';
import { connections } from './mcp.js';
import { startHttpServer, startProgram, type HttpServer } from './server-process.js';
import { withTokenServer, type TokenServer } from './token-server.js';

type Json = Record<string, unknown>;

const options = { toolset: 'all', history: true };

async function post(server: HttpServer, operation: string, params: object): Promise<Json> {
  return (await (await server.post(`/${operation}`, params)).json()) as Json;
}

async function withServer(
  use: (server: HttpServer, directory: string) => Promise<void>,
  more: Json = {},
): Promise<void> {
  await withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
    const server = await startHttpServer(directory, { ...options, ...more });
    try {
      await use(server, directory);
    } finally {
      assert.equal(await server.stop(), 0);
    }
  });
}

const edit = (from: string, to: string): object => ({ path: 'a.txt', edits: [{ old_string: from, new_string: to }] });
const callersIn = (directory: string): unknown[] => logIn(directory).map(({ caller }) => caller);

describe('who calls', () => {
  it('is nobody over HTTP without tokens, or whoever --caller names', async () => {
    await withServer(async (server, directory) => {
      await post(server, 'apply_edits', edit('one', 'two'));
      assert.deepEqual(callersIn(directory), [undefined]);
      const { error } = await post(server, 'undo', { last: 1 });
      assert.match(JSON.stringify(error), /Invalid params: \/last needs a caller with a name/);
    });
    await withServer(
      async (server, directory) => {
        await post(server, 'apply_edits', edit('one', 'two'));
        assert.deepEqual(callersIn(directory), ['agent-7']);
      },
      { caller: 'agent-7' },
    );
  });

  it('is what an MCP client calls itself, also in plain messages on its stream', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      const program = startProgram([`--dir=${directory}`, '--transport=stdio', '--toolset=all', '--history']);
      const answered = new Map<unknown, () => void>();
      program.lines.on('line', (line) => answered.get((JSON.parse(line) as Json)['id'])?.());
      const send = (id: number, method: string, params: object): Promise<void> =>
        new Promise((resolve) => {
          answered.set(id, resolve);
          program.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
        });
      const initialize = (id: number, name: string): Promise<void> =>
        send(id, 'initialize', { protocolVersion: '2025-06-18', clientInfo: { name, version: '1' }, capabilities: {} });
      await send(1, 'apply_edits', edit('one', 'two'));
      await initialize(2, 'Claude/Code!');
      await send(3, 'tools/call', { name: 'apply_edits', arguments: edit('two', 'three') });
      await send(4, 'apply_edits', edit('three', 'four'));
      await initialize(5, 'x'.repeat(100));
      await send(6, 'apply_edits', edit('four', 'five'));
      program.stdin.end();
      await new Promise((resolve) => program.child.once('exit', resolve));
      assert.deepEqual(callersIn(directory), [undefined, 'Claude_Code_', 'Claude_Code_', 'x'.repeat(64)]);
    }));

  it('is named in each request of the modern era', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      const { client, end } = await connections['client 2.x over stdio'](directory, options);
      await client.callTool({ name: 'apply_edits', arguments: { ...edit('one', 'two') } });
      await end();
      const [name] = callersIn(directory);
      assert.ok(typeof name === 'string' && name.length > 0);
    }));
});

describe('a feed', () => {
  it('waits for a change of another server', () =>
    withServer(async (server, directory) => {
      const other = await startHttpServer(directory, options);
      const { last } = await post(server, 'history', {});
      const began = performance.now();
      const waiting = post(server, 'history', { after: last, wait: 30 });
      await sleep(300);
      const { change_id: id } = await post(other, 'apply_edits', edit('one', 'two'));
      const { changes, last: next } = await waiting;
      assert.deepEqual([(changes as Json[]).map((each) => each['id']), next], [[id], id]);
      assert.ok(performance.now() - began < 20_000);
      assert.equal(await other.stop(), 0);
    }));

  it('answers at the end of its wait, and takes no place of --max-concurrent meanwhile', () =>
    withServer(
      async (server) => {
        const { change_id: id } = await post(server, 'apply_edits', edit('one', 'two'));
        const waiting = post(server, 'history', { after: id, wait: 2 });
        await sleep(200);
        const { content } = await post(server, 'view', { path: 'a.txt' });
        assert.equal(content, 'two\n');
        assert.deepEqual(await waiting, { changes: [], last: id, truncated: false });
      },
      { maxConcurrent: 1, maxQueue: 0, timeout: 1 },
    ));

  it('answers all that wait for a change, even if there is room for one call only', () =>
    withServer(
      async (server) => {
        const waiting = Array.from({ length: 5 }, () => post(server, 'history', { after: '', wait: 20 }));
        await sleep(500);
        await post(server, 'apply_edits', edit('one', 'two'));
        for (const answer of await Promise.all(waiting)) assert.equal((answer['changes'] as unknown[]).length, 1);
      },
      { maxConcurrent: 1, maxQueue: 10 },
    ));

  it('passes over changes that were not asked for, and goes on waiting', () =>
    withServer(async (server) => {
      const waiting = post(server, 'history', { after: '', path: 'b.txt', wait: 30 });
      await post(server, 'apply_edits', edit('one', 'two'));
      await sleep(600);
      const { change_id: id } = await post(server, 'create', { path: 'b.txt', content: '' });
      const { changes } = await waiting;
      assert.deepEqual(
        (changes as Json[]).map((each) => each['id']),
        [id],
      );
    }));

  it('does not wait without after, nor if there is something', () =>
    withServer(async (server) => {
      const began = performance.now();
      await post(server, 'history', { wait: 60 });
      await post(server, 'apply_edits', edit('one', 'two'));
      await post(server, 'history', { after: '', wait: 60 });
      await post(server, 'history', { after: 'zzz', wait: 60 });
      assert.ok(performance.now() - began < 30_000);
    }));

  it('ends with the server', async () => {
    let waiting: Promise<Json> | undefined;
    await withServer(async (server) => {
      waiting = post(server, 'history', { after: '', wait: 60 });
      await sleep(300);
    });
    assert.deepEqual(await waiting, { changes: [], last: '', truncated: false });
  });

  it('ends with its stdin', () =>
    withDirectory({}, async (directory) => {
      const program = startProgram([`--dir=${directory}`, '--transport=stdio', '--toolset=all', '--history']);
      const lines: string[] = [];
      program.lines.on('line', (line) => lines.push(line));
      program.stdin.end('{"jsonrpc":"2.0","id":1,"method":"history","params":{"after":"","wait":60}}\n');
      await once(program.child, 'exit');
      assert.equal(program.child.exitCode, 0);
      assert.deepEqual(
        lines.map((line) => JSON.parse(line) as unknown),
        [{ jsonrpc: '2.0', id: 1, result: { changes: [], last: '', truncated: false } }],
      );
    }));
});

describe('a token', () => {
  const tokens = {
    all: {},
    docs: { paths: ['docs/**'] },
    reader: { access: 'read' },
    writer: { write: ['src/**'] },
  } as const;
  const withTokens = (use: (server: TokenServer) => Promise<void>): Promise<void> =>
    withTokenServer({ 'docs/a.md': 'a\n', 'src/b.ts': 'b\n' }, tokens, use, { options: { history: true } });
  const call = async (
    server: TokenServer,
    name: string,
    operation: string,
    params: object,
  ): Promise<[number, Json]> => {
    const { status, text } = await server.call(name, operation, params);
    return [status, JSON.parse(text) as Json];
  };

  it('is the caller, sees the changes of its files only, and undoes only those', () =>
    withTokens(async (server) => {
      const changes = [
        { path: 'docs/a.md', edits: [{ old_string: 'a', new_string: 'A' }] },
        { path: 'src/b.ts', edits: [{ old_string: 'b', new_string: 'B' }] },
      ];
      const [, both] = await call(server, 'all', 'apply_changes', { changes });
      const [, one] = await call(server, 'docs', 'apply_edits', {
        path: 'docs/a.md',
        edits: [{ at: 'end', new_string: 'end\n' }],
      });
      const [, moved] = await call(server, 'all', 'rename', { old_path: 'docs/a.md', new_path: 'src/a.md' });
      const ids = [both, one, moved].map((each) => String(each['change_id']));
      const listed = async (name: string, params: object = {}): Promise<unknown> => {
        const [, { changes: found }] = await call(server, name, 'history', params);
        return (found as { id: string; caller: string; files: { path: string }[] }[]).map(({ id, caller, files }) => [
          id,
          caller,
          files.map(({ path }) => path),
        ]);
      };
      assert.deepEqual(await listed('reader'), [
        [ids[2], 'all', ['docs/a.md']],
        [ids[1], 'docs', ['docs/a.md']],
        [ids[0], 'all', ['docs/a.md', 'src/b.ts']],
      ]);
      assert.deepEqual(await listed('docs'), [
        [ids[1], 'docs', ['docs/a.md']],
        [ids[0], 'all', ['docs/a.md']],
      ]);
      assert.deepEqual(await listed('docs', { path: 'src' }), [], 'not even that a change was about others, too');
      const refused = async (name: string, id = ''): Promise<unknown> => {
        const [status, { error }] = await call(server, name, 'undo', { changes: [id] });
        return [status, (error as { data?: Json } | undefined)?.data?.['reason']];
      };
      assert.deepEqual(await refused('docs', ids[2]), [404, 'not_in_history'], 'a name that it may not see');
      assert.deepEqual(await refused('docs', ids[0]), [403, 'permission_denied'], 'a file that it may not change');
      const [, { error: hiding }] = await call(server, 'docs', 'undo', { changes: [ids[0]], dry_run: true });
      assert.doesNotMatch(JSON.stringify(hiding), /b\.ts/, 'nor that it is there');
      assert.deepEqual(await refused('writer', ids[0]), [403, 'permission_denied']);
      assert.deepEqual((await call(server, 'reader', 'undo', { changes: [ids[0]] }))[0], 403);
      const [status, { undone }] = await call(server, 'all', 'undo', { changes: [ids[2]] });
      assert.deepEqual([status, undone], [200, [ids[2]]]);
      const [, own] = await call(server, 'docs', 'undo', { last: 5 });
      assert.deepEqual(own['undone'], [ids[1]]);
      assert.equal(readFileSync(join(server.directory, 'docs/a.md'), 'utf8'), 'A\n');
      const [, shown] = await call(server, 'docs', 'view', { path: 'docs/a.md', before_change: ids[0] });
      assert.equal(shown['content'], 'a\n');
      const [hidden] = await call(server, 'docs', 'view', { path: 'src/b.ts', before_change: ids[0] });
      assert.ok(hidden === 403 || hidden === 404, String(hidden));
    }));
});

describe('a server without --history', () => {
  it('has neither operation, and says which flag has them', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      const server = await startHttpServer(directory, { toolset: 'all' });
      const { error } = await post(server, 'history', {});
      assert.match(JSON.stringify(error), /Start the server with --history to have history/);
      const edited = await post(server, 'apply_edits', edit('one', 'two'));
      assert.equal(edited['change_id'], undefined);
      assert.deepEqual(logIn(directory), []);
      assert.equal(await server.stop(), 0);
    }));
});

describe('a read-only server with --history', () => {
  it('lists the changes and has no undo', () =>
    withServer(async (server, directory) => {
      const { change_id: id } = await post(server, 'apply_edits', edit('one', 'two'));
      const reader = await startHttpServer(directory, { toolset: 'history', history: true, readOnly: true });
      const { changes } = await post(reader, 'history', {});
      assert.deepEqual(
        (changes as Json[]).map((each) => each['id']),
        [id],
      );
      assert.equal((await reader.post('/undo', { changes: [id] })).status, 404);
      assert.equal(await reader.stop(), 0);
    }));
});

describe('an agent works while another one is undone', () => {
  it('and loses nothing', () =>
    withServer(async (server, directory) => {
      const lines = Array.from({ length: 40 }, (_, line) => `line ${String(line)}`);
      writeFinished(join(directory, 'a.txt'), `${lines.join('\n')}\n`);
      const ids: string[] = [];
      for (const line of [0, 4, 8, 12, 16]) {
        const { change_id: id } = await post(
          server,
          'apply_edits',
          edit(`line ${String(line)}\n`, `agent 1 was here ${String(line)}\n`),
        );
        ids.push(String(id));
      }
      const other = Array.from({ length: 8 }, (_, index) => 20 + 2 * index);
      const [undone] = await Promise.all([
        post(server, 'undo', { changes: ids }),
        ...other.map((line) =>
          post(server, 'apply_edits', edit(`line ${String(line)}\n`, `agent 2: ${String(line)}\n`)),
        ),
      ]);
      assert.deepEqual(undone['undone'], ids.toReversed(), JSON.stringify(undone));
      const expected = lines.map((text, line) => (other.includes(line) ? `agent 2: ${String(line)}` : text));
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), `${expected.join('\n')}\n`);
    }));
});
