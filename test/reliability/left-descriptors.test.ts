import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { withDirectory } from '../directory.js';

const library = new URL('../../dist/src/index.js', import.meta.url).href;
const files = 30;

/** A program with an embedded server, whose threads end while libuv's threads are too busy to close their files. */
const program = `
  import { execFileSync } from 'node:child_process';
  import { closeSync, open, openSync, readdirSync, readlinkSync } from 'node:fs';
  import { setTimeout as sleep } from 'node:timers/promises';
  const [library, dir, pipe, dry] = process.argv.slice(1);
  const { startServer } = await import(library);
  const server = await startServer({ dir, port: 0, toolset: 'all', durability: 'none', logLevel: 'silent' });
  const edit = async (index) => {
    const edits = [{ old_string: 'END', new_string: 'END ' }];
    const body = JSON.stringify({ path: index + '.txt', edits, dry_run: dry === 'dry' });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(server.url + '/apply_edits', { method: 'POST', headers, body });
    if (!response.ok) throw new Error(await response.text());
  };
  const left = () => readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync('/proc/self/fd/' + fd).startsWith(dir + '/');
    } catch {
      return false;
    }
  });
  await edit(0);
  // Each of the four threads of libuv waits until somebody opens the other end.
  execFileSync('mkfifo', [pipe]);
  for (let busy = 0; busy < 4; busy++) open(pipe, 'r', (error, fd) => closeSync(fd));
  await Promise.all(Array.from({ length: ${String(files)} }, (_, index) => edit(index)));
  await server.close();
  openSync(pipe, 'r+');
  for (let looks = 0; looks < 100 && left().length > 0; looks++) await sleep(100);
  console.log(left().length);
  process.exit();
`;

describe('file descriptors', { skip: process.platform !== 'linux' && 'needs /proc' }, () => {
  for (const dry of ['dry', 'wet']) {
    it(`are all closed once the threads that opened them have ended: ${dry}`, () => {
      const tree = Object.fromEntries(
        Array.from({ length: files }, (_, index) => [`${String(index)}.txt`, `${'x'.repeat(300_000)}\nEND\n`]),
      );
      return withDirectory(tree, async (directory) => {
        const command = ['--input-type=module', '-e', program, library, directory, `${directory}-pipe`, dry];
        const { stdout } = await promisify(execFile)(process.execPath, command, { timeout: 60_000 });
        rmSync(`${directory}-pipe`);
        assert.equal(stdout, '0\n');
        assert.match(readFileSync(join(directory, '1.txt'), 'utf8'), dry === 'dry' ? /END\n$/ : /END \n$/);
      });
    });
  }
});
