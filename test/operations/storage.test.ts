/** Storage tools under interference; effects of a single call are in the lists of cases. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Outcome } from '../../src/core/errors.js';
import { tryFileLock } from '../../workers/disk/lock/lock.js';
import { Progress } from '../../workers/progress.js';
import { Phase } from '../../src/core/thread/task.js';
import { withDirectory } from '../directory.js';
import { after, before, failing, instead, mend } from '../faults.js';
import { Meanwhile } from './meanwhile.js';
import { StorageScene } from './storage-scene.js';

const reasonOf = (outcome: Outcome): unknown => (outcome.ok ? 'done' : outcome.data?.reason);
const moving = '.file-editor/moving/here';

/** Becomes cancelled after the given number of checks. */
class CancelledAfter extends Progress {
  constructor(private looks: number) {
    super(new Int32Array(new SharedArrayBuffer(4)), 0);
  }

  override get cancelled(): boolean {
    return this.looks-- <= 0;
  }
}

const create = (path: string): { path: string; content: string; encoding: 'utf-8' } => ({
  path,
  content: 'new',
  encoding: 'utf-8',
});

describe('write', () => {
  it('finds the file that another program makes at the last moment, leaves it and tells its hash', () =>
    withDirectory({}, async (directory) => {
      const scene = new StorageScene(directory);
      const progress = new Meanwhile(Phase.claimed, () => {
        writeFileSync(join(directory, 'a/b.txt'), 'theirs');
      });
      const outcome = await scene.call('write', { path: 'a/b.txt', content: 'new' }, { progress });
      assert.equal(reasonOf(outcome), 'file_exists');
      assert.ok(!outcome.ok && outcome.data?.current_hash !== undefined);
      assert.equal(readFileSync(join(directory, 'a/b.txt'), 'utf8'), 'theirs');
      const { current_hash: expected_hash } = outcome.data;
      assert.equal(reasonOf(await scene.call('write', { path: 'a/b.txt', content: 'new', expected_hash })), 'done');
      assert.equal(readFileSync(join(directory, 'a/b.txt'), 'utf8'), 'new');
    }));

  it('lets the first of two writers that have seen one version replace it, and refuses the other', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      const scene = new StorageScene(directory);
      const refused = await scene.call('write', { path: 'a.txt', content: '' });
      assert.ok(!refused.ok && refused.data?.current_hash !== undefined);
      const { current_hash: expected_hash } = refused.data;
      const outcomes = await Promise.all(
        ['one', 'two'].map((content) => scene.call('write', { path: 'a.txt', content, expected_hash })),
      );
      const reasons = outcomes.map(reasonOf);
      assert.deepEqual(reasons.toSorted(), ['conflict', 'done']);
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), reasons[0] === 'done' ? 'one' : 'two');
    }));

  it('keeps the mode of a file, and does not rewrite one that has the content already', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      const path = join(directory, 'a.txt');
      chmodSync(path, 0o640);
      const scene = new StorageScene(directory);
      const write = { path: 'a.txt', content: '/w==', encoding: 'base64', expected_hash: '*' } as const;
      assert.equal(reasonOf(await scene.call('write', write)), 'done');
      const { mode, ino } = statSync(path);
      assert.equal(mode & 0o777, 0o640);
      assert.equal(reasonOf(await scene.call('write', write)), 'done');
      assert.equal(statSync(path).ino, ino);
    }));

  it('removes the directories that it made if cancelled', () =>
    withDirectory({}, async (directory) => {
      const scene = new StorageScene(directory);
      const progress = new Meanwhile(Phase.claimed, () => undefined, true);
      assert.equal(reasonOf(await scene.call('write', { path: 'new/b.txt', content: 'new' }, { progress })), 'busy');
      assert.deepEqual(readdirSync(directory), ['.file-editor']);
    }));
});

