/** Spec 5.5: a server that runs out of file descriptors reports it, harms nothing, and recovers once some are free. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import { cannotLimit, leave, plenty } from './free-descriptors.js';
import type { Client, Reply } from './client.js';
import { eventually, temporaryFiles, transports, withServer, type Server, type Transport } from './server.js';

// Without descriptors for a thread, calls that are alone would still be answered.
process.env['FILE_EDITOR_FAST_PATH'] = 'never';

const text = 'one\ntwo\n';
const link = 'link.txt';
const target = 'deep/er/b.txt';

/** Whether it has a user's file open, or a replaced one that is yet to be closed. */
function holdsFiles(pid: number | undefined): boolean {
  assert.ok(pid !== undefined);
  const directory = `/proc/${String(pid)}/fd`;
  return readdirSync(directory).some((fd) => {
    try {
      return /\.(?:txt|tmp)\b/.test(readlinkSync(join(directory, fd)));
    } catch {
      return false;
    }
  });
}

/** Lend a server with one thread that has read and written, so everything opened only once is open. */
async function withWarmServer(
  transport: Transport,
  use: (server: Server, client: Client, directory: string) => Promise<void>,
): Promise<void> {
  await withDirectory({ 'a.txt': text, [target]: text }, (directory) => {
    symlinkSync(target, join(directory, link));
    return withServer(transport, directory, { workers: 1 }, async (server) => {
      const client = server.connect();
      assert.equal((await client.call('edit_file', { name: 'a.txt', append: 'three' })).kind, 'done');
      writeFileSync(join(directory, 'a.txt'), text);
      assert.equal((await client.call('list_files', {})).kind, 'done');
      assert.ok(await eventually(() => !holdsFiles(server.process.child.pid)));
      await use(server, client, directory);
      assert.equal(await server.process.stop(), 0, server.process.errors());
    });
  });
}

function assertShortage(reply: Reply, message: string): void {
  assert.ok(reply.kind === 'refused', JSON.stringify(reply));
  assert.deepEqual([reply.code, reply.status ?? 500], [-32001, 500]);
  assert.equal(reply.message, `${message}: EMFILE: too many open files`);
  assert.equal(reply.data['errno'], 'EMFILE');
  assert.equal(reply.data['applied'], undefined);
}

const edits = [
  { name: 'a.txt', append: 'x' },
  { name: link, append: 'x' },
  { name: 'new.txt', append: 'x', create_if_missing: true },
];

describe('without a descriptor', { timeout: 600_000, skip: cannotLimit() }, () => {
  for (const transport of transports) {
    it(`every call over ${transport} is refused immediately with the reason, and works again afterwards`, () =>
      withWarmServer(transport, async (server, client, directory) => {
        leave(server.process.child.pid, 0);
        for (const params of edits) {
          assertShortage(await client.call('edit_file', params), 'Failed to write file atomically');
        }
        for (const name of ['a.txt', link]) {
          assertShortage(await client.call('read_file', { name }), `Failed to read '${name}'`);
        }
        assertShortage(await client.call('list_files', {}), 'Failed to read the working directory');
        // Log lines, too, had to be written without opening anything.
        const logged = (): string[] => server.process.errors().match(/"msg":"Failed to .*EMFILE.*"\}\n/g) ?? [];
        assert.ok(await eventually(() => logged().length === 6), server.process.errors());

        leave(server.process.child.pid, 'all');
        for (const name of ['a.txt', link]) {
          assert.equal((await client.call('read_file', { name })).kind, 'done');
        }
        for (const params of edits) assert.equal((await client.call('edit_file', params)).kind, 'done');
        const listed = await client.call('list_files', {});
        assert.ok(listed.kind === 'done' && listed.result['total_count'] === 3, JSON.stringify(listed));
        for (const name of ['a.txt', target]) assert.equal(readFileSync(join(directory, name), 'utf8'), `${text}x\n`);
      }));
  }
});

describe('the metrics of a server without a descriptor', { timeout: 600_000, skip: cannotLimit() }, () => {
  it('are reported, except those read from system files', () =>
    withDirectory({}, (directory) =>
      withServer('http', directory, {}, async (server) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        const inFiles = /^(process_open_fds|process_resident_memory_bytes) /m;
        const metrics = `${server.url}/metrics`;
        assert.match((await answerOf(agent, metrics)).text, inFiles);
        leave(server.process.child.pid, 0);
        const { status, text } = await answerOf(agent, metrics);
        assert.equal(status, 200);
        assert.match(text, /^process_cpu_seconds_total /m);
        assert.doesNotMatch(text, inFiles);
        leave(server.process.child.pid, 'all');
        assert.match((await answerOf(agent, metrics)).text, inFiles);
        agent.destroy();
        assert.equal(await server.process.stop(), 0, server.process.errors());
      }),
    ));
});

