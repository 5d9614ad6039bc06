import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs, {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { getAttrSync, setAttrSync } from 'fs-native-extensions';
import { OperationError, type Failure, type Notice } from '../../../src/core/errors.js';
import { commitText, type Commit } from '../../../workers/commit/commit.js';
import { openRegular } from '../../../workers/disk/paths/confine.js';
import { assertWritable } from '../../../workers/disk/paths/open-file.js';
import { tryFileLock } from '../../../workers/disk/lock/lock.js';
import { groupBits } from '../../../workers/disk/metadata/attributes.js';
import { Reserved } from '../../../workers/disk/lock/reserved.js';
import { Root, RootMoved } from '../../../workers/disk/paths/root.js';
import { readVersion } from '../../../workers/disk/write/version.js';
import { Phase } from '../../../src/core/thread/task.js';
import { join as joinTexts, leastScattered, type Text } from '../../../workers/text/scattered-text.js';
import { nextTurn } from '../../../workers/turn.js';
import { withDirectory } from '../../directory.js';
import { before, failing, instead, mend, systemError } from '../../faults.js';

const asRoot = process.getuid?.() === 0;

/** Writes as an edit does; `meanwhile` runs after the file has been read. */
async function write(
  directory: string,
  name: string,
  content: string | Text,
  options: {
    meanwhile?: () => void;
    durability?: Commit['setup']['durability'];
    claim?: () => boolean;
    /** Called when other calls of the thread may proceed. */
    letOthersGoOn?: () => void;
    /** Runs slowly while the new text is synced. */
    whileSyncing?: () => void;
    /** Others use it too. */
    root?: Root;
    /** Replaces the lock that is held. */
    isHeld?: () => boolean;
  } = {},
): Promise<Notice[]> {
  const { root = new Root(directory) } = options;
  root.refresh();
  const reserved = new Reserved(root);
  const notices: Notice[] = [];
  const lock = tryFileLock(reserved, name, notices);
  assert.ok(lock);
  const file = openRegular(root, name);
  try {
    const original = file === null ? null : readVersion(file, name, 10_000_000);
    options.meanwhile?.();
    const { claim = () => true, letOthersGoOn = () => undefined } = options;
    const advance = (next: Phase): boolean => {
      if (next === Phase.claimed) return claim();
      letOthersGoOn();
      return true;
    };
    await commitText(
      {
        root,
        reserved,
        setup: { durability: options.durability ?? 'full', umask: 0o022 },
        lock: { ...lock, ...(options.isHeld === undefined ? {} : { isHeld: options.isHeld }) },
        original,
        place: file?.place ?? root.place(name),
        text: typeof content === 'string' ? Buffer.from(content) : content,
        calls: [{ cancelled: false, advance }],
        name,
        notices,
      },
      options.whileSyncing ?? (() => undefined),
    );
  } finally {
    file?.close();
    lock.release();
  }
  return notices;
}

function enospc(): never {
  throw Object.assign(new Error('ENOSPC: made up'), { code: 'ENOSPC' });
}

async function failureOf(action: () => unknown): Promise<Failure> {
  try {
    await action();
  } catch (error) {
    assert.ok(error instanceof OperationError, String(error));
    return error.failure;
  }
  throw new assert.AssertionError({ message: 'nothing was thrown' });
}

/**
 * Version 2, then tag, permissions and id of the owner (1), a user (2), the group (4), the mask (16) and others (32),
 * who have none.
 */
function aclOf(owner: number, user: readonly [id: number, rights: number], group: number, mask: number): Buffer {
  const entries = [
    [1, owner, -1],
    [2, user[1], user[0]],
    [4, group, -1],
    [16, mask, -1],
    [32, 0, -1],
  ] as const;
  const acl = Buffer.alloc(4 + 8 * entries.length);
  acl.writeUInt32LE(2);
  for (const [index, [tag, rights, id]] of entries.entries()) {
    acl.writeUInt16LE(tag, 4 + 8 * index);
    acl.writeUInt16LE(rights, 6 + 8 * index);
    acl.writeInt32LE(id, 8 + 8 * index);
  }
  return acl;
}

const accessAcl = 'system.posix_acl_access';

function setAttribute(path: string, name: string, value: Buffer): void {
  const fd = openSync(path, 'r');
  try {
    setAttrSync(fd, name, value);
  } finally {
    closeSync(fd);
  }
}

function attributeOf(path: string, name: string): Buffer | null {
  const fd = openSync(path, 'r');
  try {
    return getAttrSync(fd, name);
  } finally {
    closeSync(fd);
  }
}

const assertNoLeftovers = (directory: string): void => {
  const left = readdirSync(join(directory, '.file-editor')).filter((name) => name.endsWith('.tmp'));
  assert.deepEqual(left, []);
};

describe('writing a file', () => {
  for (const durability of ['full', 'file', 'none'] as const) {
    it(`replaces or creates it and leaves nothing else (durability ${durability})`, () =>
      withDirectory({ 'a.txt': 'old' }, async (directory) => {
        assert.deepEqual(await write(directory, 'a.txt', 'new', { durability }), []);
        assert.deepEqual(await write(directory, 'b.txt', '', { durability }), []);
        assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'new');
        assert.equal(readFileSync(join(directory, 'b.txt'), 'utf8'), '');
        assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'a.txt', 'b.txt']);
        assertNoLeftovers(directory);
      }));
  }

  it('keeps mode, owner and extended attributes; a new file gets 666 less the umask', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      const path = join(directory, 'a.txt');
      if (asRoot) chownSync(path, 1000, 1001);
      chmodSync(path, 0o6750);
      setAttribute(path, 'user.origin', Buffer.from('kept'));
      await write(directory, 'a.txt', 'new');
      const after = statSync(path);
      assert.equal(after.mode & 0o7777, 0o6750);
      if (asRoot) assert.deepEqual([after.uid, after.gid], [1000, 1001]);
      assert.equal(attributeOf(path, 'user.origin')?.toString(), 'kept');
      await write(directory, 'b.txt', 'new');
      assert.equal(statSync(join(directory, 'b.txt')).mode & 0o7777, 0o644);
    }));

  it('fails if a fault loses the owner, but not if the system refuses to set it', { skip: !asRoot }, () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      const path = join(directory, 'a.txt');
      chownSync(path, 1000, 1001);
      failing('fchownSync', 'EIO');
      assert.equal((await failureOf(() => write(directory, 'a.txt', 'new'))).data?.errno, 'EIO');
      assert.equal(readFileSync(path, 'utf8'), 'old');
      assertNoLeftovers(directory);
    }),
  );

  it('gives the owning group the rights of its ACL entry if the ACL cannot be kept', () => {
    const acl = aclOf(6, [1003, 6], 4, 6);
    assert.equal(groupBits(acl), 0o040);
    assert.equal(groupBits(acl.subarray(0, 12)), 0);
  });

  it('gives the group of the server no rights meant for another group', { skip: !asRoot }, () =>
    withDirectory({ 'a.txt': 'old', 'acl.txt': 'old' }, async (directory) => {
      const acl = aclOf(6, [1003, 6], 4, 6);
      setAttribute(join(directory, 'acl.txt'), accessAcl, acl);
      for (const name of ['a.txt', 'acl.txt']) chownSync(join(directory, name), 0, 1001);
      chmodSync(join(directory, 'a.txt'), 0o664);
      failing('fchownSync', 'EPERM');
      for (const name of ['a.txt', 'acl.txt']) await write(directory, name, 'new');
      // The group of the server keeps what it was allowed before, as one of the others.
      assert.equal(statSync(join(directory, 'a.txt')).mode & 0o777, 0o644);
      const kept = attributeOf(join(directory, 'acl.txt'), accessAcl);
      assert.equal(kept?.readUInt16LE(4 + 8 * 2 + 2), 0, 'the owning group');
      assert.equal(kept.readUInt16LE(4 + 8 + 2), 6, 'somebody else in the ACL');
      assert.equal(statSync(join(directory, 'acl.txt')).mode & 0o777, 0o660, 'the mask');
    }),
  );

  it('names the attributes it cannot keep if there are too many to list, and keeps the ACL', { skip: !asRoot }, () =>
    withDirectory({}, async (directory) => {
      execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', directory]);
      try {
        const path = join(directory, 'a.txt');
        writeFileSync(path, 'old');
        const acl = aclOf(6, [1234, 6], 0, 6);
        for (let number = 0; number < 300; number++)
          setAttribute(path, `user.${String(number).padEnd(240, 'x')}`, Buffer.from('1'));
        setAttribute(path, accessAcl, acl);
        const notices = await write(directory, 'a.txt', 'new');
        assert.deepEqual(
          notices.map(({ errno }) => errno),
          ['E2BIG'],
        );
        assert.deepEqual(attributeOf(path, accessAcl), acl);
      } finally {
        execFileSync('umount', ['-l', directory]);
      }
    }),
  );

  it('grants nobody the rights that the directory gives to its new files', { skip: process.platform !== 'linux' }, () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      const acl = aclOf(7, [1234, 6], 7, 7);
      setAttribute(directory, 'system.posix_acl_default', acl);
      await write(directory, 'a.txt', 'new');
      await write(directory, 'b.txt', 'new');
      for (const name of ['a.txt', 'b.txt']) {
        assert.equal(attributeOf(join(directory, name), accessAcl), null, name);
        assert.equal(statSync(join(directory, name)).mode & 0o777, 0o644);
      }
    }),
  );

  describe('writing a text that is not contiguous', () => {
    const old = Buffer.alloc(leastScattered, 'an old line\n');
    const text = joinTexts([old.subarray(0, 1_000_003), Buffer.from('what is new'), old.subarray(1_000_003)]);
    const wanted = Buffer.concat([old.subarray(0, 1_000_003), Buffer.from('what is new'), old.subarray(1_000_003)]);
    const { writeSync } = fs as { writeSync: (fd: number, bytes: Uint8Array, from: number, count: number) => number };

    /** @param take returns how many of the given bytes the system accepts; `writes` counts them from 1 */
    const writing = (take: (bytes: number, writes: number) => number) => (): void => {
      let writes = 0;
      instead('writeSync', (_write, fd, data, from) => {
        const offset = from ?? 0;
        // Of its overloads, TypeScript sees the last: the one with a string.
        const bytes: unknown = data;
        assert.ok(bytes instanceof Uint8Array);
        return writeSync(fd, bytes, offset, take(bytes.length - offset, ++writes));
      });
    };

    it('is complete, even if the system accepts less than it is given', () =>
      withDirectory({ 'a.txt': old.toString() }, async (directory) => {
        let last = 0;
        const half = (bytes: number, writes: number): number => {
          last = writes;
          return Math.ceil(bytes / 2);
        };
        await write(directory, 'a.txt', text, { meanwhile: writing(half) });
        assert.ok(last > 20);
        assert.ok(readFileSync(join(directory, 'a.txt')).equals(wanted));
      }));

    for (const [name, fail] of [
      ['fails', enospc],
      ['takes nothing', () => 0],
    ] as const) {
      it(`leaves the old file and nothing else if a write in the middle ${name}`, () =>
        withDirectory({ 'a.txt': old.toString() }, async (directory) => {
          const meanwhile = writing((bytes, writes) => (writes === 5 ? fail() : bytes));
          const failure = await failureOf(() => write(directory, 'a.txt', text, { meanwhile }));
          assert.equal(failure.kind, 'write_failed');
          assert.equal(failure.data?.errno, 'ENOSPC');
          assert.ok(readFileSync(join(directory, 'a.txt')).equals(old));
          assertNoLeftovers(directory);
        }));
    }
  });

  it('follows a link: the target is replaced and the link stays', () =>
    withDirectory({ 'sub/a.txt': 'old' }, async (directory) => {
      symlinkSync('sub/a.txt', join(directory, 'link'));
      await write(directory, 'link', 'new');
      assert.equal(readFileSync(join(directory, 'sub/a.txt'), 'utf8'), 'new');
      assert.deepEqual(readdirSync(join(directory, 'sub')), ['a.txt']);
    }));
});

