/**
 * Spec 6: the next edit sees another program's write to a file that the server has just written, even in place, at
 * equal size and within the same clock tick. The server must not cache what it wrote: timestamps do not reveal a write
 * between the rename and the first stat if its author resets them.
 */
import assert from 'node:assert/strict';
import { closeSync, lstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import { withServer } from './server.js';

const name = 'a.txt';
const rounds = 50;
const lineOf = (what: string, round: number): string => `${what} ${String(round).padStart(6, '0')}`;
const length = lineOf('x', 0).length + 1;
/** Line 1 is the other program's, line 2 the server's. */
const original = `${lineOf('x', 0)}\n`.repeat(Math.ceil(100_000 / length));

describe("another program's write into a file that the server has just written", () => {
  for (const moment of ['after the answer', 'right after the rename'] as const) {
    it(`is kept: ${moment}`, () =>
      withDirectory({ [name]: original }, async (directory) => {
        const path = join(directory, name);
        await withServer('stdio', directory, { durability: 'none' }, async (server) => {
          const client = server.connect();
          const edit = (round: number): Promise<unknown> =>
            client.call('edit_file', {
              name,
              edits: [{ line: 2, operation: 'replace', content: lineOf('s', round) }],
            });
          for (let round = 1; round <= rounds; round++) {
            const { ino } = lstatSync(path);
            const answer = edit(2 * round);
            if (moment === 'after the answer') await answer;
            else for (const end = Date.now() + 1000; lstatSync(path).ino === ino && Date.now() < end;);
            const fd = openSync(path, 'r+');
            writeSync(fd, lineOf('o', round), 0);
            closeSync(fd);
            await answer;
            assert.match(JSON.stringify(await edit(2 * round + 1)), /"done"/);
            const text = readFileSync(path, 'utf8');
            assert.deepEqual(text.slice(0, 2 * length).split('\n'), [
              lineOf('o', round),
              lineOf('s', 2 * round + 1),
              '',
            ]);
            assert.equal(text.length, original.length);
          }
        });
      }));
  }
});