describe('create', () => {
  it('recreates directories that another program removes in between', () =>
    withDirectory({}, async (directory) => {
      const scene = new StorageScene(directory);
      const progress = new Meanwhile(Phase.claimed, () => {
        rmSync(join(directory, 'a'), { recursive: true });
      });
      assert.equal(reasonOf(await scene.call('create', create('a/b/c.txt'), { progress })), 'done');
      assert.equal(readFileSync(join(directory, 'a/b/c.txt'), 'utf8'), 'new');
    }));

  it('finds the file that another program makes at the last moment, and leaves it', () =>
    withDirectory({}, async (directory) => {
      const scene = new StorageScene(directory);
      const progress = new Meanwhile(Phase.claimed, () => {
        writeFileSync(join(directory, 'a/b.txt'), 'theirs');
      });
      assert.equal(reasonOf(await scene.call('create', create('a/b.txt'), { progress })), 'file_exists');
      assert.equal(readFileSync(join(directory, 'a/b.txt'), 'utf8'), 'theirs');
    }));

  it('removes the directories that it made if cancelled, unless they hold something', () =>
    withDirectory({}, async (directory) => {
      const scene = new StorageScene(directory);
      const nothing = (): void => undefined;
      const cancelled = await scene.call('create', create('a/b/c.txt'), {
        progress: new Meanwhile(Phase.claimed, nothing, true),
      });
      assert.equal(reasonOf(cancelled), 'busy');
      assert.equal(existsSync(join(directory, 'a')), false);
      const used = new Meanwhile(Phase.claimed, () => writeFileSync(join(directory, 'a/theirs.txt'), ''), true);
      await scene.call('create', create('a/b/c.txt'), { progress: used });
      assert.deepEqual(readdirSync(join(directory, 'a')), ['theirs.txt']);
    }));

  it('does not remove a directory that replaced one that it made', () =>
    withDirectory({}, async (directory) => {
      const scene = new StorageScene(directory);
      const progress = new Meanwhile(
        Phase.claimed,
        () => {
          renameSync(join(directory, 'a'), join(directory, 'b'));
          mkdirSync(join(directory, 'a'));
        },
        true,
      );
      await scene.call('create', create('a/c.txt'), { progress });
      assert.deepEqual([existsSync(join(directory, 'a')), existsSync(join(directory, 'b'))], [true, true]);
    }));

  it(
    'gives a new file the group of its directory, if that is inherited',
    { skip: process.platform !== 'linux' || process.getuid?.() !== 0 },
    () =>
      withDirectory({ 'shared/old.txt': '', 'plain/old.txt': '' }, async (directory) => {
        chownSync(join(directory, 'shared'), 0, 1001);
        chmodSync(join(directory, 'shared'), 0o2775);
        const scene = new StorageScene(directory);
        const groups: number[] = [];
        for (const path of ['b.txt', 'shared/b.txt', 'plain/b.txt', 'shared/made/b.txt']) {
          assert.equal(reasonOf(await scene.call('create', create(path))), 'done');
          groups.push(statSync(join(directory, path)).gid);
        }
        const own = process.getegid?.();
        assert.deepEqual(groups, [own, 1001, own, 1001]);
      }),
  );

  it('keeps what is written if it could not be synced, and says so', () =>
    withDirectory({}, async (directory) => {
      const scene = new StorageScene(directory, { durability: 'full' });
      await scene.call('create', create('sub/first.txt'));
      let syncs = 0;
      // First the file, then its directory.
      failing('fsyncSync', 'EIO', () => ++syncs === 2);
      const outcome = await scene.call('create', create('sub/second.txt'));
      mend();
      assert.ok(!outcome.ok);
      assert.deepEqual(outcome.data, { applied: true, errno: 'EIO', reason: 'io_error', path: 'sub/second.txt' });
      assert.equal(readFileSync(join(directory, 'sub/second.txt'), 'utf8'), 'new');
    }));
});

