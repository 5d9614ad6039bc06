/** Spec 5.5 and 6: a stopped process that holds a lock can only delay others. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDirectory } from '../directory.js';
import type { Client, Reply } from './client.js';
import { Ledger } from './ledger.js';
import { withHolder } from './lock-holder.js';
import { temporaryFiles, transports, withServer, type Server, type Transport } from './server.js';

/** Lend a server with two empty files. */
function withBoth(
  transport: Transport,
  options: Readonly<Record<string, unknown>>,
  use: (server: Server, directory: string) => Promise<void>,
): Promise<void> {
  return withDirectory({ 'a.txt': '', 'b.txt': '' }, (directory) =>
    withServer(transport, directory, options, (server) => use(server, directory)),
  );
}

function assertLockTimeout(reply: Reply): void {
  assert.ok(reply.kind === 'refused', JSON.stringify(reply));
  const { code, message, status = 409 } = reply;
  assert.deepEqual([code, message, status], [-32001, 'Failed to acquire file lock within timeout', 409]);
}

describe('SIGSTOP of a process that holds a lock', { timeout: 600_000, concurrency: true }, () => {
  for (const transport of transports) {
    it(`lets another server over ${transport} read, refuse edits of that file in time, and edit after SIGCONT`, () =>
      withBoth(transport, { timeout: 2 }, (server, directory) =>
        withHolder(directory, async (holder) => {
          holder.kill('SIGSTOP');
          const client = server.connect(4);
          const [edit, read, other] = await Promise.all([
            client.call('edit_file', { name: 'a.txt', append: 'refused-1' }),
            client.call('read_file', { name: 'a.txt' }),
            client.call('edit_file', { name: 'b.txt', append: 'other-1' }),
          ]);
          assertLockTimeout(edit);
          assert.deepEqual([read.kind, other.kind], ['done', 'done']);
          const waiting = client.call('edit_file', { name: 'a.txt', append: 'after-1' });
          holder.stdin?.end();
          holder.kill('SIGCONT');
          assert.equal((await waiting).kind, 'done');
          assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'after-1\n');
          assert.equal(await server.process.stop(), 0);
        }),
      ));
  }

  it('in the middle of an edit: the other server refuses, and SIGCONT completes that edit normally', () =>
    withBoth('http', {}, (stopped, directory) =>
      withServer('stdio', directory, { timeout: 2 }, async (other) => {
        const ledger = new Ledger();
        const [writer, reader] = [stopped.connect(), other.connect()];
        const append = async (client: Client, line: string): Promise<Reply> => {
          const reply = await client.call('edit_file', { name: 'a.txt', append: line });
          if (reply.kind === 'done') ledger.acknowledge(line, reply.result['new_total_lines']);
          else ledger.refuse(line);
          return reply;
        };
        const held = new AbortController();
        const edits = (async () => {
          const replies: Reply[] = [];
          while (!held.signal.aborted && replies.at(-1)?.kind !== 'unanswered') {
            replies.push(await append(writer, `stopped-${String(replies.length)}`));
          }
          return replies;
        })();
        // It usually, but not always, holds the lock when stopped.
        for (let tries = 0; !held.signal.aborted; tries++) {
          assert.ok(tries < 100, 'a lock was held in one of 100 tries');
          await sleep(tries % 7);
          stopped.process.child.kill('SIGSTOP');
          const reply = await append(reader, `other-${String(tries)}`);
          assert.equal((await reader.call('read_file', { name: 'a.txt' })).kind, 'done');
          if (reply.kind !== 'done') {
            assertLockTimeout(reply);
            held.abort();
          }
          stopped.process.child.kill('SIGCONT');
        }
        assert.deepEqual(
          (await edits).filter(({ kind }) => kind !== 'done'),
          [],
        );
        ledger.check(join(directory, 'a.txt'));
        assert.deepEqual(temporaryFiles(directory), []);
        assert.equal(await stopped.process.stop(), 0);
        assert.equal(await other.process.stop(), 0);
      }),
    ));
});
