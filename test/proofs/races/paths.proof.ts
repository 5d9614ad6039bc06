/** Spec 6 and 11: path operations under contention from two servers, other programs and killed processes. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { withDirectory } from '../../directory.js';
import type { Client, Reply } from '../../reliability/client.js';
import { attackLinks, insideFiles, outsideFiles } from '../../reliability/link-attack.js';
import { startServer, temporaryFiles, transports, withServer, type Server } from '../../reliability/server.js';
import { seeded } from '../../reliability/random.js';
import { cannotMount, withDisk } from '../../reliability/small-disk.js';

const options = { toolset: 'all', durability: 'none' };

async function withTwoServers(directory: string, use: (one: Client, other: Client) => Promise<void>): Promise<void> {
  await withServer('stdio', directory, options, (one) =>
    withServer('stdio', directory, options, (other) => use(one.connect(), other.connect())),
  );
}

/** Rounds 0, 1, 2 …, this many at a time. */
async function rounds(count: number, atOnce: number, round: (index: number) => Promise<void>): Promise<void> {
  for (let first = 0; first < count; first += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, count - first) }, (_, index) => round(first + index)));
  }
}

function said(reply: Reply): unknown {
  return reply.kind === 'refused' ? (reply.data['reason'] ?? reply.message) : reply.kind;
}

describe('two servers on one directory', () => {
  it('create a file only once', () =>
    withDirectory({}, (directory) =>
      withTwoServers(directory, async (one, other) => {
        await rounds(1000, 20, async (index) => {
          // Every third in directories that both have to create.
          const path = index % 3 === 0 ? `new-${String(index)}/sub/a.txt` : `a-${String(index)}.txt`;
          const create = (client: Client, content: string): Promise<Reply> =>
            client.call('create', { path, content, encoding: 'utf-8' });
          const replies = await Promise.all([create(one, 'one'), create(other, 'other')]);
          assert.deepEqual(replies.map(said).sort(), ['done', 'file_exists'], path);
          const winner = replies[0].kind === 'done' ? 'one' : 'other';
          assert.equal(readFileSync(join(directory, path), 'utf8'), winner);
        });
        assert.deepEqual(temporaryFiles(directory), []);
      }),
    ));

  it('rename only one of two files to the same path, and leave the other in place', () =>
    withDirectory({}, (directory) =>
      withTwoServers(directory, async (one, other) => {
        await rounds(1000, 20, async (index) => {
          const [mine, theirs, target] = ['mine', 'theirs', index % 3 === 0 ? 'new/target' : 'target'].map(
            (name) => `${name}-${String(index)}`,
          );
          assert.ok(mine !== undefined && theirs !== undefined && target !== undefined);
          for (const name of [mine, theirs]) writeFileSync(join(directory, name), name);
          const replies = await Promise.all([
            one.call('rename', { old_path: mine, new_path: target }),
            other.call('rename', { old_path: theirs, new_path: target }),
          ]);
          assert.deepEqual(replies.map(said).sort(), ['done', 'file_exists'], target);
          const [winner, loser] = replies[0].kind === 'done' ? [mine, theirs] : [theirs, mine];
          assert.equal(readFileSync(join(directory, target), 'utf8'), winner);
          assert.equal(readFileSync(join(directory, loser), 'utf8'), loser);
          assert.equal(existsSync(join(directory, winner)), false);
        });
      }),
    ));

  it('rename a file only once', () =>
    withDirectory({}, (directory) =>
      withTwoServers(directory, async (one, other) => {
        await rounds(300, 10, async (index) => {
          const old_path = `sub/${String(index)}`;
          mkdirSync(join(directory, 'sub'), { recursive: true });
          writeFileSync(join(directory, old_path), old_path);
          const targets = [`here/${String(index)}`, `there/${String(index)}`];
          const replies = await Promise.all(
            [one, other].map((client, index) => client.call('rename', { old_path, new_path: targets[index] })),
          );
          assert.deepEqual(replies.map(said).sort(), ['done', 'file_not_found']);
          const there = targets.filter((target) => existsSync(join(directory, target)));
          assert.deepEqual(there, [targets[replies[0]?.kind === 'done' ? 0 : 1]]);
        });
      }),
    ));

  it('lose no insert while its directory moves back and forth', () =>
    withDirectory({ 'a/sub/log.md': '' }, (directory) =>
      withTwoServers(directory, async (one, other) => {
        let moving = true;
        let [moved, inserted] = [0, 0];
        const mover = async (): Promise<void> => {
          for (let round = 0; round < 30; round++) {
            const [old_path, new_path] = round % 2 === 0 ? ['a', 'b'] : ['b', 'a'];
            const reply = await other.call('rename', { old_path, new_path });
            assert.equal(said(reply), 'done');
            moved++;
          }
          moving = false;
        };
        const writer = async (client: Client, name: string): Promise<void> => {
          for (let index = 0; moving; index++) {
            const path = `${index % 2 === 0 ? 'a' : 'b'}/sub/log.md`;
            const reply = await client.call('insert', { path, insert_line: 1, new_str: `${name}\n` });
            if (reply.kind === 'done') inserted++;
            else assert.equal(said(reply), 'file_not_found');
          }
        };
        await Promise.all([mover(), ...[one, other, one, other].map((client, index) => writer(client, String(index)))]);
        const lines = readFileSync(join(directory, 'a/sub/log.md'), 'utf8').split('\n').length - 1;
        assert.equal(lines, inserted);
        assert.ok(inserted > 0 && moved === 30);
      }),
    ));

  it('let a directory move despite continuous writes in the tree', () =>
    withDirectory({ 'busy/0.md': '', 'a/b.txt': '' }, (directory) =>
      withTwoServers(directory, async (one, other) => {
        let moving = true;
        const writer = async (client: Client, index: number): Promise<void> => {
          const path = `busy/${String(index)}.md`;
          await client.call('create', { path, content: '', encoding: 'utf-8' });
          while (moving) {
            assert.equal(said(await client.call('insert', { path, insert_line: 1, new_str: 'x\n' })), 'done');
          }
        };
        const writers = Array.from({ length: 16 }, (_, index) => writer(index % 2 === 0 ? one : other, index));
        for (const [old_path, new_path] of [
          ['a', 'c/a'],
          ['c/a', 'a'],
        ]) {
          assert.equal(said(await one.call('rename', { old_path, new_path })), 'done');
        }
        moving = false;
        await Promise.all(writers);
      }),
    ));
});

