/** Spec 6 and 14: a server that is killed at any moment loses nothing acknowledged and leaves nothing half made. */
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { leftIn, textOf, withDirectory, type Files } from '../files.js';
import { allEnded, startServer, withServer, type Server } from '../scene.js';
import { target } from '../target.js';

const rounds = Math.max(2, Math.round(8 / target.slowness));
const count = 20;
const path = (i: number): string => `one/two/${i % 3}/file-${i}.txt`;
const files: Files = Object.fromEntries(Array.from({ length: count - 2 }, (_, i) => [path(i), 'version 0\n']));

/** Edits all files but the last two, which it makes, and moves one there and back. */
function changesTo(version: number): object[] {
  const edited = Array.from({ length: count - 2 }, (_, i) => ({
    path: path(i),
    edits: [{ old_string: `version ${version - 1}`, new_string: `version ${version}` }],
  }));
  const made = { path: `made/${version}/new.txt`, content: `version ${version}\n` };
  const [from, to] = [`moves/${version - 1}/here.txt`, `moves/${version}/here.txt`];
  return [...edited, made, { path: from, rename_to: to }];
}

/** Whether the change of this version was made. @throws if a part of it was */
function isMade(directory: string, version: number): boolean {
  const parts = Array.from({ length: count - 2 }, (_, i) => textOf(directory, path(i)) === `version ${version}\n`);
  parts.push(existsSync(join(directory, `made/${version}/new.txt`)));
  parts.push(existsSync(join(directory, `moves/${version}/here.txt`)));
  parts.push(!existsSync(join(directory, `moves/${version - 1}/here.txt`)));
  assert.equal(new Set(parts).size, 1, `partly made: ${parts.join()}`);
  return parts[0] === true;
}

/** Resolves when the first of the files was replaced or made, or when the call is over. */
async function untilBegun(directory: string, version: number, call: Promise<unknown>): Promise<void> {
  // Looks at names only: an open file would hold up the server on Windows.
  const timeOf = (): number => statSync(join(directory, path(0))).mtimeMs;
  const before = timeOf();
  const over = call.then(() => true);
  while (timeOf() === before && !existsSync(join(directory, `made/${version}`))) {
    if (await Promise.race([over, setImmediate(false)])) return;
  }
}

describe('a server that is killed', () => {
  it(`makes all changes of ${count} files or none, and leaves nothing behind`, async (test) => {
    await withDirectory({ ...files, 'moves/0/here.txt': 'x' }, async (directory) => {
      let server = await startServer(directory);
      let version = 1;
      let completed = 0;
      try {
        const began = performance.now();
        await server.done('apply_changes', { changes: changesTo(version) });
        const usual = performance.now() - began;
        for (let round = 0; round < rounds; round++) {
          const call = server.call('apply_changes', { changes: changesTo(version + 1) });
          // At any moment, or, which is rarely met by chance, when the first files are new.
          if (round % 2 === 0) await sleep(Math.random() * usual * 1.2);
          else await untilBegun(directory, version + 1, call);
          await server.kill();
          const { kind } = await call;
          server = await startServer(directory);
          const made = isMade(directory, version + 1);
          assert.ok(made || kind !== 'done', 'an acknowledged change was lost');
          if (made) {
            version++;
            completed++;
          } else {
            assert.ok(isMade(directory, version));
          }
          assert.deepEqual(leftIn(directory), []);
        }
      } finally {
        await server.kill();
      }
      test.diagnostic(`${rounds} kills: ${completed} changes were made, ${rounds - completed} were not`);
    });
  });

  it('keeps every append that it has acknowledged', async (test) => {
    await withDirectory({ 'log.txt': 'start\n' }, async (directory) => {
      const acknowledged: string[] = [];
      for (let round = 0; round < rounds; round++) {
        await withServer(directory, async (server) => {
          const first = `line ${round}`;
          await server.done('edit_file', { name: 'log.txt', append: first });
          acknowledged.push(first);
          const killed = sleep(Math.random() * 500 * target.slowness).then(() => server.kill());
          await allEnded([killed, append(server, round, acknowledged)]);
        });
        const lines = textOf(directory, 'log.txt').split('\n').slice(0, -1);
        assert.equal(new Set(lines).size, lines.length, 'no line twice');
        const lost = acknowledged.filter((line) => !lines.includes(line));
        assert.deepEqual(lost, []);
      }
      await withServer(directory, async () => {
        assert.deepEqual(leftIn(directory), []);
      });
      test.diagnostic(`${acknowledged.length} appends acknowledged, 0 lost`);
    });
  });
});

/** Append lines until the server is gone. */
async function append(server: Server, round: number, acknowledged: string[]): Promise<void> {
  for (let i = 0; ; i++) {
    const lines = [0, 1, 2].map((part) => `line ${round}.${i}.${part}`);
    const replies = await Promise.all(lines.map((line) => server.call('edit_file', { name: 'log.txt', append: line })));
    acknowledged.push(...lines.filter((_, j) => replies[j]?.kind === 'done'));
    if (replies.some(({ kind }) => kind === 'unanswered')) return;
  }
}
