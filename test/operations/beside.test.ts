/** What another program or server does in the middle of a call. */
import assert from 'node:assert/strict';
import fs, {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, it, mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../../src/errors.js';
import { tryFileLocks } from '../../workers/disk/lock.js';
import { Stage } from '../../workers/task.js';
import { hashOf } from '../../workers/text/text-file.js';
import { withDirectory } from '../directory.js';
import { Meanwhile } from './meanwhile.js';
import { resultOf, StorageScene } from './storage-scene.js';

const reasonOf = (outcome: Outcome): unknown => (outcome.ok ? 'done' : outcome.data?.reason);

/** As editors save that replace a file. */
function replace(path: string, text: string): void {
  writeFileSync(`${path}~`, text);
  renameSync(`${path}~`, path);
}

afterEach(() => {
  mock.restoreAll();
  syncBuiltinESMExports();
});

describe('a link through which a file is edited', () => {
  it('may be gone when the edit is about to take effect: then it has none', () =>
    withDirectory({ 'sub/f.txt': 'one\n' }, async (directory) => {
      symlinkSync('sub', join(directory, 'way'));
      symlinkSync('sub/f.txt', join(directory, 'link'));
      const scene = new StorageScene(directory);
      for (const [link, path] of [
        ['link', 'link'],
        ['way', 'way/f.txt'],
      ] as const) {
        const { openSync } = fs;
        mock.method(fs, 'openSync', (at: string, flags: number, mode?: number) => {
          // By then, the file has been read.
          if (at.endsWith('.tmp')) renameSync(join(directory, link), join(directory, `${link}-moved`));
          return openSync(at, flags, mode);
        });
        syncBuiltinESMExports();
        const outcome = await scene.call('insert', { path, insert_line: 1, new_str: 'two\n' });
        assert.equal(reasonOf(outcome), 'conflict');
        assert.equal(readFileSync(join(directory, 'sub/f.txt'), 'utf8'), 'one\n');
        mock.restoreAll();
        syncBuiltinESMExports();
      }
    }));
});

describe('a link that is deleted with the hash of its file', () => {
  it('stays if the file has changed by then', () =>
    withDirectory({ 'f.txt': 'one\n' }, async (directory) => {
      symlinkSync('f.txt', join(directory, 'link'));
      const scene = new StorageScene(directory);
      const changed = new Meanwhile(Stage.claimed, () => {
        replace(join(directory, 'f.txt'), 'two\n');
      });
      const expected_hash = hashOf(Buffer.from('one\n'));
      const outcome = await scene.call('delete', { path: 'link', expected_hash }, { progress: changed });
      assert.equal(reasonOf(outcome), 'conflict');
      assert.ok(lstatSync(join(directory, 'link')).isSymbolicLink());
    }));
});

describe('the placeholder of a rename', () => {
  it('is nothing on the way of a path, nor behind a link', () =>
    withDirectory({}, async (directory) => {
      symlinkSync('.file-editor/moving/here', join(directory, 'soon'));
      symlinkSync('soon', join(directory, 'link'));
      const scene = new StorageScene(directory);
      for (const path of ['soon', 'soon/f.txt', 'link', 'link/f.txt']) {
        assert.equal(reasonOf(await scene.call('view', { path })), 'file_not_found', path);
      }
    }));
});

describe('a directory that is made for a new file', () => {
  it('is locked until the file is in it, so that nobody deletes it for being empty', () =>
    withDirectory({}, async (directory) => {
      const scene = new StorageScene(directory);
      resultOf(await scene.call('create', { path: 'first.txt', content: '', encoding: 'utf-8' }));
      for (const locked of ['new', 'new/sub', 'new/sub/f.txt']) {
        const lock = tryFileLocks(scene.workspace.reserved, [locked], []);
        assert.ok(lock);
        const creating = scene.call('create', { path: 'new/sub/f.txt', content: 'x', encoding: 'utf-8' });
        await sleep(20);
        assert.equal(existsSync(join(directory, 'new')), false, locked);
        lock.release();
        resultOf(await creating);
        for (const path of ['new/sub/f.txt', 'new/sub', 'new']) resultOf(await scene.call('delete', { path }));
      }
    }));
});

describe('a umask that takes rights away from the owner as well', () => {
  it('does not lock the server out of its own directory', () =>
    withDirectory({ 'f.txt': 'one\n' }, async (directory) => {
      const scene = new StorageScene(directory);
      const before = process.umask(0o177);
      try {
        resultOf(await scene.call('insert', { path: 'f.txt', insert_line: 1, new_str: 'two\n' }));
      } finally {
        process.umask(before);
      }
      assert.equal(statSync(join(directory, '.file-editor')).mode & 0o777, 0o700);
    }));
});

describe('directories made for a new file in a working directory that is moved away', () => {
  it('are removed there, also if another call has begun in the new one', () =>
    withDirectory({}, async (parent) => {
      const directory = join(parent, 'work');
      mkdirSync(directory);
      const scene = new StorageScene(directory, { durability: 'full' });
      const { openSync } = fs;
      mock.method(fs, 'openSync', (at: string, flags: number, mode?: number) => {
        // By then, the directories have been made.
        if (at.endsWith('.tmp')) {
          renameSync(directory, join(parent, 'moved'));
          mkdirSync(directory);
          scene.workspace.root.refresh();
        }
        return openSync(at, flags, mode);
      });
      syncBuiltinESMExports();
      const outcome = await scene.call('create', { path: 'new/sub/f.txt', content: 'x', encoding: 'utf-8' });
      assert.equal(outcome.ok, false);
      assert.deepEqual(readdirSync(join(parent, 'moved')), ['.file-editor']);
    }));
});

describe('a directory that changes while it is read', () => {
  /** The first reads miss an entry that others have replaced meanwhile, as btrfs and tmpfs do. */
  function missed(directory: string, name: string, meanwhile: () => void): void {
    const { readdirSync } = fs;
    let reads = 0;
    mock.method(fs, 'readdirSync', (path: string, options: fs.ObjectEncodingOptions & { withFileTypes: true }) => {
      const names = readdirSync(path, options);
      if (++reads > 1) return names;
      meanwhile();
      return names.filter((entry) => entry.name !== name);
    });
    syncBuiltinESMExports();
    assert.ok(existsSync(join(directory, name)));
  }

  it('is read again, by view and by list_files', () =>
    withDirectory({ 'a.txt': 'a', 'b.txt': 'b' }, async (directory) => {
      const scene = new StorageScene(directory);
      for (const operation of ['view', 'list_files'] as const) {
        missed(directory, 'b.txt', () => {
          replace(join(directory, 'b.txt'), 'c');
        });
        const result = JSON.stringify(resultOf(await scene.call(operation, operation === 'view' ? { path: '' } : {})));
        assert.match(result, /a\.txt.*b\.txt/);
        mock.restoreAll();
        syncBuiltinESMExports();
      }
    }));

  it('shows nothing that is gone', () =>
    withDirectory({ 'a.txt': 'a', 'b.txt': 'b' }, async (directory) => {
      const scene = new StorageScene(directory);
      missed(directory, 'a.txt', () => {
        unlinkSync(join(directory, 'b.txt'));
      });
      assert.deepEqual(resultOf(await scene.call('view', { path: '' })), { type: 'directory', entries: ['a.txt'] });
    }));
});

describe('a file that is to be deleted but cannot be at first', () => {
  it('stays if another one has taken its place by then', () =>
    withDirectory({ 'f.txt': 'old\n' }, async (directory) => {
      const path = join(directory, 'f.txt');
      const scene = new StorageScene(directory);
      const { unlinkSync: unlink } = fs;
      let attempts = 0;
      mock.method(fs, 'unlinkSync', (at: fs.PathLike) => {
        if (!String(at).endsWith('f.txt') || ++attempts > 1) {
          unlink(at);
          return;
        }
        replace(path, 'saved by an editor');
        throw Object.assign(new Error('EBUSY: made up'), { code: 'EBUSY' });
      });
      syncBuiltinESMExports();
      assert.equal(reasonOf(await scene.call('delete', { path: 'f.txt' })), 'conflict');
      assert.equal(readFileSync(path, 'utf8'), 'saved by an editor');
    }));
});

describe('a file that a program has emptied in order to write it', () => {
  /** @returns what is in it after an edit that comes in between */
  const saved = async (directory: string): Promise<string> => {
    const path = join(directory, 'f.txt');
    const scene = new StorageScene(directory);
    const { fstatSync } = fs;
    let looks = 0;
    mock.method(fs, 'fstatSync', (fd: number, options: fs.StatSyncOptions) => {
      if (!fstatSync(fd).isFile()) return fstatSync(fd, options);
      looks++;
      if (looks === 1) writeFileSync(path, '');
      const stats = fstatSync(fd, options);
      if (looks === 4) writeFileSync(path, 'saved\n');
      return stats;
    });
    syncBuiltinESMExports();
    await scene.call('insert', { path: 'f.txt', insert_line: 1, new_str: 'edited\n' });
    mock.restoreAll();
    syncBuiltinESMExports();
    return readFileSync(path, 'utf8');
  };

  it('is waited for, for a moment', () =>
    withDirectory({ 'f.txt': 'old\n' }, async (directory) => {
      // Where the machine is busy, that moment may have passed before it is looked at.
      for (let attempt = 0; attempt < 5; attempt++) {
        if ((await saved(directory)) === 'edited\nsaved\n') return;
      }
      assert.fail('the edit never waited');
    }));
});
