import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { OperationError, type ErrorKindName } from '../../../src/core/errors.js';
import { openRegular } from '../../../workers/disk/paths/confine.js';
import type { OpenFile } from '../../../workers/disk/paths/open-file.js';
import { Root } from '../../../workers/disk/paths/root.js';
import { withDirectory } from '../../directory.js';

function open(root: Root, name: string): OpenFile | null {
  root.refresh();
  return openRegular(root, name);
}

function contentOf(root: Root, name: string): string | null {
  const file = open(root, name);
  if (file === null) return null;
  try {
    const bytes = Buffer.alloc(100);
    return bytes.toString('utf8', 0, readSync(file.fd, bytes));
  } finally {
    file.close();
  }
}

function kindOf(action: () => unknown): ErrorKindName | 'nothing thrown' {
  try {
    action();
    return 'nothing thrown';
  } catch (error) {
    assert.ok(error instanceof OperationError, String(error));
    return error.failure.kind;
  }
}

/** Until a process blocks in open(2) on a FIFO without a reader. */
async function untilOpening(pid: number): Promise<void> {
  while (!/^(wait_for_partner|fifo_open)/.test(readFileSync(`/proc/${String(pid)}/wchan`, 'utf8'))) await sleep(5);
}

describe('allowed targets of a name', () => {
  it('include links to files inside: in a subdirectory, absolute, via other links or via `..`', () =>
    withDirectory({ 'a.txt': 'text', 'sub/deep/b.txt': 'deep' }, (directory) => {
      symlinkSync('a.txt', join(directory, 'relative'));
      symlinkSync(join(directory, 'a.txt'), join(directory, 'absolute'));
      symlinkSync('relative', join(directory, 'chain'));
      symlinkSync('sub/deep', join(directory, 'folder'));
      symlinkSync('folder/b.txt', join(directory, 'through'));
      symlinkSync(`../${directory.split('/').at(-1) ?? ''}/a.txt`, join(directory, 'roundabout'));
      const root = new Root(directory);
      for (const name of ['relative', 'absolute', 'chain', 'roundabout'])
        assert.equal(contentOf(root, name), 'text', name);
      assert.equal(contentOf(root, 'through'), 'deep');
      const file = open(root, 'through');
      assert.equal(file?.place.relative, 'sub/deep/b.txt');
      file.close();
    }));

  it('not a link outside, a loop, or into the reserved directory', () =>
    withDirectory({ '.file-editor/0001.lock': '', 'inside.txt': '' }, async (directory) => {
      await withDirectory({ 'secret.txt': 'secret' }, (outside) => {
        symlinkSync(join(outside, 'secret.txt'), join(directory, 'out'));
        symlinkSync(outside, join(directory, 'folder-out'));
        symlinkSync('folder-out/secret.txt', join(directory, 'two-steps-out'));
        symlinkSync('loop-b', join(directory, 'loop-a'));
        symlinkSync('loop-a', join(directory, 'loop-b'));
        symlinkSync('.file-editor/0001.lock', join(directory, 'lock'));
        // A sibling whose path shares the prefix of the directory.
        mkdirSync(`${directory}-twin`);
        writeFileSync(`${directory}-twin/secret.txt`, 'secret');
        symlinkSync(`${directory}-twin/secret.txt`, join(directory, 'twin'));
        const root = new Root(directory);
        for (const name of ['out', 'two-steps-out', 'loop-a', 'lock', 'twin']) {
          assert.equal(
            kindOf(() => open(root, name)),
            'permission_denied',
            name,
          );
        }
        rmSync(`${directory}-twin`, { recursive: true });
      });
    }));

  it('exclude a FIFO, whose writer would continue if it were opened', () =>
    withDirectory({}, async (directory) => {
      const path = join(directory, 'fifo');
      execFileSync('mkfifo', [path]);
      const root = new Root(directory);
      const writer = execFile('sh', ['-c', 'printf data > "$0"', path]);
      await untilOpening(Number(writer.pid));
      assert.equal(
        kindOf(() => open(root, 'fifo')),
        'not_a_regular_file',
      );
      assert.equal(readFileSync(path, 'utf8'), 'data');
    }));

  it('never include a directory, FIFO, device or socket, and the check never blocks on one', () =>
    withDirectory({}, async (directory) => {
      mkdirSync(join(directory, 'folder'));
      execFileSync('mkfifo', [join(directory, 'fifo')]);
      symlinkSync('folder', join(directory, 'link-to-folder'));
      symlinkSync('fifo', join(directory, 'link-to-fifo'));
      const socket = createServer().listen(join(directory, 'socket'));
      await new Promise((resolve) => socket.once('listening', resolve));
      const names = ['folder', 'fifo', 'socket', 'link-to-folder', 'link-to-fifo'];
      if (process.getuid?.() === 0) {
        execFileSync('mknod', [join(directory, 'device'), 'c', '1', '5']);
        names.push('device');
      }
      const root = new Root(directory);
      for (const name of names)
        assert.equal(
          kindOf(() => open(root, name)),
          'not_a_regular_file',
          name,
        );
      socket.close();
    }));
});

describe('a link that is swapped while it is checked', () => {
  it('never leads outside', { timeout: 600_000 }, () =>
    withDirectory({ 'inside/f.txt': 'inside' }, async (directory) => {
      await withDirectory({ 'f.txt': 'OUTSIDE' }, async (outside) => {
        symlinkSync('parent/f.txt', join(directory, 'link'));
        symlinkSync('inside', join(directory, 'parent'));
        const stop = new Int32Array(new SharedArrayBuffer(4));
        // The attacker: the parent alternates between a link inside, a link outside and a real directory.
        const attacker = new Worker(
          `const { workerData: { directory, outside, stop } } = require('node:worker_threads');
           const fs = require('node:fs');
           const flag = new Int32Array(stop);
           for (let i = 0; Atomics.load(flag, 0) === 0; i++) {
             fs.symlinkSync(i % 2 ? outside : 'inside', directory + '/next');
             fs.renameSync(directory + '/next', directory + '/parent');
           }`,
          { eval: true, workerData: { directory, outside, stop: stop.buffer } },
        );
        const root = new Root(directory);
        let inside = 0;
        for (let i = 0; i < 20_000; i++) {
          try {
            const content = contentOf(root, 'link');
            assert.equal(content, 'inside');
            inside++;
          } catch (error) {
            assert.ok(error instanceof OperationError, String(error));
          }
        }
        Atomics.store(stop, 0, 1);
        await new Promise((resolve) => attacker.once('exit', resolve));
        assert.ok(inside > 0, 'the attack was so fast that nothing was read at all');
      });
    }),
  );
});

describe('the working directory itself', () => {
  it('is refused when a link replaces it or one of its parents', () =>
    withDirectory({ 'up/data/a.txt': 'mine', 'other/data/a.txt': 'other' }, (directory) => {
      const root = new Root(join(directory, 'up/data'));
      assert.equal(contentOf(root, 'a.txt'), 'mine');
      renameSync(join(directory, 'up/data'), join(directory, 'moved'));
      symlinkSync('../other/data', join(directory, 'up/data'));
      assert.equal(
        kindOf(() => open(root, 'a.txt')),
        'directory_denied',
      );
      unlinkSync(join(directory, 'up/data'));
      rmSync(join(directory, 'up'), { recursive: true });
      symlinkSync('other', join(directory, 'up'));
      assert.equal(
        kindOf(() => open(root, 'a.txt')),
        'directory_denied',
      );
      assert.equal(readlinkSync(join(directory, 'up')), 'other');
    }));
});
