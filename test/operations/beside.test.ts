/** Interference by other programs or servers in the middle of a call. */
import assert from 'node:assert/strict';
import fs, {
  type Dirent,
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
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../../src/core/errors.js';
import { tryFileLocks } from '../../workers/disk/lock/lock.js';
import { Phase } from '../../src/core/thread/task.js';
import { hashOf } from '../../workers/text/text-file.js';
import { withDirectory } from '../directory.js';
import { before, failing, instead, mend } from '../faults.js';
import { Meanwhile } from './meanwhile.js';
import { resultOf, StorageScene } from './storage-scene.js';

const reasonOf = (outcome: Outcome): unknown => (outcome.ok ? 'done' : outcome.data?.reason);

/** Like an editor that saves by replacing the file. */
function replace(path: string, text: string): void {
  writeFileSync(`${path}~`, text);
  renameSync(`${path}~`, path);
}

describe('a link through which a file is edited', () => {
  it('may vanish just before the edit takes effect, which then fails', () =>
    withDirectory({ 'sub/f.txt': 'one\n' }, async (directory) => {
      symlinkSync('sub', join(directory, 'way'));
      symlinkSync('sub/f.txt', join(directory, 'link'));
      const scene = new StorageScene(directory);
      for (const [link, path] of [
        ['link', 'link'],
        ['way', 'way/f.txt'],
      ] as const) {
        before('openSync', (at) => {
          // By now, the file has been read.
          if (String(at).endsWith('.tmp')) renameSync(join(directory, link), join(directory, `${link}-moved`));
        });
        const outcome = await scene.call('insert', { path, insert_line: 1, new_str: 'two\n' });
        assert.equal(reasonOf(outcome), 'file_not_found');
        assert.equal(readFileSync(join(directory, 'sub/f.txt'), 'utf8'), 'one\n');
        mend();
      }
    }));
});

describe('a link that is deleted with the hash of its file', () => {
  it('stays if the file has changed by then', () =>
    withDirectory({ 'f.txt': 'one\n' }, async (directory) => {
      symlinkSync('f.txt', join(directory, 'link'));
      const scene = new StorageScene(directory);
      const changed = new Meanwhile(Phase.claimed, () => {
        replace(join(directory, 'f.txt'), 'two\n');
      });
      const expected_hash = hashOf(Buffer.from('one\n'));
      const outcome = await scene.call('delete', { path: 'link', expected_hash }, { progress: changed });
      assert.equal(reasonOf(outcome), 'conflict');
      assert.ok(lstatSync(join(directory, 'link')).isSymbolicLink());
    }));
});

describe('the placeholder of a rename', () => {
  it('does not exist for a path through it, nor for a link', () =>
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
  it('is locked until the file is in it, so it is not deleted as empty', () =>
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

describe('a umask that removes rights of the owner', () => {
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
  it('are removed there, even if another call has begun in the new one', () =>
    withDirectory({}, async (parent) => {
      const directory = join(parent, 'work');
      mkdirSync(directory);
      const scene = new StorageScene(directory, { durability: 'full' });
      before('openSync', (at) => {
        // By now, the directories have been made.
        if (!String(at).endsWith('.tmp')) return;
        renameSync(directory, join(parent, 'moved'));
        mkdirSync(directory);
        scene.workspace.root.refresh();
      });
      const outcome = await scene.call('create', { path: 'new/sub/f.txt', content: 'x', encoding: 'utf-8' });
      assert.equal(outcome.ok, false);
      assert.deepEqual(readdirSync(join(parent, 'moved')), ['.file-editor']);
    }));
});

describe('a directory that changes while it is read', () => {
  /** The first reads miss an entry that was replaced during the read, as on btrfs and tmpfs. */
  function missed(directory: string, name: string, meanwhile: () => void): void {
    let reads = 0;
    instead('readdirSync', (read, ...args) => {
      const names = read(...args);
      if (++reads > 1) return names;
      meanwhile();
      return (names as Dirent[]).filter((entry) => entry.name !== name);
    });
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
        mend();
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

describe('a file whose deletion fails at first', () => {
  it('stays if another file has replaced it', () =>
    withDirectory({ 'f.txt': 'old\n' }, async (directory) => {
      const path = join(directory, 'f.txt');
      const scene = new StorageScene(directory);
      let attempts = 0;
      failing('unlinkSync', 'EBUSY', (at) => {
        if (!String(at).endsWith('f.txt') || ++attempts > 1) return false;
        replace(path, 'saved by an editor');
        return true;
      });
      assert.equal(reasonOf(await scene.call('delete', { path: 'f.txt' })), 'conflict');
      assert.equal(readFileSync(path, 'utf8'), 'saved by an editor');
    }));
});

describe('a file that a program has truncated before writing it', () => {
  /** @returns the file content after an edit in between */
  const saved = async (directory: string): Promise<string> => {
    const path = join(directory, 'f.txt');
    const scene = new StorageScene(directory);
    const { fstatSync: lookAt } = fs;
    let looks = 0;
    instead('fstatSync', (look, fd, options) => {
      if (!lookAt(fd).isFile()) return look(fd, options);
      looks++;
      if (looks === 1) writeFileSync(path, '');
      const stats = look(fd, options);
      if (looks === 4) writeFileSync(path, 'saved\n');
      return stats;
    });
    await scene.call('insert', { path: 'f.txt', insert_line: 1, new_str: 'edited\n' });
    mend();
    return readFileSync(path, 'utf8');
  };

  it('is waited for briefly', () =>
    withDirectory({ 'f.txt': 'old\n' }, async (directory) => {
      // On a busy machine, that moment may be over before the check.
      for (let attempt = 0; attempt < 5; attempt++) {
        if ((await saved(directory)) === 'edited\nsaved\n') return;
      }
      assert.fail('the edit never waited');
    }));
});