describe('with few descriptors', { timeout: 600_000, skip: cannotLimit() }, () => {
  it('a call succeeds or is refused with the reason, and no temporary file is left', () =>
    withWarmServer('stdio', async (server, client, directory) => {
      for (let spare = 1; spare <= plenty; spare++) {
        rmSync(join(directory, 'new.txt'), { force: true });
        leave(server.process.child.pid, spare);
        const listed = await client.call('list_files', {});
        if (listed.kind === 'refused' && spare < plenty) assertShortage(listed, 'Failed to read the working directory');
        else assert.ok(listed.kind === 'done' && listed.result['total_count'] === 2, JSON.stringify(listed));

        for (const params of edits) {
          const path = join(directory, params.name);
          const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
          const reply = await client.call('edit_file', params);
          if (reply.kind === 'refused' && spare < plenty) assertShortage(reply, 'Failed to write file atomically');
          else assert.equal(reply.kind, 'done', JSON.stringify(reply));
          const expected = reply.kind === 'done' ? `${before ?? ''}x\n` : before;
          assert.equal(existsSync(path) ? readFileSync(path, 'utf8') : undefined, expected);
        }
        assert.deepEqual(temporaryFiles(directory), []);
      }
    }));
});

describe("deleting a server's leftovers with few descriptors", { timeout: 600_000, skip: cannotLimit() }, () => {
  it('succeeds or is refused with the reason, never as if a server used them', () => {
    const locks = Array.from({ length: 4 }, (_, index) => [`sub/.file-editor/${String(index)}.lock`, ''] as const);
    return withDirectory({ 'a.txt': text, ...Object.fromEntries(locks) }, (directory) =>
      withServer('stdio', directory, { workers: 1, toolset: 'all' }, async (server) => {
        const client = server.connect();
        assert.equal((await client.call('edit_file', { name: 'a.txt', append: 'three' })).kind, 'done');
        let refused = 0;
        for (let spare = 1; existsSync(join(directory, 'sub')); spare++) {
          leave(server.process.child.pid, spare);
          const reply = await client.call('delete', { path: 'sub' });
          if (reply.kind === 'done') continue;
          assertShortage(reply, 'Failed to write file atomically');
          refused++;
        }
        assert.ok(refused > locks.length, `${String(refused)} refusals`);
        leave(server.process.child.pid, 'all');
        assert.equal(await server.process.stop(), 0, server.process.errors());
      }),
    );
  });
});

describe('without the descriptors for a thread', { timeout: 600_000, skip: cannotLimit() }, () => {
  it('the code of threads, MCP and pages is loaded as soon as descriptors are free, after failing before', () =>
    withDirectory({ 'a.txt': text }, (directory) =>
      withServer('http', directory, { workers: 1 }, async (server) => {
        const client = server.connect();
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        // For the connections.
        assert.equal((await client.call('no_operation', {})).kind, 'refused');
        assert.equal((await answerOf(agent, `${server.url}/health`)).status, 200);
        leave(server.process.child.pid, 0);
        const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
        for (const status of [500, 200]) {
          const read = await client.call('read_file', { name: 'a.txt' });
          if (status === 500) assertShortage(read, "Failed to read 'a.txt'");
          else assert.equal(read.kind, 'done', JSON.stringify(read));
          assert.equal((await answerOf(agent, `${server.url}/openapi.json`)).status, status);
          assert.equal((await answerOf(agent, `${server.url}/mcp`, ping)).status, status);
          leave(server.process.child.pid, 'all');
        }
        agent.destroy();
        assert.doesNotMatch(server.process.errors(), /A worker thread died/);
        assert.equal(await server.process.stop(), 0, server.process.errors());
      }),
    ));

  it('calls are refused immediately with the reason, and the same files work again afterwards', () =>
    withDirectory({ 'a.txt': text }, (directory) =>
      withServer('http', directory, { workers: 1 }, async (server) => {
        const client = server.connect();
        // Only for its connection: no thread has been started yet.
        assert.equal((await client.call('no_operation', {})).kind, 'refused');
        // Enough to load the threads' code now, but not to start a thread.
        leave(server.process.child.pid, 2);
        const calls = [
          client.call('edit_file', { name: 'a.txt', append: 'x' }),
          client.call('read_file', { name: 'a.txt' }),
          client.call('list_files', {}),
        ];
        for (const reply of await Promise.all(calls)) {
          assert.ok(reply.kind === 'refused', JSON.stringify(reply));
          assert.deepEqual([reply.code, reply.status, reply.data['errno']], [-32001, 500, 'EMFILE'], reply.message);
        }
        leave(server.process.child.pid, 'all');
        assert.equal((await client.call('edit_file', { name: 'a.txt', append: 'x' })).kind, 'done');
        assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), `${text}x\n`);
        assert.equal(await server.process.stop(), 0, server.process.errors());
      }),
    ));
});

/** Over the connection of `agent`. */
async function answerOf(
  agent: Agent,
  url: string,
  message?: object,
): Promise<{ status: number | undefined; text: string }> {
  const sent = request(url, {
    agent,
    ...(message && { method: 'POST', headers: { 'content-type': 'application/json' } }),
  });
  sent.end(message && JSON.stringify(message));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, text: await textOf(answer) };
}