describe('pipelined calls of one client', () => {
  it('take effect in order, even across a rename', () =>
    withDirectory({}, (directory) =>
      withServer('stdio', directory, options, async (server) => {
        const client = server.connect();
        for (let round = 0; round < 50; round++) {
          const [a, b] = [`dir/a-${String(round)}`, `other/b-${String(round)}`];
          const replies = await Promise.all([
            client.call('create', { path: a, content: 'one\n', encoding: 'utf-8' }),
            client.call('insert', { path: a, insert_line: 2, new_str: 'two\n' }),
            client.call('rename', { old_path: a, new_path: b }),
            client.call('insert', { path: `other/../${b}`, insert_line: 3, new_str: 'three\n' }),
            client.call('create', { path: a, content: 'new', encoding: 'utf-8' }),
            client.call('rename', { old_path: b, new_path: `${b}.moved` }),
            client.call('delete', { path: `${b}.moved` }),
          ]);
          assert.deepEqual(
            replies.map(said),
            Array.from({ length: 7 }, () => 'done'),
          );
          assert.equal(readFileSync(join(directory, a), 'utf8'), 'new');
        }
        assert.deepEqual(readdirSync(join(directory, 'other')), []);
      }),
    ));
});

describe('another program', () => {
  it('that creates a file at the target of a move keeps its file, or finds the moved one', () =>
    withDirectory({}, (directory) =>
      withServer('stdio', directory, options, async (server) => {
        const client = server.connect();
        const program = new Worker(
          `const { parentPort, workerData } = require('node:worker_threads');
           const fs = require('node:fs');
           parentPort.on('message', (name) => {
             for (const end = Date.now() + 3; ;) {
               try {
                 fs.writeFileSync(workerData + '/' + name, 'theirs', { flag: 'wx' });
                 return parentPort.postMessage('made');
               } catch (error) {
                 if (error.code !== 'EEXIST') return parentPort.postMessage(String(error));
                 if (Date.now() > end) return parentPort.postMessage('exists');
               }
             }
           });`,
          { eval: true, workerData: directory },
        );
        let made = 0;
        for (let index = 0; index < 500; index++) {
          const name = `target-${String(index)}`;
          writeFileSync(join(directory, 'mine'), 'mine');
          const theirs = new Promise((resolve) => program.once('message', resolve));
          if (index % 2 === 0) program.postMessage(name);
          const reply = client.call('rename', { old_path: 'mine', new_path: name });
          if (index % 2 === 1) program.postMessage(name);
          const [moved, answer] = [await reply, await theirs];
          const content = readFileSync(join(directory, name), 'utf8');
          if (answer === 'made') made++;
          assert.deepEqual(
            [said(moved), answer, content],
            moved.kind === 'done' ? ['done', 'exists', 'mine'] : ['file_exists', 'made', 'theirs'],
          );
          assert.equal(existsSync(join(directory, 'mine')), moved.kind !== 'done');
        }
        await program.terminate();
        assert.ok(made > 0 && made < 500, `made ${String(made)} times`);
      }),
    ));

  for (const transport of transports) {
    it(
      `that swaps directories and links leads no tool outside the directory (${transport})`,
      { timeout: 600_000 },
      (test) =>
        withDirectory(insideFiles, (directory) =>
          withDirectory(outsideFiles, (outside) =>
            withServer(transport, directory, { ...options, cacheMb: 1 }, async (server) => {
              const random = seeded(test);
              const report = await attackLinks([server.connect(8)], { directory, outside, attempts: 1000, random });
              assert.ok(report.done > 0, 'the attack was so fast that nothing was done at all');
            }),
          ),
        ),
    );
  }
});