describe('the sync of a file', () => {
  const large = 'x'.repeat(1_048_576);

  /** The events of a write, in order. */
  function noted(use: (note: (what: string) => () => void) => Promise<unknown>): Promise<string[]> {
    const order: string[] = [];
    const note = (what: string) => (): void => void order.push(what);
    instead('fsync', (sync, fd, end) => {
      const what = fs.fstatSync(fd).isDirectory() ? 'directory' : 'file';
      note(`sync of the ${what}`)();
      sync(fd, (error) => {
        note(`${what} synced`)();
        end(error);
      });
    });
    instead('fsyncSync', (sync, fd) => {
      sync(fd);
      note(`${fs.fstatSync(fd).isDirectory() ? 'directory' : 'file'} synced on the spot`)();
    });
    return use(note)
      .finally(mend)
      .then(() => order);
  }

  it('is done inline, after its answer is made, if no other call has work to do', () =>
    withDirectory({ 'a.txt': 'a' }, async (directory) => {
      const order = await noted((note) =>
        write(directory, 'a.txt', 'new', { whileSyncing: note('answer'), letOthersGoOn: note('others') }),
      );
      assert.deepEqual(order, ['answer', 'file synced on the spot', 'directory synced on the spot']);
    }));

  it('of a large file runs while its answer is made', () =>
    withDirectory({ 'a.txt': 'a' }, async (directory) => {
      const order = await noted((note) =>
        write(directory, 'a.txt', large, { whileSyncing: note('answer'), letOthersGoOn: note('others') }),
      );
      const file = ['sync of the file', 'answer', 'others', 'file synced'];
      assert.deepEqual(order, [...file, 'directory synced on the spot']);
    }));

  it('ends before an error of that answer is reported, since the file is closed then', () =>
    withDirectory({ 'a.txt': 'a' }, async (directory) => {
      const order = await noted((note) =>
        assert.rejects(
          write(directory, 'a.txt', large, {
            whileSyncing: () => {
              throw new TypeError('no diff');
            },
          }).finally(note('told')),
          /no diff/,
        ),
      );
      assert.deepEqual(order, ['sync of the file', 'file synced', 'told']);
    }));

  it('lets others proceed before it waits for theirs, though its own was done inline', () =>
    withDirectory({ 'a.txt': 'a' }, async (directory) => {
      let turn: Promise<void> | undefined;
      const order = await noted((note) =>
        write(directory, 'a.txt', 'new', {
          whileSyncing: () => {
            turn = nextTurn();
          },
          letOthersGoOn: note('others'),
          claim: () => {
            note('claim')();
            return true;
          },
        }),
      );
      await turn;
      const rest = ['others', 'claim', 'sync of the directory', 'directory synced'];
      assert.deepEqual(order, ['file synced on the spot', ...rest]);
    }));
});

