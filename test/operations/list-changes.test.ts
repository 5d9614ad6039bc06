import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { OperationError } from '../../src/core/errors.js';
import { RootMoved } from '../../workers/disk/paths/root.js';
import { withDirectory } from '../directory.js';
import { seeded, type Random } from '../reliability/random.js';
import { cannotCountReads, Lister, readsDuring, untilTrusted } from './lister.js';

const three = { 'a.txt': '1\n', 'b.txt': '1\n2\n', 'c.txt': '1\n2\n3\n' };
const theirLines = { 'a.txt': 1, 'b.txt': 2, 'c.txt': 3 };

/** A time that can be restored exactly: no fraction is lost. */
const time = 1_749_033_000.5;

/** Lend a lister that knows three files. */
async function withKnown(use: (lister: Lister, directory: string) => void | Promise<void>): Promise<void> {
  await withDirectory(three, async (directory) => {
    for (const name of Object.keys(three)) utimesSync(join(directory, name), time, time);
    await untilTrusted();
    const lister = new Lister(directory);
    assert.deepEqual(lister.lines(), theirLines);
    await use(lister, directory);
    lister.close();
  });
}

describe('a listing after another', () => {
  it('reads only files that have changed', { skip: cannotCountReads }, () =>
    withKnown((lister, directory) => {
      assert.equal(
        readsDuring(() => lister.answer()),
        0,
      );
      writeFileSync(join(directory, 'b.txt'), '1\r\r\n');
      assert.equal(
        readsDuring(() => {
          assert.deepEqual(lister.lines(), { ...theirLines, 'b.txt': 2 });
        }),
        1,
      );
    }),
  );

  it('preserves the access time of what it reads', { skip: process.platform !== 'linux' && 'only Linux can' }, () =>
    withDirectory({ 'a.txt': '1\n' }, (directory) => {
      const path = join(directory, 'a.txt');
      // Older than the last change, so any other read would update it.
      utimesSync(path, 1e9, 1e9 + 1);
      const lister = new Lister(directory);
      assert.deepEqual(lister.lines(), { 'a.txt': 1 });
      assert.equal(statSync(path).atimeMs, 1e12);
      lister.close();
    }),
  );

  it('reads only the changed ones of many files', { skip: cannotCountReads }, () =>
    withDirectory({}, async (directory) => {
      const names = Array.from({ length: 12 }, (_, i) => String(i + 10));
      const unchanged = ['18', '19', '20'];
      for (const name of names) writeFileSync(join(directory, name), '1\n');
      // For this one, the system must be asked whether it is writable.
      if (process.getuid?.() === 0) chownSync(join(directory, '20'), 65_534, 65_534);
      await untilTrusted();
      const lister = new Lister(directory);
      lister.answer();
      for (const name of names.filter((each) => !unchanged.includes(each))) {
        writeFileSync(join(directory, name), '\n\n');
      }
      assert.equal(
        readsDuring(() => {
          const lines = names.map((name) => [name, unchanged.includes(name) ? 1 : 2]);
          assert.deepEqual(Object.entries(lister.lines()), lines);
        }),
        9,
      );
      lister.close();
    }),
  );

  it('rereads files that are so young that a change may leave no trace', { skip: cannotCountReads }, () =>
    withDirectory(three, async (directory) => {
      const lister = new Lister(directory);
      lister.answer();
      assert.equal(
        readsDuring(() => lister.answer()),
        3,
      );
      await untilTrusted();
      assert.equal(
        readsDuring(() => lister.answer()),
        3,
      );
      assert.equal(
        readsDuring(() => lister.answer()),
        0,
      );
      lister.close();
    }),
  );

  it('sees a file written in place with the same size and time', () =>
    withKnown((lister, directory) => {
      const path = join(directory, 'b.txt');
      writeFileSync(path, '123\n');
      utimesSync(path, time, time);
      assert.deepEqual(lister.lines(), { ...theirLines, 'b.txt': 1 });
    }));

  it('sees a file replaced by one of the same size and time, and two that were swapped', () =>
    withKnown((lister, directory) => {
      const replacement = join(directory, '.new');
      writeFileSync(replacement, '123\n');
      utimesSync(replacement, time, time);
      renameSync(replacement, join(directory, 'b.txt'));
      assert.deepEqual(lister.lines(), { ...theirLines, 'b.txt': 1 });
      renameSync(join(directory, 'a.txt'), join(directory, 'd.txt'));
      renameSync(join(directory, 'c.txt'), join(directory, 'a.txt'));
      renameSync(join(directory, 'd.txt'), join(directory, 'c.txt'));
      assert.deepEqual(lister.lines(), { 'a.txt': 3, 'b.txt': 1, 'c.txt': 1 });
    }));

  it('sees files that appeared, vanished or changed their type', () =>
    withKnown(async (lister, directory) => {
      writeFileSync(join(directory, 'aa.txt'), '');
      rmSync(join(directory, 'b.txt'));
      assert.deepEqual(lister.lines(), { 'a.txt': 1, 'aa.txt': 0, 'c.txt': 3 });
      rmSync(join(directory, 'a.txt'));
      mkdirSync(join(directory, 'a.txt'));
      rmSync(join(directory, 'c.txt'));
      symlinkSync('aa.txt', join(directory, 'c.txt'));
      execFileSync('mkfifo', [join(directory, 'd.txt')]);
      assert.deepEqual(lister.lines(), { 'aa.txt': 0, 'c.txt': 0 });
      await untilTrusted();
      lister.answer();
      rmSync(join(directory, 'aa.txt'));
      execFileSync('mkfifo', [join(directory, 'aa.txt')]);
      assert.deepEqual(lister.lines(), {});
    }));

  it('sees changes of the target of a link', () =>
    withKnown(async (lister, directory) => {
      symlinkSync('a.txt', join(directory, 'link'));
      assert.equal(lister.lines()['link'], 1);
      await untilTrusted();
      lister.answer();
      appendFileSync(join(directory, 'a.txt'), '2\n');
      assert.equal(lister.lines()['link'], 2);
      rmSync(join(directory, 'a.txt'));
      assert.equal('link' in lister.lines(), false);
    }));

  it('ignores what another worker found under other limits', () =>
    withDirectory(three, async (directory) => {
      await untilTrusted();
      const listers = [{}, { maxLines: 2 }, { maxBytes: 3 }].map((options) => new Lister(directory, options));
      for (let i = 0; i < 2; i++) {
        assert.deepEqual(
          listers.map((lister) => Object.values(lister.lines())),
          [
            [1, 2, 3],
            [1, 2, -1],
            [1, -1, -1],
          ],
        );
      }
      for (const lister of listers) lister.close();
    }));

  it('equals the first listing of another worker, after any changes', { timeout: 600_000 }, (test) =>
    withDirectory({}, async (directory) => {
      const random = seeded(test);
      const lister = new Lister(directory);
      for (let round = 0; round < 60; round++) {
        for (let changes = random.between(0, 4); changes > 0; changes--) change(directory, random);
        if (random.between(0, 2) === 0) await untilTrusted();
        const fresh = new Lister(directory);
        for (let i = 0; i < 2; i++) assert.equal(lister.answer().toString(), fresh.answer().toString());
        fresh.close();
      }
      lister.close();
    }),
  );
});

