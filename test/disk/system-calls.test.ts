/** System calls that fail after they succeeded, or report a success that did not happen. */
import assert from 'node:assert/strict';
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { OperationError } from '../../src/core/errors.js';
import { withDirectory, writeFinished } from '../directory.js';
import { after, before, counting, failing, instead, losingReply, mend, systemError } from '../faults.js';
import { resultOf, StorageScene } from '../operations/storage-scene.js';
import { temporaryFiles } from '../reliability/server.js';
import { GroupScene } from '../commit/group-scene.js';

/** Append a line. @returns the kind of failure, or `done` */
async function append(scene: GroupScene): Promise<string> {
  try {
    await scene.run([{ append: 'new' }]);
    return 'done';
  } catch (error) {
    assert.ok(error instanceof OperationError);
    return error.kind;
  }
}

describe('an error of close', () => {
  it('fails neither the edit, which is done, nor the thread', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new GroupScene(directory, 'a.txt', { durability: 'full' });
      assert.equal(await append(scene), 'done');
      await setImmediate();
      const closed = counting('closeSync');
      losingReply('closeSync', 'EIO');
      const { notices } = await scene.run([{ append: 'new' }]);
      // The source file is closed after the answer.
      await setImmediate();
      await setImmediate();
      // One more if the bytes were compared, as for a file just written.
      assert.ok(closed() >= 2);
      assert.equal(scene.text, 'old\nnew\nnew\n');
      assert.deepEqual(notices, ['A file could not be closed: EIO', 'A lock could not be released: EIO']);
    }));
});

describe('a change that succeeded but is reported as failed', () => {
  // If a rename was interrupted after it succeeded, libuv retries it and gets ENOENT.
  for (const code of ['EIO', 'ENOENT', 'EACCES']) {
    it(`is a completed edit: ${code}`, () =>
      withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
        const scene = new GroupScene(directory, 'a.txt', { durability: 'full' });
        losingReply('renameSync', code);
        const { answer, notices } = await scene.run([{ append: 'new' }]);
        assert.equal(answer[0]?.ok, true);
        assert.equal(scene.text, 'old\nnew\n');
        assert.deepEqual(notices, [`A change was reported as failed but carried out: ${code}`]);
        assert.deepEqual(temporaryFiles(directory), []);
      }));
  }

  it('may be the creation of a file', () =>
    withDirectory({}, async (directory) => {
      const scene = new GroupScene(directory);
      losingReply('linkSync', 'EIO');
      const { answer } = await scene.run([{ append: 'new', create_if_missing: true }]);
      assert.equal(answer[0]?.ok, true);
      assert.equal(scene.text, 'new\n');
      assert.deepEqual(temporaryFiles(directory), []);
    }));

  it('may be a rename, without a placeholder', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new StorageScene(directory);
      losingReply('renameSync', 'EIO');
      resultOf(await scene.call('rename', { old_path: 'a.txt', new_path: 'b.txt' }));
      assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'b.txt']);
      assert.deepEqual(scene.notices, ['A change was reported as failed but carried out: EIO']);
    }));
});

/** Like FUSE and network file systems that lose the reply. `carriedOut` does the work. */
function losesRename(carriedOut: (from: string, to: string) => void, code = 'EIO'): void {
  instead('renameSync', (_rename, from, to) => {
    carriedOut(String(from), String(to));
    throw systemError(code);
  });
}

/** From now on, every directory is on a file system of this type. */
function isOn(type: keyof typeof types): void {
  instead('statfsSync', () => ({ type: types[type] }));
}

/** From now on, stat returns what was known of a file. */
function stillShows(path: string): void {
  const known = fs.lstatSync(path, { bigint: true });
  instead('lstatSync', (look, at, options) => (String(at).endsWith(`/${basename(path)}`) ? known : look(at, options)));
}

const types = { FUSE: 0x65735546, ext4: 0xef53 };
const onLinux = process.platform === 'linux';