describe('a file that another program changes during the edit', () => {
  const path = (directory: string): string => join(directory, 'a.txt');
  const changes: Record<string, (directory: string) => void> = {
    'is appended to': (directory) => {
      writeFileSync(path(directory), 'old and more');
    },
    'is written in place with equal size': (directory) => {
      writeFileSync(path(directory), 'OLD');
    },
    'is written in place with equal size and its old time stamp': (directory) => {
      const { atime, mtime } = statSync(path(directory));
      writeFileSync(path(directory), 'OLD');
      utimesSync(path(directory), atime, mtime);
    },
    'is replaced by another of equal content': (directory) => {
      writeFileSync(join(directory, 'other'), 'old');
      renameSync(join(directory, 'other'), path(directory));
    },
    'is removed': (directory) => {
      unlinkSync(path(directory));
    },
    'becomes a directory': (directory) => {
      unlinkSync(path(directory));
      mkdirSync(path(directory));
    },
    'becomes a link': (directory) => {
      renameSync(path(directory), join(directory, 'elsewhere'));
      symlinkSync('elsewhere', path(directory));
    },
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`that ${what} is left as that program made it`, () =>
      withDirectory({ 'a.txt': 'old' }, async (directory) => {
        const failure = await failureOf(() =>
          write(directory, 'a.txt', 'new', {
            meanwhile: () => {
              change(directory);
            },
          }),
        );
        assert.equal(failure.kind, 'modified_concurrently');
        assert.equal(failure.message, "File 'a.txt' was modified concurrently");
        const content =
          what.startsWith('is re') || what.startsWith('becomes') ? undefined : readFileSync(path(directory), 'utf8');
        assert.notEqual(content, 'new');
        assertNoLeftovers(directory);
      }));
  }

  it('that is written at the last moment, when the commit is claimed, is left as that program made it', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      const claim = (): boolean => {
        writeFileSync(path(directory), 'OLD');
        return true;
      };
      assert.equal((await failureOf(() => write(directory, 'a.txt', 'new', { claim }))).kind, 'modified_concurrently');
      assert.equal(readFileSync(path(directory), 'utf8'), 'OLD');
      assertNoLeftovers(directory);
    }));

  it('that is written while its bytes are compared is left as that program made it', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      // A time in the future is too young to trust, however slow the machine.
      utimesSync(path(directory), Date.now() / 1000, Date.now() / 1000 + 10);
      // The end of the file is read last, after everything else was compared; by then the time stamps differ.
      const meanwhile = (): void => {
        instead('readSync', (read, ...args) => {
          const count = read(...args);
          if (count === 0) {
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
            writeFileSync(path(directory), 'OLD');
          }
          return count;
        });
      };
      const failure = await failureOf(() => write(directory, 'a.txt', 'new', { meanwhile }));
      assert.equal(failure.kind, 'modified_concurrently');
      assert.equal(readFileSync(path(directory), 'utf8'), 'OLD');
    }));

  it('that is written while a failed rename waits for its retry is left as that program made it', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      let attempts = 0;
      const meanwhile = (): void => {
        before('renameSync', () => {
          attempts += 1;
          writeFileSync(path(directory), 'OLD');
          throw systemError('EBUSY');
        });
      };
      const failure = await failureOf(() => write(directory, 'a.txt', 'new', { meanwhile }));
      assert.equal(failure.kind, 'modified_concurrently');
      assert.equal(attempts, 1);
      assert.equal(readFileSync(path(directory), 'utf8'), 'OLD');
      assertNoLeftovers(directory);
    }));

  it('that appears during its own creation is kept', () =>
    withDirectory({}, async (directory) => {
      const failure = await failureOf(() =>
        write(directory, 'a.txt', 'new', {
          meanwhile: () => {
            writeFileSync(path(directory), 'theirs');
          },
        }),
      );
      assert.equal(failure.kind, 'modified_concurrently');
      assert.equal(readFileSync(path(directory), 'utf8'), 'theirs');
      assertNoLeftovers(directory);
    }));
});