/** One possible change of a file. */
function change(directory: string, random: Random): void {
  const path = join(directory, random.pick(['a', 'b', 'c', 'd', 'e f', 'ä']));
  const other = join(directory, random.pick(['a', 'b', 'c']));
  const text = random.pick(['1\n2\n3\n', '123\n\n\n', '12345\n', '', '\r\n', '\xff']);
  const happen = random.pick([
    () => writeFileSync(path, text, 'latin1'),
    () => appendFileSync(path, text, 'latin1'),
    () => chmodSync(path, random.pick([0o444, 0o644, 0o200])),
    () => utimesSync(path, 1, random.between(1, 3)),
    () => renameSync(path, other),
    () => rmSync(path),
    () => symlinkSync('a', path),
    () => mkdirSync(path),
    () => rmSync(path, { recursive: true, force: true }),
  ]);
  try {
    happen();
  } catch (error) {
    // Impossible in the current state.
    assert.ok(error instanceof Error && 'code' in error);
  }
}

describe('a working directory that is swapped for a link while it is listed', () => {
  it('is never listed with anything from outside', { timeout: 600_000 }, () =>
    withDirectory({}, async (parent) => {
      await withDirectory({}, async (outside) => {
        const directory = join(parent, 'work');
        mkdirSync(directory);
        const names = Array.from({ length: 40 }, (_, i) => `${String(i + 10)}.txt`);
        for (const name of names) {
          writeFileSync(join(directory, name), '1\n');
          writeFileSync(join(outside, name), 'secret\n\n\n');
        }
        const inside = names.map((name) => [name, 2, 1]);
        await untilTrusted();
        const lister = new Lister(directory);
        lister.answer();
        const stop = new Int32Array(new SharedArrayBuffer(4));
        const attacker = new Worker(
          `const { workerData: { directory, outside, stop } } = require('node:worker_threads');
           const fs = require('node:fs');
           const flag = new Int32Array(stop);
           while (Atomics.load(flag, 0) === 0) {
             fs.renameSync(directory, directory + '-away');
             fs.symlinkSync(outside, directory);
             fs.unlinkSync(directory);
             fs.renameSync(directory + '-away', directory);
           }`,
          { eval: true, workerData: { directory, outside, stop: stop.buffer } },
        );
        let listings = 0;
        for (let i = 0; i < 5_000; i++) {
          try {
            const files = lister.files();
            assert.deepEqual(
              files.map(({ name, size, lines }) => [name, size, lines]),
              inside,
            );
            listings++;
          } catch (error) {
            assert.ok(error instanceof OperationError || error instanceof RootMoved, String(error));
          }
        }
        Atomics.store(stop, 0, 1);
        await new Promise((resolve) => attacker.once('exit', resolve));
        assert.ok(listings > 0, 'the attack was so fast that nothing was listed at all');
        assert.equal(lister.files().length, names.length);
        lister.close();
      });
    }),
  );
});