describe('rename', () => {
  it('starts again if the file is replaced at the last moment', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      const scene = new StorageScene(directory);
      const progress = new Meanwhile(Phase.claimed, () => {
        writeFileSync(join(directory, 'other'), 'newer');
        renameSync(join(directory, 'other'), join(directory, 'a.txt'));
      });
      const params = { old_path: 'a.txt', new_path: 'b.txt' };
      assert.equal(reasonOf(await scene.call('rename', params, { progress })), 'done');
      assert.equal(readFileSync(join(directory, 'b.txt'), 'utf8'), 'newer');
    }));

  it('reports the file as gone if it vanishes at the last moment', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      const scene = new StorageScene(directory);
      const progress = new Meanwhile(Phase.claimed, () => unlinkSync(join(directory, 'a.txt')));
      const params = { old_path: 'a.txt', new_path: 'new/b.txt' };
      assert.equal(reasonOf(await scene.call('rename', params, { progress })), 'file_not_found');
      assert.deepEqual(readdirSync(directory), ['.file-editor']);
    }));

  for (const what of ['a file', 'a directory', 'an empty directory'] as const) {
    it(`leaves ${what} that another program makes at the last moment, and its own file in place`, () =>
      withDirectory({ 'a.txt': 'old', 'dir/a.txt': 'old' }, async (directory) => {
        for (const old_path of ['a.txt', 'dir']) {
          const scene = new StorageScene(directory);
          const target = join(directory, 'b', 'there');
          const progress = new Meanwhile(Phase.claimed, () => {
            if (what === 'a file') writeFileSync(target, 'theirs');
            else mkdirSync(target);
            if (what === 'a directory') writeFileSync(join(target, 'x'), 'theirs');
          });
          const params = { old_path, new_path: 'b/there' };
          assert.equal(reasonOf(await scene.call('rename', params, { progress })), 'file_exists');
          assert.equal(lstatSync(target).isDirectory(), what !== 'a file');
          assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'old');
          assert.equal(readFileSync(join(directory, 'dir/a.txt'), 'utf8'), 'old');
          rmSync(join(directory, 'b'), { recursive: true });
        }
      }));
  }

  it('gives up the name and the directories that it made if it fails', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      const scene = new StorageScene(directory);
      for (const [errno, reason] of [
        ['EIO', 'io_error'],
        ['EXDEV', 'io_error'],
        ['EACCES', 'permission_denied'],
      ] as const) {
        failing('renameSync', errno);
        const outcome = await scene.call('rename', { old_path: 'a.txt', new_path: 'new/b.txt' });
        mend();
        // Without a better name, a system error becomes one of the thread (workers/main.ts).
        assert.ok(reasonOf(outcome) === reason || (!outcome.ok && outcome.cause?.includes(errno) === true), errno);
        assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'a.txt'], errno);
      }
    }));

  it('says why it failed, and logs a placeholder that cannot be removed', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      const scene = new StorageScene(directory);
      failing('unlinkSync', 'EPERM');
      failing('renameSync', 'EIO');
      const outcome = await scene.call('rename', { old_path: 'a.txt', new_path: 'b.txt' });
      mend();
      assert.ok(!outcome.ok && outcome.cause?.includes('EIO') === true, JSON.stringify(outcome));
      assert.equal(readlinkSync(join(directory, 'b.txt')), moving);
      unlinkSync(join(directory, 'b.txt'));
    }));

  it('gives advice if the file system cannot move it', () =>
    withDirectory({ 'a.txt': 'old', 'dir/b.txt': '' }, async (directory) => {
      const scene = new StorageScene(directory);
      for (const [old_path, advice] of [
        ['a.txt', /'new' is on another file system than 'a.txt'.*Create the file at its new path/s],
        ['dir', /cannot move the directory 'dir'.*Rename its files one by one/s],
      ] as const) {
        failing('renameSync', 'EXDEV');
        const outcome = await scene.call('rename', { old_path, new_path: 'new' });
        mend();
        assert.ok(!outcome.ok);
        assert.match(`${outcome.message} ${outcome.details}`, advice);
      }
    }));

  it("reports only the rename's own paths from a system error", () =>
    withDirectory({ 'a.txt': 'old', 'dir/b.txt': '' }, async (directory) => {
      const scene = new StorageScene(directory);
      const said = async (call: 'renameSync' | 'mkdirSync', old_path: string, errno: string): Promise<unknown> => {
        failing(call, errno);
        const outcome = await scene.call('rename', { old_path, new_path: 'new/b.txt' });
        mend();
        assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'a.txt', 'dir'], errno);
        return !outcome.ok && outcome.cause?.includes(errno) === true ? 'error of the system' : reasonOf(outcome);
      };
      for (const [errno, ofFile, ofDirectory] of [
        ['ENOTEMPTY', 'file_exists', 'file_exists'],
        ['ENOTDIR', 'file_exists', 'file_exists'],
        ['EISDIR', 'file_exists', 'file_exists'],
        // A name that the file system cannot store.
        ['EINVAL', 'error of the system', 'invalid_params'],
      ] as const) {
        assert.equal(await said('renameSync', 'a.txt', errno), ofFile, errno);
        assert.equal(await said('renameSync', 'dir', errno), ofDirectory, errno);
        for (const path of ['a.txt', 'dir']) {
          assert.equal(await said('mkdirSync', path, errno), 'error of the system', errno);
        }
      }
    }));

  it('does not mistake its own placeholder for a file if it cannot read it, and says what is wrong', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      const scene = new StorageScene(directory);
      assert.ok((await scene.call('view', { path: '' })).ok);
      failing('readlinkSync', 'EIO');
      const outcome = await scene.call('rename', { old_path: 'a.txt', new_path: 'b.txt' });
      mend();
      assert.ok(!outcome.ok && outcome.cause?.includes('EIO') === true, String(reasonOf(outcome)));
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'old');
      // The placeholder that it had to leave blocks nothing.
      const again = await scene.call('rename', { old_path: 'a.txt', new_path: 'b.txt' });
      assert.equal(reasonOf(again), 'done');
    }));

  it('checks first if no link can be made to hold the name', () =>
    withDirectory({ 'a.txt': 'old', 'b.txt': 'there' }, async (directory) => {
      const scene = new StorageScene(directory);
      failing('symlinkSync', 'EPERM');
      const refused = await scene.call('rename', { old_path: 'a.txt', new_path: 'b.txt' });
      const done = await scene.call('rename', { old_path: 'a.txt', new_path: 'c.txt' });
      mend();
      assert.deepEqual([reasonOf(refused), reasonOf(done)], ['file_exists', 'done']);
      assert.equal(readFileSync(join(directory, 'b.txt'), 'utf8'), 'there');
    }));

  it('does nothing if it is cancelled', () =>
    withDirectory({ 'a.txt': 'old', 'dir/b.txt': '' }, async (directory) => {
      const scene = new StorageScene(directory);
      for (const old_path of ['a.txt', 'dir']) {
        const progress = new Meanwhile(Phase.claimed, () => undefined, true);
        const outcome = await scene.call('rename', { old_path, new_path: 'new/place' }, { progress });
        assert.equal(reasonOf(outcome), 'busy');
      }
      assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'a.txt', 'dir']);
    }));
});

