/** Spec 6: the working directory is removed, moved or replaced while the server runs. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { tryFileLock } from '../../workers/disk/lock/lock.js';
import { Reserved } from '../../workers/disk/lock/reserved.js';
import { Root } from '../../workers/disk/paths/root.js';
import type { Reply } from './client.js';
import {
  assertNoDirectory,
  assertServed,
  assertUnusable,
  contents,
  edit,
  replaceDirectory,
  withScene,
} from './directory-scene.js';
import { seeded } from './random.js';
import { temporaryFiles, transports } from './server.js';

const asMade = { 'a.txt': 'first\n', 'other.txt': 'more\n' };

describe('the working directory', { timeout: 600_000 }, () => {
  for (const transport of transports) {
    it(`removed: nothing can be used over ${transport} until it is recreated`, () =>
      withScene(transport, async (scene) => {
        rmSync(scene.directory, { recursive: true });
        await assertUnusable(scene, 404);
        assert.throws(() => readdirSync(scene.directory), /ENOENT/);
        mkdirSync(scene.directory);
        writeFileSync(join(scene.directory, 'a.txt'), 'second\n');
        await assertServed(scene, 'second');
        assert.equal((await edit(scene, 'a.txt')).kind, 'done');
        assert.deepEqual(contents(scene.directory), { 'a.txt': 'second\nmore\n' });
        assert.deepEqual(temporaryFiles(scene.directory), []);
      }));

    it(`moved away: nothing is read or written there over ${transport}; moved back, everything works as before`, () =>
      withScene(transport, async (scene) => {
        renameSync(scene.directory, scene.elsewhere);
        await assertUnusable(scene, 404);
        assert.deepEqual(contents(scene.elsewhere), asMade);
        renameSync(scene.elsewhere, scene.directory);
        await assertServed(scene, 'first');
        assert.equal((await edit(scene, 'a.txt')).kind, 'done');
        assert.deepEqual(contents(scene.directory), { ...asMade, 'a.txt': 'first\nmore\n' });
      }));
  }

  it('under a parent that became a file: nothing can be used until it is restored', () =>
    withScene('http', async (scene) => {
      const parent = dirname(scene.directory);
      renameSync(parent, `${parent}-moved`);
      writeFileSync(parent, 'a file');
      await assertUnusable(scene, 404);
      rmSync(parent);
      renameSync(`${parent}-moved`, parent);
      await assertServed(scene, 'first');
      assert.equal((await edit(scene, 'a.txt')).kind, 'done');
      assert.deepEqual(contents(scene.directory), { ...asMade, 'a.txt': 'first\nmore\n' });
    }));

  it('recreated between two calls: the new one is served, the old one left alone', () =>
    withScene('http', async (scene) => {
      replaceDirectory(scene, { 'a.txt': 'second\n' });
      assert.equal((await edit(scene, 'a.txt')).kind, 'done');
      await assertServed(scene, 'second\nmore');
      assert.deepEqual(contents(scene.directory), { 'a.txt': 'second\nmore\n' });
      assert.deepEqual(contents(scene.elsewhere), asMade);
    }));

  it('replaced by a link: it is not followed, wherever it leads', () =>
    withScene('http', async (scene) => {
      const original = `${scene.elsewhere}-original`;
      renameSync(scene.directory, original);
      mkdirSync(scene.elsewhere);
      writeFileSync(join(scene.elsewhere, 'a.txt'), 'secret\n');
      for (const target of [scene.elsewhere, original]) {
        symlinkSync(target, scene.directory);
        await assertUnusable(scene, 403);
        unlinkSync(scene.directory);
      }
      assert.deepEqual(readdirSync(scene.elsewhere), ['a.txt']);
      assert.deepEqual(contents(original), asMade);
      renameSync(original, scene.directory);
      await assertServed(scene, 'first');
      assert.equal((await edit(scene, 'a.txt')).kind, 'done');
    }));

  it('recreated while an edit waits for its lock: the edit is made in the new one, whose lock is free', () =>
    withScene('stdio', async (scene) => {
      const root = new Root(scene.directory);
      root.refresh();
      const lock = tryFileLock(new Reserved(root), 'a.txt', []);
      assert.ok(lock);
      const waiting = edit(scene, 'a.txt');
      assert.equal((await edit(scene, 'other.txt')).kind, 'done');
      replaceDirectory(scene, { 'a.txt': 'second\n' });
      assert.equal((await waiting).kind, 'done');
      assert.deepEqual(contents(scene.directory), { 'a.txt': 'second\nmore\n' });
      assert.deepEqual(contents(scene.elsewhere), { 'a.txt': 'first\n', 'other.txt': 'more\nmore\n' });
      lock.release();
    }));

  it('recreated while an edit is being written: it is committed in the new one', () =>
    withScene('http', async (scene) => {
      const large = 'x'.repeat(8_000_000);
      // The edit may finish first, but rarely with this much to write.
      for (let tries = 1, caught = false; !caught; tries++) {
        assert.ok(tries < 20, 'the directory was replaced in time in one of 20 tries');
        writeFileSync(join(scene.directory, 'a.txt'), large);
        const answered = new AbortController();
        const writing = edit(scene, 'a.txt').finally(() => {
          answered.abort();
        });
        while (!answered.signal.aborted && temporaryFiles(scene.directory).length === 0) await setImmediate();
        replaceDirectory(scene, { 'a.txt': 'second\n' });
        caught = temporaryFiles(scene.elsewhere).length > 0;
        const reply = await writing;
        assert.equal(reply.kind, 'done', JSON.stringify(reply));
        if (caught) {
          assert.deepEqual(contents(scene.directory), { 'a.txt': 'second\nmore\n' });
          assert.equal(contents(scene.elsewhere)['a.txt']?.length, large.length);
        }
        for (const directory of [scene.directory, scene.elsewhere]) assert.deepEqual(temporaryFiles(directory), []);
        rmSync(scene.elsewhere, { recursive: true });
      }
    }));

  it('replaced repeatedly under a stream of edits: each acknowledged edit is in one of the directories', (test) =>
    withScene('http', async (scene) => {
      const random = seeded(test);
      const directories = [scene.directory];
      const done = new Set<string>();
      const others: Reply[] = [];
      let editing = true;
      const clients = Array.from({ length: 4 }, async (_, author) => {
        const client = scene.server.connect();
        for (let i = 0; editing; i++) {
          const line = `client${String(author)}-${String(i)}`;
          const reply = await client.call('edit_file', { name: 'a.txt', append: line });
          if (reply.kind === 'done') done.add(line);
          else others.push(reply);
          if (reply.kind === 'unanswered') break;
        }
      });
      for (let i = 0; i < 30; i++) {
        const next = `${scene.elsewhere}-next`;
        mkdirSync(next);
        writeFileSync(join(next, 'a.txt'), 'first\n');
        await sleep(random.between(0, 20));
        const old = `${scene.elsewhere}-${String(i)}`;
        renameSync(scene.directory, old);
        if (i % 3 === 0) await sleep(random.between(0, 3));
        renameSync(next, scene.directory);
        directories.push(old);
      }
      editing = false;
      await Promise.all(clients);

      for (const reply of others) assertNoDirectory(reply, 404);
      const written = directories.flatMap((each) => contents(each)['a.txt']?.split('\n').slice(1, -1) ?? []);
      assert.equal(new Set(written).size, written.length, 'nothing is there twice');
      assert.deepEqual(new Set(written), done, 'what was acknowledged, and nothing that was refused');
      for (const each of directories) assert.deepEqual(temporaryFiles(each), []);
      test.diagnostic(`${String(done.size)} edits done, ${String(others.length)} refused`);
      await assertServed(scene, contents(scene.directory)['a.txt']?.trimEnd() ?? '');
    }));
});