describe('a write that does not happen', () => {
  it('leaves the file and no temporary file if cancelled', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      assert.equal((await failureOf(() => write(directory, 'a.txt', 'new', { claim: () => false }))).kind, 'cancelled');
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'old');
      assertNoLeftovers(directory);
    }));

  for (const durability of ['full', 'none'] as const) {
    for (const content of ['new', 'new'.repeat(100_000)]) {
      it(`leaves the same if its answer could not be made (${String(content.length)} bytes, ${durability})`, () =>
        withDirectory({ 'a.txt': 'old' }, async (directory) => {
          const whileSyncing = (): never => {
            throw new TypeError('no diff');
          };
          await assert.rejects(write(directory, 'a.txt', content, { durability, whileSyncing }), /no diff/);
          assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'old');
          assertNoLeftovers(directory);
        }));
    }
  }

  describe('while others proceed', () => {
    /** A libuv thread syncs the file, since another call waits for its turn; `meanwhile` runs before the sync ends. */
    const writeAmongOthers = async (
      directory: string,
      name: string,
      meanwhile: () => Error | null,
      options: Parameters<typeof write>[3] = {},
    ): Promise<void> => {
      instead('fsync', (_sync, _fd, end) => {
        setImmediate(() => {
          end(meanwhile());
        });
      });
      const turn = nextTurn();
      try {
        await write(directory, name, 'new', options);
      } finally {
        mend();
        await turn;
      }
    };

    for (const name of ['a.txt', 'new.txt']) {
      it(`leaves no trace if the file could not be synced: ${name}`, () =>
        withDirectory({ 'a.txt': 'old' }, async (directory) => {
          const broken = Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO', errno: -5 });
          const failure = await failureOf(() => writeAmongOthers(directory, name, () => broken));
          assert.deepEqual([failure.kind, failure.data?.errno], ['write_failed', 'EIO']);
          assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'old');
          assertNoLeftovers(directory);
        }));

      it(`reports a move of the directory during the sync, so the call starts again: ${name}`, () =>
        withDirectory({ 'data/a.txt': 'old' }, async (directory) => {
          const data = join(directory, 'data');
          const move = (): null => {
            renameSync(data, join(directory, 'moved'));
            mkdirSync(data);
            return null;
          };
          await assert.rejects(() => writeAmongOthers(data, name, move), RootMoved);
          assert.deepEqual(readdirSync(data), []);
          assert.equal(readFileSync(join(directory, 'moved/a.txt'), 'utf8'), 'old');
        }));

      it(`writes nothing if cancelled during the sync: ${name}`, () =>
        withDirectory({ 'a.txt': 'old' }, async (directory) => {
          let cancelled = false;
          const cancel = (): null => {
            cancelled = true;
            return null;
          };
          const claim = (): boolean => !cancelled;
          const failure = await failureOf(() => writeAmongOthers(directory, name, cancel, { claim }));
          assert.equal(failure.kind, 'cancelled');
          assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'old');
          assertNoLeftovers(directory);
        }));
    }
  });

  it('reports a move of the directory, so the call starts again', () =>
    withDirectory({ 'data/a.txt': 'old' }, async (directory) => {
      const data = join(directory, 'data');
      const meanwhile = (): void => {
        renameSync(data, join(directory, 'moved'));
        mkdirSync(data);
        writeFileSync(join(data, 'a.txt'), 'another');
      };
      await assert.rejects(() => write(data, 'a.txt', 'new', { meanwhile }), RootMoved);
      assert.equal(readFileSync(join(data, 'a.txt'), 'utf8'), 'another');
      assert.equal(readFileSync(join(directory, 'moved/a.txt'), 'utf8'), 'old');
    }));

  it('leaves nothing in a moved directory if another call noticed the move first', () =>
    withDirectory({ 'data/a.txt': 'old' }, async (directory) => {
      const data = join(directory, 'data');
      const root = new Root(data);
      const whileSyncing = (): void => {
        renameSync(data, join(directory, 'moved'));
        mkdirSync(data);
        root.refresh();
      };
      await assert.rejects(() => write(data, 'a.txt', 'new', { whileSyncing, root }), RootMoved);
      assertNoLeftovers(join(directory, 'moved'));
    }));

  for (const name of ['a.txt', 'new.txt']) {
    it(`leaves no trace if the lock was lost at the last moment: ${name}`, () =>
      withDirectory({ 'a.txt': 'old' }, async (directory) => {
        let claimed = false;
        const claim = (): boolean => (claimed = true);
        const failure = await failureOf(() => write(directory, name, 'new', { claim, isHeld: () => !claimed }));
        assert.equal(failure.kind, 'modified_concurrently');
        assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'old');
        assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'a.txt']);
        assertNoLeftovers(directory);
      }));
  }

  it('leaves no trace if the system cannot tell whether the lock is held', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      const isHeld = (): never => {
        throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
      };
      const failure = await failureOf(() => write(directory, 'a.txt', 'new', { isHeld }));
      assert.equal(failure.kind, 'write_failed');
      assert.equal(failure.data?.errno, 'EIO');
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'old');
      assertNoLeftovers(directory);
    }));

  it('is not written if the lock was lost', () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      const meanwhile = (): void => {
        rmSync(join(directory, '.file-editor'), { recursive: true });
      };
      assert.equal(
        (await failureOf(() => write(directory, 'a.txt', 'new', { meanwhile }))).kind,
        'modified_concurrently',
      );
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'old');
    }));
});