describe('apply_changes', () => {
  it('begins a lone edit again however often another program is faster', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      const scene = new StorageScene(directory, { durability: 'file' });
      let times = 0;
      after('fsyncSync', () => {
        if (times++ < 12) appendFileSync(join(directory, 'a.txt'), 'other\n');
      });
      const changes = [{ path: 'a.txt', edits: [{ old_string: 'one', new_string: 'ONE' }] }];
      const outcome = await scene.call('apply_changes', { changes });
      mend();
      assert.equal(reasonOf(outcome), 'done');
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), `ONE\n${'other\n'.repeat(12)}`);
    }));
});

describe('apply_edits', () => {
  it('starts no further edit once cancelled, so the next call gets the file', () =>
    withDirectory({ 'a.txt': 'one' }, async (directory) => {
      const scene = new StorageScene(directory);
      const edits = ['one', 'missing'].map((old_string) => ({ old_string, new_string: 'two' }));
      const call = (looks: number): Promise<Outcome> =>
        scene.call('apply_edits', { path: 'a.txt', edits }, { progress: new CancelledAfter(looks) });
      assert.deepEqual([reasonOf(await call(2)), reasonOf(await call(1))], ['string_not_found', 'busy']);
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'one');
    }));
});

describe('delete', () => {
  for (const [what, path, replace, wanted] of [
    ['a file that goes', 'a.txt', undefined, 'file_not_found'],
    ['an empty directory that goes', 'empty', undefined, 'file_not_found'],
    ['a file in whose place a directory comes', 'a.txt', mkdirSync, 'conflict'],
    ['a directory in whose place a file comes', 'empty', (at: string) => writeFileSync(at, ''), 'conflict'],
  ] as const) {
    it(`reports ${what} at the last moment`, () =>
      withDirectory({ 'a.txt': 'old' }, async (directory) => {
        mkdirSync(join(directory, 'empty'));
        const progress = new Meanwhile(Phase.claimed, () => {
          rmSync(join(directory, path), { recursive: true });
          replace?.(join(directory, path));
        });
        const outcome = await new StorageScene(directory).call('delete', { path }, { progress });
        assert.equal(reasonOf(outcome), wanted);
      }));
  }

  it('reports a change if the expected version vanishes at the last moment', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      const scene = new StorageScene(directory);
      const viewed = await scene.call('view', { path: 'a.txt' });
      assert.ok(viewed.ok && viewed.hash !== undefined);
      instead('unlinkSync', (unlink, path) => {
        unlink(path);
        unlink(path);
      });
      const outcome = await scene.call('delete', { path: 'a.txt', expected_hash: viewed.hash });
      mend();
      assert.equal(outcome.ok ? 'done' : outcome.kind, 'changed');
    }));

  it('does not remove a version that replaces the expected one at the last moment', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      const scene = new StorageScene(directory);
      const viewed = await scene.call('view', { path: 'a.txt' });
      assert.ok(viewed.ok && viewed.hash !== undefined);
      const progress = new Meanwhile(Phase.claimed, () => writeFileSync(join(directory, 'a.txt'), 'newer'));
      const outcome = await scene.call('delete', { path: 'a.txt', expected_hash: viewed.hash }, { progress });
      assert.equal(reasonOf(outcome), 'conflict');
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'newer');
    }));

  it('takes If-Match as the expected version', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      const scene = new StorageScene(directory);
      const expects = async (precondition: '*' | readonly string[], path = 'a.txt'): Promise<unknown> =>
        reasonOf(await scene.call('delete', { path }, { precondition }));
      assert.equal(await expects(['0000000000000000']), 'conflict');
      assert.equal(await expects('*', 'missing'), 'conflict');
      assert.equal(await expects('*'), 'done');
    }));

  it('takes If-Match: * for any version, even one too large to be read', () =>
    withDirectory({ 'large.txt': 'x'.repeat(2000) }, async (directory) => {
      const scene = new StorageScene(directory, { maxBytes: 1000 });
      const outcome = await scene.call('delete', { path: 'large.txt' }, { precondition: '*' });
      assert.equal(reasonOf(outcome), 'done');
      assert.deepEqual(readdirSync(directory), ['.file-editor']);
    }));

  it('counts a reserved directory that another server uses', () =>
    withDirectory({}, async (directory) => {
      mkdirSync(join(directory, 'sub'));
      const other = new StorageScene(join(directory, 'sub'));
      other.workspace.root.refresh();
      const lock = tryFileLock(other.workspace.reserved, 'a.txt', []);
      assert.ok(lock);
      const scene = new StorageScene(directory);
      const used = await scene.call('delete', { path: 'sub' });
      assert.ok(!used.ok);
      assert.deepEqual([used.data?.reason, used.details.includes('server')], ['directory_not_empty', true]);
      lock.release();
      assert.equal(reasonOf(await scene.call('delete', { path: 'sub' })), 'done');
    }));

  it('counts the target name of a move in progress', () =>
    withDirectory({}, async (directory) => {
      mkdirSync(join(directory, 'sub'));
      symlinkSync(moving, join(directory, 'sub', 'a.txt'));
      const other = new StorageScene(directory);
      other.workspace.root.refresh();
      const lock = tryFileLock(other.workspace.reserved, 'sub/a.txt', []);
      assert.ok(lock);
      const scene = new StorageScene(directory);
      assert.equal(reasonOf(await scene.call('delete', { path: 'sub' })), 'directory_not_empty');
      lock.release();
      assert.equal(reasonOf(await scene.call('delete', { path: 'sub' })), 'done');
    }));

  it('holds no name any more if a placeholder cannot be removed', () =>
    withDirectory({}, async (directory) => {
      mkdirSync(join(directory, 'sub'));
      symlinkSync(moving, join(directory, 'sub', 'a.txt'));
      const scene = new StorageScene(directory);
      failing('unlinkSync', 'EACCES');
      const outcome = await scene.call('delete', { path: 'sub' });
      mend();
      assert.ok(!outcome.ok);
      const other = new StorageScene(directory);
      other.workspace.root.refresh();
      const lock = tryFileLock(other.workspace.reserved, 'sub/a.txt', []);
      assert.ok(lock, 'the lock of the name is free');
      lock.release();
    }));
});

