import assert from 'node:assert/strict';
import fs, { closeSync, existsSync, fstatSync, openSync, readdirSync, writeSync, type StatsFs } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, it, mock } from 'node:test';
import { everyWriteIsStamped } from '../../workers/disk/fine-stamps.js';
import { Reserved } from '../../workers/disk/reserved.js';
import { Root } from '../../workers/disk/root.js';
import { withDirectory } from '../directory.js';

const isLinux = process.platform === 'linux';

/** Devices that do not exist, since what was found out is remembered. */
let device = 1n << 60n;

/** Ask about a device of its own; `device` replaces that of every file meanwhile. */
function ask(directory: string): boolean {
  device += 1n;
  const [root, statSync] = [new Root(directory), fs.fstatSync];
  root.refresh();
  const reserved = new Reserved(root);
  reserved.open([]);
  mock.method(fs, 'fstatSync', (fd: number, options: { bigint: true }) =>
    Object.assign(statSync(fd, options), { dev: device }),
  );
  syncBuiltinESMExports();
  try {
    return everyWriteIsStamped(device, reserved, []);
  } finally {
    mock.restoreAll();
    syncBuiltinESMExports();
    reserved.forget();
    root.close();
  }
}

/** Whether two writes that follow each other at once ever share their stamps here. */
function everShared(path: string): boolean {
  const fd = openSync(path, 'w');
  try {
    const stamps = Array.from({ length: 1000 }, () => {
      writeSync(fd, 'x');
      return fstatSync(fd, { bigint: true }).ctimeNs;
    });
    return new Set(stamps).size < stamps.length;
  } finally {
    closeSync(fd);
  }
}

describe('whether every write is stamped', { skip: !isLinux }, () => {
  it('is found out by trying, and leaves nothing', () =>
    withDirectory({}, (directory) => {
      const { type } = fs.statfsSync(directory);
      const local = [0xef53, 0x58465342, 0x9123683e, 0x01021994].includes(type);
      assert.equal(ask(directory), local && !everShared(join(directory, 'x')));
      assert.deepEqual(readdirSync(join(directory, '.file-editor')), ['.gitignore']);
    }));

  it('is denied where the clock ticks slowly', () =>
    withDirectory({}, (directory) => {
      const { fstatSync: statSync } = fs;
      const slow = (fd: number, options: { bigint: true }): unknown => {
        const stats = statSync(fd, options);
        return Object.assign(stats, { mtimeNs: stats.mtimeNs - (stats.mtimeNs % 4_000_000_000_000n) });
      };
      const before = fs.fstatSync;
      Object.assign(fs, { fstatSync: slow });
      try {
        assert.equal(ask(directory), false);
      } finally {
        Object.assign(fs, { fstatSync: before });
        syncBuiltinESMExports();
      }
    }));

  it('is denied on file systems that others can write to', () =>
    withDirectory({}, (directory) => {
      const nfs = 0x6969;
      mock.method(fs, 'statfsSync', (): Partial<StatsFs> => ({ type: nfs }));
      assert.equal(ask(directory), false);
    }));

  it('is denied where it cannot be tried: nothing depends on it but speed', () =>
    withDirectory({}, (directory) => {
      mock.method(fs, 'statfsSync', () => {
        throw Object.assign(new Error('EIO: i/o error, statfs'), { code: 'EIO', errno: -5, syscall: 'statfs' });
      });
      assert.equal(ask(directory), false);
      assert.ok(existsSync(join(directory, '.file-editor')));
      assert.deepEqual(readdirSync(join(directory, '.file-editor')), ['.gitignore']);
    }));
});
