import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { isOnLocalDisk, platform } from '../../src/core/platform.js';

describe('the habits of a system', () => {
  it('are asked for in one place', () => {
    const asking = ['src', 'workers'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
        .filter((file) => file.endsWith('.ts') && /process\.platform|os\.platform\(/.test(readFileSync(file, 'utf8'))),
    );
    assert.deepEqual(asking, ['src/core/platform.ts']);
  });

  it('are each read somewhere', () => {
    const sources = ['src', 'workers'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => readFileSync(`${folder}/${file}`, 'utf8')),
    );
    const unread = Object.keys(platform).filter((name) => !sources.some((text) => text.includes(`platform.${name}`)));
    assert.deepEqual(unread, []);
  });
});

describe('a directory', () => {
  it('is on a local disk if its file system is that of the system itself', { skip: platform.name === 'win32' }, () => {
    assert.equal(isOnLocalDisk('/'), true);
  });

  it('is not, for all that is known, if it cannot be asked', { skip: platform.name === 'win32' }, () => {
    assert.equal(isOnLocalDisk('/there-is-no-such-directory'), false);
  });

  it('is told apart from a share by its path on Windows', { skip: platform.name !== 'win32' }, () => {
    assert.equal(isOnLocalDisk('\\\\server\\share\\files'), false);
    assert.equal(isOnLocalDisk(tmpdir()), true);
  });
});