describe('system errors', () => {
  const needsRoot = asRoot ? false : 'needs root to mount a file system';

  it('a link into another file system cannot be written, and the error says why', { skip: needsRoot }, () =>
    withDirectory({}, async (directory) => {
      mkdirSync(join(directory, 'mounted'));
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', join(directory, 'mounted')]);
      try {
        writeFileSync(join(directory, 'mounted/a.txt'), 'old');
        symlinkSync('mounted/a.txt', join(directory, 'link'));
        const failure = await failureOf(() => write(directory, 'link', 'new'));
        assert.equal(failure.message, "Failed to write file atomically: 'link' is on another file system than --dir");
        assert.equal(failure.data?.errno, 'EXDEV');
        assert.equal(readFileSync(join(directory, 'mounted/a.txt'), 'utf8'), 'old');
        assertNoLeftovers(directory);
      } finally {
        execFileSync('umount', ['-l', join(directory, 'mounted')]);
      }
    }),
  );

  it('a file without write permission is refused before anything is read', { skip: needsRoot }, () =>
    withDirectory({ 'a.txt': 'old' }, async (directory) => {
      execFileSync('chattr', ['+i', join(directory, 'a.txt')]);
      try {
        const root = new Root(directory);
        root.refresh();
        const file = openRegular(root, 'a.txt');
        assert.ok(file);
        assert.equal(
          (
            await failureOf(() => {
              assertWritable(file.place, 'a.txt');
            })
          ).kind,
          'permission_denied',
        );
        file.close();
      } finally {
        execFileSync('chattr', ['-i', join(directory, 'a.txt')]);
      }
    }),
  );
});

