import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import { eventually } from '../reliability/server.js';
import { fronts } from './fronts.js';

const cannotMount = process.getuid?.() === 0 ? false : 'needs root to mount a file system';

describe('a file system that becomes read-only', { skip: cannotMount }, () => {
  for (const front of fronts) {
    it(`is named in an edit's error, and can still be read (${front.name})`, () =>
      withDirectory({}, async (directory) => {
        const disk = join(directory, 'disk');
        mkdirSync(disk);
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
        try {
          writeFileSync(join(disk, 'a.txt'), 'old\n');
          const session = await front.open(disk, {});
          assert.ok((await session.call('edit_file', { name: 'a.txt', append: 'new' })).ok);
          // An edit closes the replaced file after its answer; until then the disk is busy.
          assert.ok(await eventually(() => spawnSync('mount', ['-o', 'remount,ro', disk]).status === 0));
          for (const params of [
            { name: 'a.txt', append: 'x' },
            { name: 'b.txt', append: 'x', create_if_missing: true },
          ]) {
            const answer = await session.call('edit_file', params);
            assert.ok(!answer.ok);
            assert.deepEqual(
              [answer.error.code, answer.error.message, answer.error.data['errno']],
              [-32001, 'Failed to write file atomically: EROFS: read-only file system', 'EROFS'],
            );
            assert.equal(answer.status ?? 500, 500);
          }
          const list = await session.call('list_files', {});
          assert.ok(list.ok && Array.isArray(list.result['files']));
          assert.equal(Reflect.get(Object(list.result['files'][0]), 'writable'), false);
          assert.ok((await session.call('read_file', { name: 'a.txt' })).ok);
          assert.equal(readFileSync(join(disk, 'a.txt'), 'utf8'), 'old\nnew\n');
          assert.equal(await session.close(), 0);
        } finally {
          execFileSync('umount', ['-l', disk]);
        }
      }));
  }
});

describe('a single file that is a mount point', { skip: cannotMount }, () => {
  for (const front of fronts) {
    it(`stays unchanged, and the error says what to mount instead (${front.name})`, () =>
      withDirectory({}, async (directory) => {
        const served = join(directory, 'served');
        mkdirSync(served);
        writeFileSync(join(directory, 'outside.txt'), 'old\n');
        writeFileSync(join(served, 'a.txt'), '');
        execFileSync('mount', ['--bind', join(directory, 'outside.txt'), join(served, 'a.txt')]);
        try {
          const session = await front.open(served, {});
          const answer = await session.call('edit_file', { name: 'a.txt', append: 'new' });
          assert.ok(!answer.ok);
          assert.equal(answer.error.data['errno'], 'EBUSY');
          assert.match(String(answer.error.data['details']), /mount its parent directory instead/);
          assert.equal(readFileSync(join(served, 'a.txt'), 'utf8'), 'old\n');
          assert.equal(await session.close(), 0);
        } finally {
          execFileSync('umount', ['-l', join(served, 'a.txt')]);
        }
      }));
  }
});
