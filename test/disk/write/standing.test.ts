import assert from 'node:assert/strict';
import { appendFileSync, lstatSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf } from '../../../src/core/file-identity.js';
import { openRegular } from '../../../workers/disk/paths/confine.js';
import type { OpenFile } from '../../../workers/disk/paths/open-file.js';
import { fileSource } from '../../../workers/disk/read.js';
import { Root } from '../../../workers/disk/paths/root.js';
import { readStanding } from '../../../workers/disk/write/standing.js';
import { withDirectory } from '../../directory.js';
import { refusal } from '../../text/edit/specify.js';

async function withFile(text: string, use: (file: OpenFile, path: string) => void | Promise<void>): Promise<void> {
  await withDirectory({ 'a.txt': text }, async (directory) => {
    const root = new Root(directory);
    root.refresh();
    const file = openRegular(root, 'a.txt');
    assert.ok(file);
    try {
      await use(file, join(directory, 'a.txt'));
    } finally {
      file.close();
    }
  });
}

describe('reading a file as one version', () => {
  it('reads an unchanging file once', () =>
    withFile('text', (file) => {
      let reads = 0;
      const { result } = readStanding(file, (stats) => [++reads, stats.size]);
      assert.deepEqual(result, [1, 4n]);
    }));

  it('retries a file that ended before its size, and never takes it for whole', () =>
    withFile('0123456789', (file) => {
      const target = Buffer.alloc(100);
      let reads = 0;
      const source = (missing: number): ReturnType<typeof fileSource> => fileSource(file.fd, 10 + missing, 1_000);
      const { result } = readStanding(file, () => source(++reads === 1 ? 5 : 0)(target, 0));
      assert.deepEqual([result, reads], [10, 2]);
      assert.throws(() => readStanding(file, () => source(5)(target, 0)), { code: 'EIO' });
      assert.throws(() => readStanding(file, () => source(5)(target, 10)), { code: 'EIO' });
    }));

  it('includes its stats, and says whether a later write would show in them', () =>
    withFile('text', async (file, path) => {
      assert.equal(readStanding(file, () => 0).doubtful, true, 'just written');
      // A whole second in the past is old enough on every file system; the change time is the current one.
      utimesSync(path, 1e9, 1e9);
      await sleep(150);
      const { stats, stood, doubtful } = readStanding(file, () => 0);
      assert.deepEqual([stood, doubtful], [true, false]);
      assert.deepEqual(identityOf(stats), identityOf(lstatSync(path, { bigint: true })));
    }));

  it('retries a file that changed during the read, with its new size', () =>
    withFile('1', (file, path) => {
      const sizes: bigint[] = [];
      const { result } = readStanding(file, ({ size }) => {
        if (sizes.push(size) === 1) appendFileSync(path, '2');
        return size;
      });
      assert.deepEqual(sizes, [1n, 2n]);
      assert.equal(result, 2n);
    }));

  it('returns what it has after three attempts, and says that it is not one version', () =>
    withFile('', (file, path) => {
      let reads = 0;
      const { result, stood } = readStanding(file, () => {
        appendFileSync(path, 'x');
        return ++reads;
      });
      assert.equal(result, 3);
      assert.equal(stood, false);
    }));

  it('retries after an error caused by mixed versions', () =>
    withFile('', (file, path) => {
      let reads = 0;
      const { result } = readStanding(file, () => {
        if (++reads > 1) return 'sound';
        appendFileSync(path, 'x');
        throw new Error('not UTF-8');
      });
      assert.equal(result, 'sound');
    }));

  it('throws an error that persists', () =>
    withFile('', (file, path) => {
      let reads = 0;
      const fails = (change: () => void) => () =>
        readStanding(file, () => {
          change();
          throw new Error(`read ${String(++reads)}`);
        });
      assert.throws(
        fails(() => undefined),
        /read 1/,
      );
      assert.throws(
        fails(() => appendFileSync(path, 'x')),
        /read 4/,
      );
    }));
});

describe('an open file as a source of bytes', () => {
  const read = (source: ReturnType<typeof fileSource>, size: number, position: number): string => {
    const target = Buffer.alloc(size);
    return target.toString('latin1', 0, source(target, position));
  };

  it('returns what fits or is left', () =>
    withFile('0123456789', ({ fd }) => {
      const source = fileSource(fd, 10, 100);
      assert.equal(read(source, 4, 0), '0123');
      assert.equal(read(source, 4, 8), '89');
      assert.equal(read(source, 4, 10), '');
      assert.equal(read(source, 4, 20), '');
    }));

  it('returns nothing beyond the size first seen, so it cannot exceed a limit', () =>
    withFile('0123456789', ({ fd }) => {
      assert.equal(read(fileSource(fd, 6, 6), 100, 0), '012345');
    }));

  it('reads a file without a size, as in /proc, to its end or the limit', () =>
    withFile('0123456789', ({ fd }) => {
      assert.equal(read(fileSource(fd, 0, 10), 100, 0), '0123456789');
      assert.equal(refusal(() => read(fileSource(fd, 0, 9), 100, 0)).failure.kind, 'too_large');
      assert.equal(refusal(() => read(fileSource(fd, 0, 9), 5, 5)).failure.kind, 'too_large');
    }));
});