describe('a file system that gives a file a new inode number each time', () => {
  const renamed = (from: string, to: string): void => {
    fs.unlinkSync(to);
    fs.copyFileSync(from, to);
    fs.unlinkSync(from);
  };

  it('has made the edit whose bytes are there', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new GroupScene(directory);
      losesRename(renamed);
      assert.equal(await append(scene), 'done');
      assert.equal(scene.text, 'old\nnew\n');
    }));

  it('has made a rename that left nothing at the old name', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new StorageScene(directory);
      isOn('FUSE');
      losesRename(renamed);
      resultOf(await scene.call('rename', { old_path: 'a.txt', new_path: 'b.txt' }));
      assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'b.txt']);
    }));
});

describe('a file system that fails before it replies', () => {
  /** After the rename, every stat fails. */
  const disappears = (): void => {
    isOn('FUSE');
    after('renameSync', () => {
      failing('lstatSync', 'ENOTCONN');
      failing('openSync', 'ENOTCONN');
      throw systemError('ECONNABORTED');
    });
  };

  it('leaves the outcome of an edit unknown: the answer says so, and a group is not retried', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new GroupScene(directory);
      disappears();
      const { answer } = await scene.run([{ append: 'one' }, { append: 'two' }]);
      for (const each of answer) {
        assert.ok(each.ok === false);
        assert.deepEqual(each.data, { applied: 'unknown', errno: 'ECONNABORTED' });
      }
      mend();
      assert.equal(scene.text, 'old\none\ntwo\n');
    }));

  it('leaves the outcome of a rename unknown', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new StorageScene(directory);
      disappears();
      const outcome = await scene.call('rename', { old_path: 'a.txt', new_path: 'b.txt' });
      assert.ok(!outcome.ok);
      assert.equal(outcome.data?.applied, 'unknown');
    }));
});

describe('the type of a file system', { skip: !onLinux }, () => {
  it('is queried once for all edits on that of the working directory', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const asked = counting('statfsSync');
      const scene = new GroupScene(directory);
      for (let edit = 0; edit < 3; edit++) assert.equal(await append(scene), 'done');
      assert.equal(asked(), 1);
    }));

  it('is queried for every edit on any other mount, since it can change', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const asked = counting('statfsSync');
      for (const call of ['fstatSync', 'lstatSync'] as const) {
        instead(call, (look, ...args) => {
          const stats = look(...args) as fs.BigIntStats | undefined;
          if (stats?.isFile() === true) stats.dev += 1n;
          return stats;
        });
      }
      const scene = new GroupScene(directory);
      for (let edit = 0; edit < 3; edit++) assert.equal(await append(scene), 'done');
      assert.equal(asked(), 3);
    }));
});

describe('a file system with a stale cache', { skip: !onLinux }, () => {
  /** While sshfs caches, 20 s, stat and an open file show the old state. */
  const remembers = (directory: string, path: string): void => {
    isOn('FUSE');
    stillShows(path);
    const copy = join(directory, '.copy');
    fs.copyFileSync(path, copy);
    instead('openSync', (open, at, flags, mode) =>
      open(String(at).endsWith('/a.txt') && (Number(flags) & fs.constants.O_CREAT) === 0 ? copy : at, flags, mode),
    );
  };

  it('is not believed that a group of edits was not made', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new GroupScene(directory);
      const { renameSync } = fs;
      const path = join(directory, 'a.txt');
      losesRename((from, to) => {
        remembers(directory, path);
        renameSync(from, to);
      });
      const { answer } = await scene.run([{ append: 'one' }, { append: 'two' }]);
      mend();
      for (const each of answer) {
        assert.ok(each.ok === false);
        assert.equal(each.data?.applied, 'unknown');
      }
      assert.equal(scene.text, 'old\none\ntwo\n');
    }));

  for (const after of ['none', 'create', 'rename'] as const) {
    it(`is not believed that a placeholder exists where the moved file may be: ${after}`, () =>
      withDirectory({ 'a.txt': 'old\n', 'c.txt': 'other\n' }, async (directory) => {
        const scene = new StorageScene(directory);
        isOn('FUSE');
        const { renameSync } = fs;
        losesRename((from, to) => {
          stillShows(to);
          const text = fs.readlinkSync(to);
          instead('readlinkSync', (read, path) => (String(path).endsWith('/b.txt') ? text : read(path)));
          renameSync(from, to);
        });
        const outcome = await scene.call('rename', { old_path: 'a.txt', new_path: 'b.txt' });
        assert.ok(!outcome.ok);
        assert.equal(outcome.data?.applied, 'unknown');
        if (after === 'create') await scene.call('create', { path: 'b.txt', content: 'new', encoding: 'utf-8' });
        if (after === 'rename') await scene.call('rename', { old_path: 'c.txt', new_path: 'b.txt' });
        assert.equal(readFileSync(join(directory, 'b.txt'), 'utf8'), 'old\n');
      }));
  }

  it('is not believed that a file exists that a failed replacement has put aside', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new GroupScene(directory);
      losesRename((_from, to) => {
        remembers(directory, join(directory, 'a.txt'));
        fs.unlinkSync(to);
      });
      assert.equal(await append(scene), 'write_failed');
      assert.equal(scene.text, 'old\n');
    }));

  it('opens a file that is replaced between stat and open', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new StorageScene(directory);
      let missed = 0;
      failing('openSync', 'ENOENT', (path) => String(path).endsWith('/a.txt') && missed++ < 3);
      assert.ok((await scene.call('view', { path: 'a.txt' })).ok);
    }));
});