describe('something else under the name of the reserved directory', () => {
  for (const [what, make] of [
    ['a file', (at: string) => writeFileSync(at, '')],
    ['a link', (at: string) => symlinkSync('sub', at)],
  ] as const) {
    it(`must be removed: ${what}`, () =>
      withDirectory({ 'sub/a.txt': 'old' }, async (directory) => {
        make(join(directory, '.file-editor'));
        const outcome = await new StorageScene(directory).call('delete', { path: 'sub/a.txt' });
        assert.ok(!outcome.ok);
        assert.match(
          outcome.details,
          /^Nothing was written.*taken the place of \.file-editor.*: remove it, then retry\.$/,
        );
      }));
  }
});

describe('a name that a killed process was moving to', () => {
  it('is invisible to every tool', () =>
    withDirectory({ 'sub/b.txt': '' }, async (directory) => {
      const scene = new StorageScene(directory);
      symlinkSync(moving, join(directory, 'sub', 'a.txt'));
      const listed = await scene.call('view', { path: 'sub' });
      assert.deepEqual(listed.ok && listed.result['entries'], ['b.txt']);
      const outcomes = [
        await scene.call('view', { path: 'sub/a.txt' }),
        await scene.call('str_replace', { path: 'sub/a.txt', old_str: 'a', new_str: '' }),
        await scene.call('delete', { path: 'sub/a.txt' }),
        await scene.call('rename', { old_path: 'sub/a.txt', new_path: 'c.txt' }),
      ];
      assert.deepEqual(
        outcomes.map(reasonOf),
        Array.from({ length: 4 }, () => 'file_not_found'),
      );
      assert.equal(readlinkSync(join(directory, 'sub', 'a.txt')), moving);
    }));
});

