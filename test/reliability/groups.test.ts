/** Spec 6: edits that wait for one file are committed together, invisibly to clients. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Outcome } from '../../src/core/errors.js';
import { tryFileLock, type FileLock } from '../../workers/disk/lock/lock.js';
import type { Reserved } from '../../workers/disk/lock/reserved.js';
import { withDirectory } from '../directory.js';
import type { Client } from './client.js';
import { withPool, type Call } from './dying-pool.js';
import { Ledger } from './ledger.js';
import { startServer, temporaryFiles, type Server } from './server.js';
import { cannotMount, withDisk } from './small-disk.js';

const name = 'a.txt';
const append = (call: Call, text: string, signal?: AbortSignal): Promise<Outcome> =>
  call('edit_file', { name, append: text }, signal);
const fate = (outcome: Outcome): unknown => (outcome.ok ? outcome.result['new_total_lines'] : outcome.kind);

function held(other: Reserved): FileLock {
  const lock = tryFileLock(other, name, []);
  assert.ok(lock);
  return lock;
}

/** Edits in order of arrival. All but the first reach the thread as a group, which waits for the lock. */
function arrived(call: Call, lines: readonly string[]): { outcomes: Promise<Outcome>[]; cancels: AbortController[] } {
  const first = new AbortController();
  void append(call, 'never', first.signal);
  const cancels = lines.map(() => new AbortController());
  const outcomes = lines.map((line, index) => append(call, line, cancels[index]?.signal));
  first.abort();
  return { outcomes, cancels };
}

describe('edits that wait for the lock of their file', { timeout: 600_000 }, () => {
  it('are written in order of arrival, without the cancelled ones', () =>
    withDirectory({ [name]: '' }, (directory) =>
      withPool(directory, 1, async (call, other) => {
        const lock = held(other);
        const { outcomes, cancels } = arrived(call, ['a-0', 'a-1', 'a-2', 'a-3']);
        // Sent after them and answered by the same thread, so the group is waiting for the lock by then.
        assert.ok((await call('read_file', { name })).ok);
        cancels[1]?.abort();
        assert.equal(lock.release(), undefined);
        assert.deepEqual((await Promise.all(outcomes)).map(fate), [1, 'cancelled', 2, 3]);
        assert.equal(readFileSync(join(directory, name), 'utf8'), 'a-0\na-2\na-3\n');
      }),
    ));

  it('each report a timeout; later ones find the file free', () =>
    withDirectory({ [name]: '' }, (directory) =>
      withPool(
        directory,
        1,
        async (call, other) => {
          const lock = held(other);
          const outcomes = await Promise.all(arrived(call, ['a-0', 'a-1', 'a-2']).outcomes);
          assert.deepEqual(outcomes.map(fate), ['lock_timeout', 'lock_timeout', 'lock_timeout']);
          assert.equal(lock.release(), undefined);
          assert.equal(fate(await append(call, 'a-3')), 1);
          assert.equal(readFileSync(join(directory, name), 'utf8'), 'a-3\n');
        },
        { timeout: 3 },
      ),
    ));
});

describe('a group of edits on a full disk', { timeout: 600_000, skip: cannotMount() }, () => {
  it('fails only for the edit that does not fit', () =>
    withDisk((disk) => {
      const text = 'a line of text\n'.repeat(4000);
      writeFileSync(join(disk, name), text);
      return withPool(disk, 1, async (call) => {
        void call('edit_file', { name });
        const [before, large, behind] = await Promise.all([
          append(call, 'before'),
          append(call, 'x'.repeat(450_000)),
          append(call, 'behind'),
        ]);
        assert.deepEqual([fate(before), fate(large), fate(behind)], [4001, 'write_failed', 4002]);
        assert.equal(large.ok ? undefined : large.data?.errno, 'ENOSPC');
        assert.match(before.notices?.[0]?.message ?? '', /^3 edits could not be written together/);
        assert.equal(readFileSync(join(disk, name), 'utf8'), `${text}before\nbehind\n`);
        assert.deepEqual(temporaryFiles(disk), []);
      });
    }));
});

const authors = 16;
const linesOfAnAuthor = 24;
/** Lines that each author pipelines. */
const atOnce = 8;

/** Every other edit of an author must be refused, so groups contain both kinds. */
async function write(client: Client, author: number, ledger: Ledger): Promise<void> {
  for (let sent = 0; sent < linesOfAnAuthor; sent += atOnce) {
    await Promise.all(
      Array.from({ length: atOnce }, async (_, i) => {
        const line = `author${String(author)}-${String(sent + i)}`;
        const vain = (author + sent + i) % 4 === 0;
        const edits = vain ? [{ line: 9_999_999, operation: 'delete' }] : [];
        const reply = await client.call('edit_file', { name, append: line, edits });
        assert.equal(reply.kind, vain ? 'refused' : 'done', JSON.stringify(reply));
        if (reply.kind === 'done') ledger.acknowledge(line, reply.result['new_total_lines']);
        else ledger.refuse(line);
      }),
    );
  }
}

/** In an append-only file, every read is a prefix of later reads. */
async function watch(client: Client, ended: () => boolean): Promise<number> {
  let before = '';
  let versions = 0;
  while (!ended()) {
    const reply = await client.call('read_file', { name });
    assert.ok(reply.kind === 'done', JSON.stringify(reply));
    const text = String(reply.result['content']);
    assert.ok(text.startsWith(before), 'no line that was there is gone');
    if (text !== before) versions++;
    before = text;
  }
  return versions;
}

describe('two servers with groups of edits to one file', { timeout: 600_000 }, () => {
  it('keep every acknowledged line exactly once, where its answer said, and show no intermediate state', (test) =>
    withDirectory({ [name]: '' }, async (directory) => {
      const servers: Server[] = [];
      try {
        for (const transport of ['http', 'stdio'] as const) servers.push(await startServer(transport, directory));
        const ledger = new Ledger();
        let writing = authors;
        const writers = Array.from({ length: authors }, async (_, author) => {
          // One connection per author preserves the order.
          const client = servers[author % servers.length]?.connect();
          assert.ok(client);
          await write(client, author, ledger);
          writing--;
        });
        const readers = servers.map((server) => watch(server.connect(), () => writing === 0));
        await Promise.all(writers);
        const versions = Math.max(...(await Promise.all(readers)));
        ledger.check(join(directory, name));
        assert.equal(ledger.size, (authors * linesOfAnAuthor * 3) / 4);
        assert.deepEqual(temporaryFiles(directory), []);
        test.diagnostic(`${String(ledger.size)} lines, a reader saw ${String(versions)} versions`);
        for (const server of servers) assert.equal(await server.process.stop(), 0, server.process.errors());
      } finally {
        for (const server of servers) await server.kill();
      }
    }));
});
