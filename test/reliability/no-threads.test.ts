/** A passing shortage of descriptors, in which no thread can be started, leaves nothing behind (spec 6). */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import { cannotLimit, leave } from './free-descriptors.js';
import { eventually, withServer } from './server.js';

const files = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${String(index)}.txt`, 'find me\n']));

describe('a server that can start no thread', { timeout: 600_000, skip: cannotLimit() }, () => {
  it('lets the main thread answer short calls, says so, and loses no descriptor', () =>
    withDirectory(files, (directory) =>
      withServer('http', directory, { toolset: ['files', 'search'] }, async (server) => {
        const { pid } = server.process.child;
        const count = (): number => readdirSync(`/proc/${String(pid)}/fd`).length;
        const client = server.connect();
        const clients = [client, server.connect(), server.connect()];
        const health = async (): Promise<string> => (await fetch(`${server.url}/health`)).status.toString();
        // Connects the clients, and loads what a call needs.
        for (const each of clients) assert.equal((await each.call('read_file', { name: 'f0.txt' })).kind, 'done');
        assert.equal(await health(), '200');
        const before = count();
        for (let round = 0; round < 5; round++) {
          // Enough for the calls, and too few for a thread.
          leave(pid, 9);
          const replies = await Promise.all(
            clients.flatMap((each) => [
              each.call('grep', { pattern: 'find', mode: 'files' }),
              each.call('read_file', { name: `f${String(round + 1)}.txt` }),
            ]),
          );
          replies.push(await client.call('edit_file', { name: `f${String(round + 11)}.txt`, append: 'more' }));
          for (const reply of replies) assert.equal(reply.kind, 'done', JSON.stringify(reply));
          assert.equal(await health(), '503');
          leave(pid, 'all');
          assert.equal(await health(), '200');
        }
        assert.ok(await eventually(() => count() <= before + 3), `${String(before)} became ${String(count())}`);
        // Threads start again.
        const many = await Promise.all(clients.map((each) => each.call('grep', { pattern: 'find' })));
        for (const reply of many) assert.equal(reply.kind, 'done', JSON.stringify(reply));
      }),
    ));
});
