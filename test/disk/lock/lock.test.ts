import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { OperationError, type Notice } from '../../../src/core/errors.js';
import { tryLock } from '../../../workers/disk/lock/system-lock.js';
import { lockNumber, tryFileLock } from '../../../workers/disk/lock/lock.js';
import { Reserved } from '../../../workers/disk/lock/reserved.js';
import { Root } from '../../../workers/disk/paths/root.js';
import { createTemporary, discardTemporary } from '../../../workers/disk/write/temporary-file.js';
import { withDirectory } from '../../directory.js';
import { failing } from '../../faults.js';
import { needs } from '../../needs.js';

const holder = fileURLToPath(new URL('../fixtures/lock-holder.ts', import.meta.url));

/** Another holder in this process: two threads of a server look like this to the system. */
function contender(directory: string): Reserved {
  const root = new Root(directory);
  root.refresh();
  return new Reserved(root);
}

async function startHolder(directory: string, file: string): Promise<ChildProcessByStdio<Writable, Readable, null>> {
  const child = spawn(process.execPath, [...process.execArgv, holder, directory, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  assert.match(said.toString(), /^held /);
  return child;
}

const temporaries = (directory: string): string[] =>
  readdirSync(join(directory, '.file-editor')).filter((name) => name.endsWith('.tmp'));

describe('the lock of a file', () => {
  it('excludes a second holder in the same process until it is released', () =>
    withDirectory({}, (directory) => {
      const first = tryFileLock(contender(directory), 'a.txt', []);
      assert.ok(first);
      assert.equal(tryFileLock(contender(directory), 'a.txt', []), null);
      assert.equal(first.isHeld(), true);
      assert.equal(first.release(), undefined);
      const second = tryFileLock(contender(directory), 'a.txt', []);
      assert.ok(second);
      second.release();
    }));

  it('can be taken again by its owner whatever the umask was at its creation', { skip: needs.modes }, () =>
    withDirectory({}, (directory) => {
      const before = process.umask(0o777);
      try {
        tryFileLock(contender(directory), 'a.txt', [])?.release();
        const temporary = createTemporary(contender(directory).open([]), []);
        assert.equal(statSync(temporary.path).mode & 0o777, 0o600);
        discardTemporary(temporary, []);
      } finally {
        process.umask(before);
      }
      const [lock = assert.fail()] = readdirSync(join(directory, '.file-editor')).filter((name) =>
        name.endsWith('.lock'),
      );
      assert.equal(statSync(join(directory, '.file-editor', lock)).mode & 0o777, 0o600);
    }),
  );

  it('is named by the error if it cannot be opened, for example because it belongs to another user', () =>
    withDirectory({}, (directory) => {
      failing('openSync', 'EACCES', (path) => String(path).endsWith('.lock'));
      assert.throws(
        () => tryFileLock(contender(directory), 'a.txt', []),
        (error) =>
          error instanceof OperationError &&
          error.kind === 'write_denied' &&
          error.failure.details.includes(`.file-editor/${String(lockNumber('a.txt')).padStart(4, '0')}.lock`),
      );
    }));

  it(
    'counts as taken while another program keeps removing the reserved directory',
    { skip: needs.namesOfOpenFiles },
    () =>
      withDirectory({}, (directory) => {
        let removing = true;
        class Vanishing extends Reserved {
          override use(notices: Notice[]): ReturnType<Reserved['use']> {
            const anchor = super.use(notices);
            if (removing) rmSync(join(directory, '.file-editor'), { recursive: true });
            return anchor;
          }
        }
        const root = new Root(directory);
        root.refresh();
        const reserved = new Vanishing(root);
        assert.equal(tryFileLock(reserved, 'a.txt', []), null);
        removing = false;
        const lock = tryFileLock(reserved, 'a.txt', []);
        assert.ok(lock);
        assert.equal(lock.isHeld(), true);
        lock.release();
      }),
  );

  it('leaves other files free', () =>
    withDirectory({}, (directory) => {
      assert.notEqual(lockNumber('a.txt'), lockNumber('b.txt'));
      const locks = ['a.txt', 'b.txt'].map((file) => tryFileLock(contender(directory), file, []));
      for (const lock of locks) {
        assert.ok(lock);
        lock.release();
      }
    }));

  it('is shared by spellings that some file systems treat as one name', () => {
    assert.equal(lockNumber('README.md'), lockNumber('readme.MD'));
    assert.equal(lockNumber('\u00e9.txt'), lockNumber('e\u0301.txt'));
  });

  it('needs at most 1024 lock files', () => {
    const numbers = new Set(Array.from({ length: 20_000 }, (_, i) => lockNumber(`file-${String(i)}.txt`)));
    // And two for the tree (tree-lock.ts).
    assert.equal(numbers.size, 1021);
    assert.ok(Math.max(...numbers) < 1021);
  });

  it('excludes another process, and is free as soon as that is killed', () =>
    withDirectory({}, async (directory) => {
      const child = await startHolder(directory, 'a.txt');
      assert.equal(tryFileLock(contender(directory), 'a.txt', []), null);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const lock = tryFileLock(contender(directory), 'a.txt', []);
      assert.ok(lock);
      lock.release();
    }));

  it(
    'is lost when its file is removed or replaced, and the next holder gets the new one',
    { skip: needs.namesOfOpenFiles },
    () =>
      withDirectory({}, (directory) => {
        const path = join(directory, '.file-editor', `${String(lockNumber('a.txt')).padStart(4, '0')}.lock`);
        for (const disturb of [
          () => {
            unlinkSync(path);
          },
          () => {
            writeFileSync(`${path}.new`, '');
            renameSync(`${path}.new`, path);
          },
          () => {
            rmSync(join(directory, '.file-editor'), { recursive: true });
          },
        ]) {
          const lock = tryFileLock(contender(directory), 'a.txt', []);
          assert.ok(lock);
          disturb();
          assert.equal(lock.isHeld(), false);
          const next = tryFileLock(contender(directory), 'a.txt', []);
          assert.ok(next);
          assert.equal(next.isHeld(), true);
          assert.equal(lock.isHeld(), false);
          lock.release();
          next.release();
        }
      }),
  );

  it('can be taken again by a thread whose reserved directory was removed between two edits', () =>
    withDirectory({}, (directory) => {
      const reserved = contender(directory);
      tryFileLock(reserved, 'a.txt', [])?.release();
      rmSync(join(directory, '.file-editor'), { recursive: true });
      const lock = tryFileLock(reserved, 'a.txt', []);
      assert.ok(lock);
      assert.equal(lock.isHeld(), true);
      lock.release();
    }));
});

describe('taking a lock', () => {
  it('recreates the reserved directory if it is removed midway', () =>
    withDirectory({}, (directory) => {
      const reserved = contender(directory);
      const open = reserved.open.bind(reserved);
      let removals = 1;
      reserved.open = (notices) => {
        const anchor = open(notices);
        if (removals-- > 0) rmSync(join(directory, '.file-editor'), { recursive: true });
        return anchor;
      };
      const lock = tryFileLock(reserved, 'a.txt', []);
      assert.ok(lock);
      assert.equal(lock.isHeld(), true);
      lock.release();
    }));

  it('reports a failure to release it, without throwing', () =>
    withDirectory({}, (directory) => {
      const lock = tryFileLock(contender(directory), 'a.txt', []);
      assert.ok(lock);
      assert.equal(lock.release(), undefined);
      assert.equal(lock.release()?.errno, 'EBADF');
    }));
});

describe('the reserved directory', () => {
  it('is private and hidden from git', { skip: needs.modes }, () =>
    withDirectory({}, (directory) => {
      contender(directory).open([]);
      assert.equal(statSync(join(directory, '.file-editor')).mode & 0o777, 0o700);
      assert.deepEqual(readdirSync(join(directory, '.file-editor')), ['.gitignore']);
    }),
  );

  it('leaves its .gitignore to the process that is writing it', () =>
    withDirectory({}, (directory) => {
      mkdirSync(join(directory, '.file-editor'));
      const path = join(directory, '.file-editor/.gitignore');
      const fd = openSync(path, 'w');
      assert.ok(tryLock(fd));
      contender(directory).open([]);
      assert.equal(readFileSync(path, 'utf8'), '');
      closeSync(fd);
      contender(directory).open([]);
      assert.equal(readFileSync(path, 'utf8'), '*\n');
    }));

  it('is not created by the search for leftovers', () =>
    withDirectory({}, (directory) => {
      contender(directory).sweepLeftovers([]);
      assert.deepEqual(readdirSync(directory), []);
    }));

  it('is searched for leftovers even if this process already has it open', () =>
    withDirectory({}, (directory) => {
      const reserved = contender(directory);
      reserved.open([]);
      const left = join(directory, '.file-editor', `${'0'.repeat(24)}.tmp`);
      writeFileSync(left, 'left by a thread that died');
      reserved.sweepLeftovers([]);
      assert.ok(!existsSync(left));
    }));

  it('keeps the temporary files of a live process and removes those of a dead one', () =>
    withDirectory({ '.file-editor/notes.tmp': 'not one of ours' }, async (directory) => {
      const child = await startHolder(directory, 'a.txt');
      const notices: Notice[] = [];
      contender(directory).sweepLeftovers(notices);
      assert.equal(temporaries(directory).length, 2);
      child.kill('SIGKILL');
      await once(child, 'exit');
      contender(directory).sweepLeftovers(notices);
      assert.deepEqual(temporaries(directory), ['notes.tmp']);
      assert.deepEqual(notices, []);
    }));

  it('makes temporary files that only this user can read', { skip: needs.modes }, () =>
    withDirectory({}, (directory) => {
      const { path } = createTemporary(contender(directory).open([]), []);
      assert.equal(statSync(path).mode & 0o777, 0o600);
    }),
  );
});