describe(
  'permission changes that do not touch the file',
  {
    skip: process.getuid?.() === 0 ? false : 'needs root to mount',
  },
  () => {
    const writable = (lister: Lister): boolean[] => lister.files().map((file) => file.writable);

    it('of the whole file system are seen', () =>
      withDirectory({}, async (directory) => {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory]);
        try {
          for (const name of ['a.txt', 'b.txt']) writeFileSync(join(directory, name), '');
          chownSync(join(directory, 'b.txt'), 65_534, 65_534);
          await untilTrusted();
          const lister = new Lister(directory);
          assert.deepEqual(writable(lister), [true, true]);
          for (const [mode, expected] of [
            ['ro', false],
            ['rw', true],
          ] as const) {
            execFileSync('mount', ['-o', `remount,${mode}`, directory]);
            assert.deepEqual(writable(lister), [expected, expected]);
          }
          lister.close();
        } finally {
          execFileSync('umount', ['-l', directory]);
        }
      }));

    it('of one file are seen even if its mode does not show them', () =>
      withDirectory({ 'a.txt': '' }, async (directory) => {
        const path = join(directory, 'a.txt');
        chownSync(path, 65_534, 65_534);
        await untilTrusted();
        const lister = new Lister(directory);
        assert.deepEqual(writable(lister), [true]);
        execFileSync('mount', ['--bind', path, path]);
        try {
          assert.deepEqual(writable(lister), [true]);
          execFileSync('mount', ['-o', 'remount,bind,ro', path]);
          assert.deepEqual(writable(lister), [false]);
        } finally {
          execFileSync('umount', ['-l', path]);
        }
        assert.deepEqual(writable(lister), [true]);
        lister.close();
      }));
  },
);