describe('a change that was not carried out', () => {
  it('fails even if another program has written the same bytes, and leaves nothing', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new GroupScene(directory);
      losesRename((_from, to) => {
        writeFileSync(to, 'old\nnew\n');
      });
      assert.equal(await append(scene), 'write_failed');
      assert.deepEqual(temporaryFiles(directory), []);
    }));

  it('is no creation even if another program has created a file with the same bytes', () =>
    withDirectory({}, async (directory) => {
      const scene = new StorageScene(directory);
      before('linkSync', (_from, to) => {
        writeFileSync(to, 'x');
      });
      const outcome = await scene.call('create', { path: 'a.txt', content: 'x', encoding: 'utf-8' });
      assert.ok(!outcome.ok);
      assert.equal(outcome.data?.reason, 'file_exists');
    }));

  it('is none if a directory has replaced the file, which is then looked at again', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new GroupScene(directory);
      before('renameSync', (_from, to) => {
        fs.unlinkSync(to);
        mkdirSync(to);
      });
      assert.equal(await append(scene), 'not_a_regular_file');
      assert.deepEqual(temporaryFiles(directory), []);
    }));
});

describe('a file that is put back', { skip: !onLinux }, () => {
  for (const [call, code] of [
    ['fchmodSync', 'EIO'],
    ['fchmodSync', 'EPERM'],
    ['fsyncSync', 'EIO'],
  ] as const) {
    it(`stays although not all its metadata can be restored, and the answer says so: ${call}, ${code}`, () =>
      withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
        const scene = new GroupScene(directory);
        isOn('FUSE');
        losesRename((_from, to) => {
          fs.unlinkSync(to);
          failing(call, code);
        });
        assert.equal(await append(scene), 'internal');
        assert.equal(scene.text, 'old\n');
      }));
  }
});