describe('the mtime of a new version', () => {
  /** As long as a slow disk takes to sync, in milliseconds. */
  const syncMs = 60;
  /** Kernels stamp files once per tick of up to 10 ms. */
  const tickMs = 10;

  function wait(): void {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, syncMs);
  }

  for (const durability of ['full', 'file', 'none'] as const) {
    for (const name of ['a.txt', 'new.txt']) {
      it(`is never earlier than its visibility, however long the sync took (${durability}, ${name})`, () =>
        withDirectory({ 'a.txt': 'before' }, async (directory) => {
          let synced = 0;
          const whileSyncing = (): void => {
            wait();
            synced = Date.now();
          };
          assert.deepEqual(await write(directory, name, 'after', { durability, whileSyncing }), []);
          const { mtimeMs } = statSync(join(directory, name));
          assert.ok(mtimeMs >= synced - tickMs && mtimeMs <= Date.now() + tickMs, String(mtimeMs - synced));
        }));
    }
  }

  it('is that of the last write if it cannot be set, and the log says so', () =>
    withDirectory({ 'a.txt': 'before' }, async (directory) => {
      const meanwhile = (): void => {
        failing('futimesSync', 'EIO');
      };
      const notices = await write(directory, 'a.txt', 'after', { meanwhile, whileSyncing: wait });
      assert.deepEqual(notices, [{ message: 'The time of a file could not be set: EIO', errno: 'EIO' }]);
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'after');
    }));
});