describe('the descriptors of a thread', { skip: process.platform === 'linux' ? false : 'counts them in /proc' }, () => {
  it('are all closed, whatever the outcome of a call', () =>
    withDirectory({ 'sub/deep/a.txt': 'a', 'sub/b.bin': Uint8Array.of(0xff) }, async (directory) => {
      const scene = new StorageScene(directory, { durability: 'full' });
      symlinkSync('sub', join(directory, 'way'));
      symlinkSync('sub/deep/a.txt', join(directory, 'link'));
      symlinkSync('/etc', join(directory, 'out'));
      const paths = ['', 'sub', 'way/deep', 'link', 'way/deep/a.txt', 'sub/b.bin', 'sub/deep/../deep/a.txt', 'sub/..'];
      const missing = ['out', 'out/x', 'no/such', 'sub/x', 'link/x', 'sub/deep/../../no', 'way/../way/x/y/z', 'no/..'];
      const round = async (): Promise<void> => {
        for (const path of [...paths, ...missing]) {
          await scene.call('view', { path });
          await scene.call('str_replace', { path, old_str: 'a', new_str: 'a' });
          await scene.call('insert', { path, insert_line: 99, new_str: '' });
          await scene.call('rename', { old_path: path, new_path: 'out/x' });
          await scene.call('rename', { old_path: path, new_path: 'sub' });
          await scene.call('delete', { path: `${path}/.` });
          await scene.call('delete', { path, expected_hash: 'none' });
        }
        await scene.call('create', create('new/deep/c.txt'));
        await scene.call('create', create('new/deep/c.txt'));
        await scene.call('rename', { old_path: 'new/deep', new_path: 'new/other/place' });
        await scene.call('rename', { old_path: 'new/other/place/c.txt', new_path: 'c.txt' });
        for (const path of ['c.txt', 'new/other/place', 'new/other', 'new']) await scene.call('delete', { path });
      };
      await round();
      const open = (): number => readdirSync('/proc/self/fd').length;
      // Some are closed after the answer (open-file.ts).
      const settled = async (): Promise<number> => {
        for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
        return open();
      };
      const before = await settled();
      for (let times = 0; times < 5; times++) await round();
      assert.equal(await settled(), before);
      assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'link', 'out', 'sub', 'way']);
    }));
});