describe('a file system that puts open files aside before it replaces them', { skip: !onLinux }, () => {
  const isOpen = (path: string): boolean =>
    readdirSync('/proc/self/fd').some((fd) => {
      try {
        return fs.readlinkSync(`/proc/self/fd/${fd}`) === path;
      } catch {
        return false;
      }
    });

  for (const [type, open] of [
    ['FUSE', false],
    ['ext4', true],
  ] as const) {
    it(`receives a file that this process has ${open ? 'still' : 'no longer'} open: ${type}`, () =>
      withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
        isOn(type);
        const scene = new GroupScene(directory);
        // The first edit makes the reserved directory; the next may have opened the file before it had the lock.
        assert.equal(await append(scene), 'done');
        const seen: boolean[] = [];
        before('renameSync', () => seen.push(isOpen(join(directory, 'a.txt'))));
        assert.equal(await append(scene), 'done');
        assert.deepEqual(seen, [open]);
        assert.equal(scene.text, 'old\nnew\nnew\n');
      }));
  }

  it('receives a file in a directory closed, though it was opened once more before its lock', () =>
    withDirectory({}, async (directory) => {
      const path = join(directory, 'sub', 'a.txt');
      mkdirSync(join(directory, 'sub'));
      writeFinished(path, 'old\n');
      const scene = new StorageScene(directory);
      isOn('FUSE');
      const seen: boolean[] = [];
      before('renameSync', () => seen.push(isOpen(path)));
      resultOf(await scene.call('str_replace', { path: 'sub/a.txt', old_str: 'old', new_str: 'new' }));
      assert.deepEqual(seen, [false]);
    }));

  for (const [type, left] of [
    ['FUSE', 'old\n'],
    ['ext4', undefined],
  ] as const) {
    it(`loses no file whose replacement fails, and restores none that others delete: ${type}`, () =>
      withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
        const path = join(directory, 'a.txt');
        fs.chmodSync(path, 0o754);
        const scene = new GroupScene(directory);
        isOn(type);
        losesRename((_from, to) => {
          fs.unlinkSync(to);
        });
        assert.equal(await append(scene), 'write_failed');
        assert.equal(existsSync(path) ? readFileSync(path, 'utf8') : undefined, left);
        if (left !== undefined) assert.equal(fs.statSync(path).mode & 0o777, 0o754);
        assert.deepEqual(temporaryFiles(directory), []);
      }));
  }
});

describe('a call that loses only its reply', () => {
  for (const [call, path] of [
    ['unlinkSync', 'a.txt'],
    ['rmdirSync', 'sub'],
  ] as const) {
    it(`has deleted what it claims not to have deleted: ${call}`, () =>
      withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
        mkdirSync(join(directory, 'sub'));
        const scene = new StorageScene(directory);
        losingReply(call, 'EIO', (...args) => /(a\.txt|sub)$/.test(String(args[0])));
        assert.deepEqual(resultOf(await scene.call('delete', { path })), { success: true, path });
        assert.equal(existsSync(join(directory, path)), false);
        assert.deepEqual(scene.notices, ['A deletion was reported as failed but carried out: EIO']);
      }));
  }

  it('has deleted a file that the system still shows from its cache', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new StorageScene(directory);
      const path = join(directory, 'a.txt');
      let attempts = 0;
      stillShows(path);
      losingReply('unlinkSync', 'ESTALE', (name) => String(name).endsWith('/a.txt') && attempts++ === 0);
      assert.deepEqual(resultOf(await scene.call('delete', { path: 'a.txt' })), { success: true, path: 'a.txt' });
      assert.equal(attempts, 1);
      assert.equal(existsSync(path), false);
    }));

  it('has deleted a file, and not the next one of that name', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new StorageScene(directory);
      let lost = 0;
      losingReply('unlinkSync', 'ESTALE', (path) => {
        if (!String(path).endsWith('a.txt') || lost++ > 0) return false;
        writeFileSync(join(directory, 'a.txt'), 'by another program');
        return true;
      });
      // The second file may have the inode number of the first; then they are indistinguishable, and nothing is
      // deleted.
      await scene.call('delete', { path: 'a.txt' });
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'by another program');
    }));

  it('has made the directories of a new file', () =>
    withDirectory({}, async (directory) => {
      const scene = new StorageScene(directory);
      losingReply('mkdirSync', 'EIO', (made) => String(made).endsWith('new'));
      resultOf(await scene.call('create', { path: 'new/a.txt', content: 'x', encoding: 'utf-8' }));
      assert.deepEqual(readdirSync(join(directory, 'new')), ['a.txt']);
      assert.deepEqual(scene.notices, ['A directory was reported as not made but is there: EIO']);
    }));

  it('has made the placeholder of a rename', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new StorageScene(directory);
      losingReply('symlinkSync', 'EIO', (_text, made) => String(made).endsWith('b.txt'));
      resultOf(await scene.call('rename', { old_path: 'a.txt', new_path: 'b.txt' }));
      assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'b.txt']);
    }));

  for (const [code, outcome] of [
    ['ESTALE', 'done'],
    ['EIO', 'write_failed'],
  ] as const) {
    it(`leaves no temporary file: ${code}`, () =>
      withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
        const scene = new GroupScene(directory);
        let lost = false;
        instead('openSync', (open, path, flags, mode) => {
          const fd = open(path, flags, mode);
          if (lost || !String(path).endsWith('.tmp')) return fd;
          lost = true;
          fs.closeSync(Number(fd));
          throw systemError(code);
        });
        assert.equal(await append(scene), outcome);
        assert.deepEqual(temporaryFiles(directory), []);
      }));
  }
});

