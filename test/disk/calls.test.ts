/** System calls that fail transiently do not fail an operation (spec 6). */
import assert from 'node:assert/strict';
import fs, { openSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Outcome } from '../../src/core/errors.js';
import { fchown, futimes } from '../../workers/disk/calls.js';
import { closeRead } from '../../workers/disk/close.js';
import { withDirectory } from '../directory.js';
import { resultOf, StorageScene } from '../operations/storage-scene.js';

const transient = ['EINTR', 'EAGAIN', 'ESTALE', 'EBUSY'];

/** The calls that operations may retry, by the object that has them as methods. */
const calls: Readonly<Record<string, object>> = {
  lstatSync: fs,
  fstatSync: fs,
  openSync: fs,
  accessSync: fs,
  readlinkSync: fs,
  native: fs.realpathSync,
  readdirSync: fs,
  readSync: fs,
  writeSync: fs,
  fchmodSync: fs,
  mkdirSync: fs,
  symlinkSync: fs,
  linkSync: fs,
  renameSync: fs,
  unlinkSync: fs,
  rmdirSync: fs,
};

/** Calls that may succeed although they report failure, as over a network that loses a reply. */
const changes = ['mkdirSync', 'symlinkSync', 'linkSync', 'renameSync', 'unlinkSync', 'rmdirSync'];

/**
 * Makes every other call of this name fail.
 * @param done whether the call does its work before it fails
 * @returns the number of failures
 */
async function failing(name: string, done: boolean, use: () => Promise<void>): Promise<number> {
  const of = calls[name] ?? fs;
  const real: unknown = Reflect.get(of, name);
  assert.ok(typeof real === 'function');
  let made = 0;
  let failed = 0;
  const sometimes = (...args: unknown[]): unknown => {
    const fails = made++ % 2 === 0;
    const result: unknown = fails && !done ? undefined : Reflect.apply(real, of, args);
    if (!fails) return result;
    const code = transient[failed++ % transient.length] ?? '';
    throw Object.assign(new Error(`${code}: made up`), { code });
  };
  try {
    Reflect.set(of, name, sometimes);
    syncBuiltinESMExports();
    await use();
  } finally {
    Reflect.set(of, name, real);
    syncBuiltinESMExports();
  }
  return failed;
}

/** Some of everything; each call is answered as if no fault had occurred. */
async function workOn(scene: StorageScene): Promise<void> {
  const created = { path: 'd/e/a.txt', content: 'one\n', encoding: 'utf-8' } as const;
  assert.deepEqual(resultOf(await scene.call('create', created)), { success: true, path: 'd/e/a.txt' });
  const edit = { path: 'd/e/a.txt', old_str: 'one', new_str: 'two' };
  assert.deepEqual(resultOf(await scene.call('str_replace', edit)), { success: true, path: 'd/e/a.txt' });
  // Twice each, because every second call fails.
  for (const [from, to] of [
    ['d/e/a.txt', 'f/a.txt'],
    ['f/a.txt', 'f/b.txt'],
    ['f', 'g'],
    ['g', 'd/g'],
  ] as const) {
    await moved(scene, from, to);
  }
  assert.equal(contentOf(await scene.call('view', { path: 'd/g/b.txt' })), 'two\n');
  assert.equal(contentOf(await scene.call('read_file', { name: 'link' })), 'old');
  const edited = resultOf(await scene.call('edit_file', { name: 'link', append: 'new' }));
  assert.equal(Reflect.get(Object(edited), 'new_total_lines'), 2);
  const listed = resultOf(await scene.call('list_files', {}));
  const members = ['name', 'readable', 'writable', 'lines'];
  const files: unknown = Reflect.get(Object(listed), 'files');
  assert.ok(Array.isArray(files));
  assert.deepEqual(
    files.map((file: object) => members.map((key): unknown => Reflect.get(file, key))),
    [
      ['link', true, true, 2],
      ['x.txt', true, true, 2],
    ],
  );
  const viewed = resultOf(await scene.call('view', { path: 'd' }));
  assert.deepEqual(viewed, { type: 'directory', entries: ['e', 'g'] });
  for (const path of ['d/g/b.txt', 'd/g', 'd/e', 'link']) {
    assert.deepEqual(resultOf(await scene.call('delete', { path })), { success: true, path });
  }
}

async function moved(scene: StorageScene, old_path: string, new_path: string): Promise<void> {
  const outcome = await scene.call('rename', { old_path, new_path });
  assert.deepEqual(resultOf(outcome), { success: true, old_path, new_path });
}

function contentOf(outcome: Outcome): unknown {
  return Reflect.get(Object(resultOf(outcome)), 'content');
}

async function inScene(use: (scene: StorageScene, directory: string) => Promise<void>): Promise<void> {
  await withDirectory({ 'x.txt': 'old\n' }, async (directory) => {
    symlinkSync('x.txt', join(directory, 'link'));
    const scene = new StorageScene(directory, { durability: 'full' });
    await use(scene, directory);
    assert.deepEqual(scene.notices, []);
    assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'd', 'x.txt']);
    assert.deepEqual(readdirSync(join(directory, 'd')), []);
    const reserved = readdirSync(join(directory, '.file-editor'));
    assert.deepEqual(
      reserved.filter((name) => name.endsWith('.tmp')),
      [],
    );
  });
}

describe('a system call that fails transiently', () => {
  for (const name of Object.keys(calls)) {
    it(`is retried: ${name}`, () =>
      inScene(async (scene) => {
        const failed = await failing(name, false, () => workOn(scene));
        assert.ok(failed > 0, 'it was never made');
      }));
  }

  const { uid, gid } = statSync('.');
  for (const [name, change] of [
    [
      'fchownSync',
      (fd: number) => {
        fchown(fd, uid, gid);
      },
    ],
    [
      'futimesSync',
      (fd: number) => {
        futimes(fd, 1e9);
      },
    ],
  ] as const) {
    it(`is retried: ${name}`, () =>
      withDirectory({ 'a.txt': '' }, async (directory) => {
        const fd = openSync(join(directory, 'a.txt'), 'r');
        const failed = await failing(name, false, async () => {
          change(fd);
        });
        closeRead(fd);
        assert.equal(failed, 1);
      }));
  }

  for (const name of changes) {
    it(`is not assumed undone if it has done its work: ${name}`, () =>
      inScene(async (scene) => {
        const failed = await failing(name, true, () => workOn(scene));
        assert.ok(failed > 0, 'it was never made');
      }));
  }
});
