/** Spec 19: on Windows, where locks bind everybody, those of servers hinder nobody who reads or writes the files. */
import assert from 'node:assert/strict';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { textOf, withDirectory } from '../files.js';
import { startServer, type Server } from '../scene.js';
import { onWindows, target } from '../target.js';

const rounds = 8;
const names = ['one/two/a.txt', 'one/two/b.txt', 'one/two/c.txt'];
/** Another program writes it while it is edited. */
const shared = 'one/two/shared.txt';
const files = Object.fromEntries([...names, shared].map((name) => [name, 'start\n']));

/** What another program does with the files until `isOver`. @throws if a call fails, as on a locked file */
async function useFiles(directory: string, isOver: () => boolean): Promise<number> {
  let written = 0;
  while (!isOver()) {
    for (const name of [...names, shared]) assert.match(textOf(directory, name), /^start\n/);
    if (written < 3 * rounds) {
      const fd = openSync(join(directory, shared), 'a');
      writeSync(fd, `other ${written++}\n`);
      closeSync(fd);
    }
    await sleep(5);
  }
  return written;
}

async function edit(server: Server): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const path of [...names, shared]) {
      await server.done('apply_edits', { path, edits: [{ at: 'end', new_string: `edit ${round}\n` }] });
    }
  }
}

async function change(server: Server): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const made = { path: `made/one/${round}.txt`, content: 'made\n' };
    const edits = [{ at: 'end', new_string: `set ${round}\n` }];
    await server.done('apply_changes', { changes: [made, ...names.map((path) => ({ path, edits }))] });
  }
}

describe('the locks of two servers', { skip: !onWindows && 'locks bind nobody here' }, () => {
  it('are in the way of no other program, nor of each other', () =>
    withDirectory(files, async (directory) => {
      const folder = mkdtempSync(join(tmpdir(), 'platforms-locks-'));
      const lockedFiles = join(folder, 'locked');
      const settings = { env: { LOCKED_FILES: lockedFiles }, options: target.mandatoryLocks };
      const servers: Server[] = [];
      try {
        for (let i = 0; i < 2; i++) servers.push(await startServer(directory, [], settings));
        const [one, other] = servers;
        assert.ok(one !== undefined && other !== undefined);
        let over = false;
        const using = useFiles(directory, () => over);
        try {
          await Promise.all([edit(one), change(other)]);
        } finally {
          over = true;
        }
        await using;
        const locked = existsSync(lockedFiles) ? readFileSync(lockedFiles, 'utf8') : '';
        assert.equal(locked, '', 'files that were locked when they appeared');
        for (const name of names) assert.equal(textOf(directory, name).split('\n').length, 2 * rounds + 2);
        assert.equal(textOf(directory, shared).match(/^edit/gm)?.length, rounds);
      } finally {
        await Promise.all(servers.map((server) => server.kill()));
        rmSync(folder, { recursive: true, force: true });
      }
    }));
});