describe('a file that is replaced during an edit', () => {
  // A socket or a device when the bytes are compared, a directory when the file is renamed into place.
  for (const [name, code, from] of [
    ['openSync', 'ENXIO', 1],
    ['openSync', 'ENODEV', 1],
    ['renameSync', 'EISDIR', 0],
  ] as const) {
    it(`is looked at again: ${code}`, () =>
      withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
        const scene = new GroupScene(directory);
        let calls = 0;
        failing(
          name,
          code,
          (...args) => String(args[name === 'openSync' ? 0 : 1]).endsWith('/a.txt') && calls++ === from,
        );
        assert.equal(await append(scene), 'done');
        assert.equal(scene.text, 'old\nnew\n');
        assert.deepEqual(temporaryFiles(directory), []);
      }));
  }
});

describe('a disk that is full when the reserved directory is made', () => {
  it('does not prevent deletion: the .gitignore is written later', () =>
    withDirectory({ 'a.txt': 'old\n', 'b.txt': 'old\n' }, async (directory) => {
      const ignored = join(directory, '.file-editor/.gitignore');
      failing('writeSync', 'ENOSPC');
      const scene = new StorageScene(directory);
      resultOf(await scene.call('delete', { path: 'a.txt' }));
      assert.equal(existsSync(join(directory, 'a.txt')), false);
      assert.equal(readFileSync(ignored, 'utf8'), '');
      mend();
      resultOf(await scene.call('delete', { path: 'b.txt' }));
      assert.equal(readFileSync(ignored, 'utf8'), '*\n');
    }));
});

describe('a write that reports more bytes than it wrote', () => {
  it('shows in the file size, and the old file is not replaced', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new GroupScene(directory);
      assert.equal(await append(scene), 'done');
      let writes = 0;
      instead('writeSync', (write, ...args) => (writes++ > 0 ? write(...args) : 2));
      assert.equal(await append(scene), 'write_failed');
      assert.equal(scene.text, 'old\nnew\n');
      assert.deepEqual(temporaryFiles(directory), []);
    }));
});

describe('a read that ends before the file does', () => {
  it('yields no text to write back', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new GroupScene(directory);
      instead('readSync', () => 0);
      await assert.rejects(scene.run([{ append: 'new' }]), { code: 'EIO' });
      assert.equal(scene.text, 'old\n');
    }));

  it('is retried once, immediately', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new GroupScene(directory);
      let reads = 0;
      instead('readSync', (read, ...args) => (reads++ > 0 ? read(...args) : 0));
      assert.equal(await append(scene), 'done');
      assert.equal(scene.text, 'old\nnew\n');
    }));
});

describe('a new directory that cannot be synced', () => {
  for (const [operation, params] of [
    ['create', { path: 'a/b/c.txt', content: 'new', encoding: 'utf-8' }],
    ['rename', { old_path: 'x.txt', new_path: 'a/b/c.txt' }],
  ] as const) {
    it(`is removed again by ${operation}, which is refused`, () =>
      withDirectory({ 'x.txt': 'old\n' }, async (directory) => {
        const scene = new StorageScene(directory, { durability: 'full' });
        assert.ok((await scene.call('create', { path: 'y.txt', content: '', encoding: 'utf-8' })).ok);
        failing('fsyncSync', 'EIO');
        const outcome = await scene.call(operation, params);
        assert.ok(!outcome.ok && outcome.data?.applied === undefined);
        assert.equal(existsSync(join(directory, 'a')), false);
        assert.equal(readFileSync(join(directory, 'x.txt'), 'utf8'), 'old\n');
        assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'x.txt', 'y.txt']);
      }));
  }
});