describe('a killed server', () => {
  it('leaves each file at its old or its new path, and the call can be repeated', { timeout: 600_000 }, (test) =>
    withDirectory({}, async (directory) => {
      const random = seeded(test);
      for (let kill = 0; kill < 12; kill++) {
        const names = Array.from({ length: 40 }, (_, index) => `${String(kill)}-${String(index)}`);
        for (const name of names) writeFileSync(join(directory, name), name);
        const server = await startServer('stdio', directory, { ...options, durability: 'full' });
        const client = server.connect();
        const replies = names.map((name) => client.call('rename', { old_path: name, new_path: `to/${name}/deep` }));
        await sleep(random.between(0, 15));
        await server.kill();
        const kinds = await Promise.all(replies);
        await withServer('stdio', directory, options, async (next: Server) => {
          const again = next.connect();
          await rounds(names.length, 20, async (index) => {
            const name = names[index] ?? '';
            const isOld = existsSync(join(directory, name));
            const view = await again.call('view', { path: `to/${name}/deep` });
            assert.equal(view.kind === 'done', !isOld, `${name} is at both paths, or at none`);
            if (kinds[index]?.kind === 'done') assert.ok(!isOld, 'an acknowledged rename is undone');
            const repeated = await again.call('rename', { old_path: name, new_path: `to/${name}/deep` });
            assert.equal(said(repeated), isOld ? 'done' : 'file_not_found');
            assert.equal(readFileSync(join(directory, `to/${name}/deep`), 'utf8'), name);
          });
          assert.deepEqual(temporaryFiles(directory), []);
        });
      }
    }),
  );
});

describe('a full disk', { skip: cannotMount() }, () => {
  it('is named in the error, and no partial result is left', () =>
    withDisk((disk) =>
      withServer('http', disk, options, async (server) => {
        const client = server.connect();
        assert.equal(said(await client.call('create', { path: 'a.txt', content: 'x', encoding: 'utf-8' })), 'done');
        const content = 'x'.repeat(600_000);
        for (const [operation, params] of [
          ['create', { path: 'new/deep/b.txt', content, encoding: 'utf-8' }],
          ['str_replace', { path: 'a.txt', old_str: 'x', new_str: content }],
          ['insert', { path: 'a.txt', insert_line: 1, new_str: content }],
        ] as const) {
          const reply = await client.call(operation, params);
          assert.ok(reply.kind === 'refused');
          assert.deepEqual(
            [reply.status, reply.code, reply.message, reply.data['reason'], reply.data['errno']],
            [507, -32001, 'Insufficient disk space', 'disk_full', 'ENOSPC'],
          );
        }
        assert.deepEqual(readdirSync(disk).sort(), ['.file-editor', 'a.txt']);
        assert.deepEqual(temporaryFiles(disk), []);
        assert.equal(readFileSync(join(disk, 'a.txt'), 'utf8'), 'x');
      }),
    ));

  it('without free inodes leaves no directories behind', () =>
    withDisk((disk) =>
      withServer('http', disk, options, async (server) => {
        const client = server.connect();
        assert.equal(said(await client.call('create', { path: 'a.txt', content: 'x', encoding: 'utf-8' })), 'done');
        const path = `${'d/'.repeat(70)}b.txt`;
        assert.equal(said(await client.call('create', { path, content: 'x', encoding: 'utf-8' })), 'disk_full');
        assert.equal(said(await client.call('rename', { old_path: 'a.txt', new_path: path })), 'disk_full');
        assert.deepEqual(readdirSync(disk).sort(), ['.file-editor', 'a.txt']);
      }),
    ));
});