describe(
  'a directory that is moved out during an operation',
  { skip: process.platform === 'linux' ? false : 'needs /proc' },
  () => {
    const calls = [
      ['create', create('a/new.txt'), 'done'],
      ['str_replace', { path: 'a/b.txt', old_str: 'old', new_str: 'new' }, 'file_not_found'],
      ['delete', { path: 'a/b.txt' }, 'conflict'],
      ['rename', { old_path: 'a/b.txt', new_path: 'c.txt' }, 'file_not_found'],
      ['rename', { old_path: 'd.txt', new_path: 'a/e.txt' }, 'done'],
    ] as const;
    for (const [operation, params, outcome] of calls) {
      it(`takes no part of it along: ${operation} of ${JSON.stringify(params)}`, () =>
        withDirectory({ 'served/a/b.txt': 'old', 'served/d.txt': 'old' }, async (directory) => {
          const served = join(directory, 'served');
          const scene = new StorageScene(served, { durability: 'full' });
          let moved = false;
          // When the directory is opened for its sync, everything else is done.
          before('openSync', (path) => {
            const at = String(path);
            if (moved || !at.endsWith('/.') || readlinkSync(at.slice(0, -2)) !== join(served, 'a')) return;
            moved = true;
            renameSync(join(served, 'a'), join(directory, 'outside'));
          });
          assert.equal(reasonOf(await scene.call(operation, params)), outcome);
          assert.ok(moved);
          assert.deepEqual(readdirSync(join(directory, 'outside')), ['b.txt']);
          assert.equal(readFileSync(join(directory, 'outside/b.txt'), 'utf8'), 'old');
          if (outcome === 'done') assert.equal(readdirSync(join(served, 'a')).length, 1);
        }));
    }
  },
);

describe(
  'an alias of the reserved directory, as on FAT and NTFS',
  { skip: process.getuid?.() === 0 ? false : 'needs root to mount' },
  () => {
    it('is as reserved as the first one', () =>
      withDirectory({ 'a.txt': 'old' }, async (directory) => {
        const scene = new StorageScene(directory);
        assert.equal(reasonOf(await scene.call('insert', { path: 'a.txt', insert_line: 1, new_str: 'new' })), 'done');
        const second = join(directory, 'FILE-E~1');
        mkdirSync(second);
        execFileSync('mount', ['--bind', join(directory, '.file-editor'), second]);
        symlinkSync('FILE-E~1/.gitignore', join(directory, 'link'));
        try {
          const outcomes = [
            await scene.call('view', { path: 'FILE-E~1' }),
            await scene.call('view', { path: 'FILE-E~1/.gitignore' }),
            await scene.call('view', { path: 'link' }),
            await scene.call('create', create('FILE-E~1/new.txt')),
            await scene.call('delete', { path: 'FILE-E~1' }),
            await scene.call('rename', { old_path: 'FILE-E~1', new_path: 'mine' }),
            await scene.call('rename', { old_path: 'a.txt', new_path: 'FILE-E~1/a.txt' }),
          ];
          assert.deepEqual([...new Set(outcomes.map(reasonOf))], ['path_security']);
        } finally {
          execFileSync('umount', [second]);
        }
      }));
  },
);

describe('a text to be changed', () => {
  it('is resolved again if a directory on its path moves before its lock is taken', () =>
    withDirectory({ 'a/sub/log.md': '' }, async (directory) => {
      const scene = new StorageScene(directory);
      const progress = new Meanwhile(Phase.waiting, () => {
        renameSync(join(directory, 'a'), join(directory, 'b'));
      });
      const change = { path: 'a/sub/log.md', insert_line: 1, new_str: 'text' };
      // Its lock is not that of b/sub/log.md, which another call may be changing.
      assert.equal(reasonOf(await scene.call('insert', change, { progress })), 'file_not_found');
      assert.equal(readFileSync(join(directory, 'b/sub/log.md'), 'utf8'), '');
    }));
});
