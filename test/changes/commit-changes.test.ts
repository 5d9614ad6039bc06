import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import type { Failure, Outcome } from '../../src/core/errors.js';
import type { Params } from '../../src/core/operations.js';
import { Tasks } from '../../workers/tasks.js';
import { withDirectory } from '../directory.js';
import { before, counting, failing, mend, systemError } from '../faults.js';
import { killedAt } from '../killed.js';
import { StorageScene } from '../operations/storage-scene.js';
import { setupOf } from '../workspace.js';

type Changes = Params['apply_changes']['changes'];

const files = { a: 'one\n', b: 'one\n' };
const edit = (path: string): Changes[number] => ({ path, edits: [{ old_string: 'one', new_string: 'two' }] });
const both = [edit('a'), edit('b')];
const deletion = (path: string): Changes[number] => ({ path, delete: true });

async function apply(directory: string, changes: Changes): Promise<Outcome> {
  const scene = new StorageScene(directory, { durability: 'full' });
  try {
    return await scene.call('apply_changes', { changes });
  } finally {
    scene.workspace.close();
  }
}

async function refused(directory: string, changes: Changes): Promise<Failure> {
  const outcome = await apply(directory, changes);
  assert.ok(!outcome.ok);
  return outcome;
}

/** @returns what it tells in the log */
function start(directory: string): string {
  const tasks = new Tasks(setupOf(directory));
  const [swept] = tasks.sweep();
  tasks.close();
  return (swept?.ok === true ? (swept.notices ?? []) : []).map(({ message }) => message).join('\n');
}

/** Kill a call at its first rename, when all is decided. */
async function killedOnceDecided(directory: string, changes: Changes): Promise<void> {
  for (let nth = 40; ; nth++) {
    const killed = await killedAt(nth, directory, () => apply(directory, changes));
    assert.ok(killed !== undefined, 'it was not killed');
    if (existsSync(join(directory, '.file-editor/changes'))) return;
  }
}

const textOf = (directory: string, name: string): string => readFileSync(join(directory, name), 'utf8');
const left = (directory: string): string[] =>
  readdirSync(join(directory, '.file-editor')).filter((name) => name !== '.gitignore' && !name.endsWith('.lock'));

describe('a commit of changes of several files', () => {
  it('changes both names of a hard link', async () => {
    await withDirectory({ a: 'one\n', c: 'one\n' }, async (directory) => {
      linkSync(join(directory, 'a'), join(directory, 'b'));
      linkSync(join(directory, 'c'), join(directory, 'd'));
      assert.ok((await apply(directory, [edit('a'), edit('b'), deletion('c'), deletion('d')])).ok);
      assert.deepEqual([textOf(directory, 'a'), textOf(directory, 'b')], ['two\n', 'two\n']);
      assert.ok(!existsSync(join(directory, 'c')) && !existsSync(join(directory, 'd')));
    });
  });

  it('takes everything back if there is no space for a new name', async () => {
    await withDirectory(files, async (directory) => {
      failing('symlinkSync', 'ENOSPC');
      const { message, data } = await refused(directory, [
        edit('a'),
        { path: 'n/m/c', content: 'new' },
        { path: 'b', rename_to: 'k/b' },
      ]);
      mend();
      assert.deepEqual(
        [message, data?.reason, data?.change],
        ['Change 3 of 3 (b) failed: Insufficient disk space', 'disk_full', 3],
      );
      assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'a', 'b']);
      assert.deepEqual(left(directory), []);
      assert.equal(textOf(directory, 'a'), 'one\n');
    });
  });

  it('decides nothing that the next writer would do, if the record cannot be removed after that', async () => {
    await withDirectory(files, async (directory) => {
      failing('symlinkSync', 'ENOSPC');
      failing('unlinkSync', 'EIO', (path) => basename(String(path)) === 'changes');
      const { data } = await refused(directory, [edit('a'), { path: 'b', rename_to: 'c' }]);
      mend();
      assert.equal(data?.reason, 'disk_full');
      start(directory);
      assert.deepEqual([textOf(directory, 'a'), textOf(directory, 'b'), left(directory)], ['one\n', 'one\n', []]);
    });
  });

  for (const [what, change] of Object.entries({
    'an edit': edit('a'),
    'a new file': { path: 'new', content: 'new\n' },
    'a deletion': deletion('a'),
    'a move': { path: 'a', rename_to: 'moved' },
  })) {
    it(`commits ${what} alone without a record, and syncs no more than an operation of its own`, async () => {
      await withDirectory(files, async (directory) => {
        // What is synced once, for the new directory of locks, is synced now.
        assert.ok((await apply(directory, [edit('b')])).ok);
        before('linkSync', (_, to) => assert.ok(!String(to).endsWith('/changes'), 'there was a record'));
        const syncs = counting('fsyncSync');
        const others = counting('fsync');
        assert.ok((await apply(directory, [change])).ok);
        assert.ok(syncs() + others() <= 2, `${String(syncs())} and ${String(others())} syncs`);
      });
    });
  }

  it('makes the changes that are decided, although their record is not confirmed to be on disk', async () => {
    await withDirectory(files, async (directory) => {
      const reserved = join(directory, '.file-editor');
      assert.ok((await apply(directory, [edit('a')])).ok);
      const { ino } = lstatSync(reserved);
      let failed = false;
      const fail = (fd: number): void => {
        if (failed || fstatSync(fd).ino !== ino) return;
        failed = true;
        throw systemError('EIO');
      };
      before('fsync', fail);
      before('fsyncSync', fail);
      const { kind, data } = await refused(directory, [edit('b'), deletion('a')]);
      mend();
      assert.deepEqual([failed, kind, data?.applied], [true, 'not_durable', true]);
      assert.equal(textOf(directory, 'b'), 'two\n');
    });
  });

  it('has the name of the reserved directory on disk before, although another thread has just made it', async () => {
    await withDirectory({ ...files, 'd/x': '' }, async (directory) => {
      assert.ok((await apply(directory, [{ path: 'd/y', content: '' }])).ok);
      const { ino } = lstatSync(directory);
      const seen: string[] = [];
      const sync = (fd: number): void => {
        if (fstatSync(fd).ino === ino) seen.push('sync');
      };
      before('fsync', sync);
      before('fsyncSync', sync);
      before('renameSync', (_, to) => {
        if (/\/[ab]$/.test(String(to))) seen.push('rename');
      });
      assert.ok((await apply(directory, both)).ok);
      mend();
      assert.deepEqual(seen, ['sync', 'rename', 'rename', 'sync']);
    });
  });

  it('leaves a file as another program left it after the decision, says so, and makes the other changes', async () => {
    await withDirectory({ ...files, c: 'one\n' }, async (directory) => {
      before('unlinkSync', (path) => {
        if (!String(path).endsWith('.tmp')) return;
        writeFileSync(join(directory, 'new'), 'by hand\n');
        renameSync(join(directory, 'new'), join(directory, 'b'));
      });
      const { message, data } = await refused(directory, [edit('a'), edit('b'), deletion('c')]);
      mend();
      assert.equal(message, "Change 2 of 3 (b) failed: File 'b' was modified concurrently");
      assert.deepEqual([data?.applied, data?.change], [true, 2]);
      assert.deepEqual([textOf(directory, 'a'), textOf(directory, 'b')], ['two\n', 'by hand\n']);
      assert.ok(!existsSync(join(directory, 'c')));
      assert.deepEqual(left(directory), []);
    });
  });

  it('keeps the old file if another program takes the new name after the decision', async () => {
    await withDirectory(files, async (directory) => {
      // The next system call after the decision looks whether the new name is free.
      before('linkSync', (_, to) => {
        if (basename(String(to)) === 'moved') writeFileSync(join(directory, 'moved'), 'by hand\n');
      });
      const { message, data } = await refused(directory, [{ ...edit('a'), rename_to: 'moved' }, edit('b')]);
      mend();
      assert.equal(message, "Change 1 of 2 (a) failed: File 'moved' was modified concurrently");
      assert.deepEqual([data?.applied, data?.path], [true, 'moved']);
      const texts = ['a', 'moved', 'b'].map((name) => textOf(directory, name));
      assert.deepEqual(texts, ['one\n', 'by hand\n', 'two\n']);
      assert.deepEqual(left(directory), []);
    });
  });

  it('changes nothing if another program has changed a file before the decision', async () => {
    await withDirectory(files, async (directory) => {
      before('linkSync', () => assert.fail('it was decided'));
      before('futimesSync', () => {
        writeFileSync(join(directory, 'b'), 'by hand\n');
      });
      const { data } = await refused(directory, both);
      mend();
      assert.deepEqual([data?.reason, data?.change], ['conflict', 2]);
      assert.deepEqual([textOf(directory, 'a'), textOf(directory, 'b')], ['one\n', 'by hand\n']);
    });
  });

  it('waits for nothing if something that no server makes has the name of the record', async () => {
    await withDirectory(files, async (directory) => {
      mkdirSync(join(directory, '.file-editor/changes'), { recursive: true });
      const { message, details } = await refused(directory, both);
      assert.match(message, /something else is at \.file-editor\/changes/);
      assert.match(details, /Remove \.file-editor\/changes, then retry/);
      const scene = new StorageScene(directory);
      assert.ok((await scene.call('apply_edits', { path: 'a', edits: [{ old_string: 'one', new_string: 'two' }] })).ok);
      scene.workspace.close();
    });
  });
});

describe('a record that a killed process left', () => {
  it('is not carried out in a copy of the directory', async () => {
    await withDirectory(files, async (directory) => {
      await killedOnceDecided(directory, both);
      const copy = `${directory}-copy`;
      cpSync(directory, copy, { recursive: true, preserveTimestamps: true });
      assert.match(start(copy), /\.file-editor\/changes was removed and nothing in it done/);
      assert.deepEqual([textOf(copy, 'a'), textOf(copy, 'b'), left(copy)], ['one\n', 'one\n', []]);
      assert.match(start(directory), /were completed/);
      assert.deepEqual([textOf(directory, 'a'), textOf(directory, 'b')], ['two\n', 'two\n']);
    });
  });

  it('is not carried out if a text of it is not on disk', async () => {
    await withDirectory(files, async (directory) => {
      await killedOnceDecided(directory, both);
      const [text = ''] = left(directory).filter((name) => name.endsWith('.tmp'));
      truncateSync(join(directory, '.file-editor', text));
      assert.match(start(directory), /were taken back/);
      assert.deepEqual([textOf(directory, 'a'), textOf(directory, 'b'), left(directory)], ['one\n', 'one\n', []]);
    });
  });

  it('is not carried out if a text of it is not on disk that was to go into a new directory', async () => {
    await withDirectory(files, async (directory) => {
      await killedOnceDecided(directory, [edit('a'), { path: 'n/m/f.txt', content: 'new\n' }]);
      const texts = left(directory).filter((name) => name.endsWith('.tmp'));
      for (const name of texts) {
        if (textOf(directory, `.file-editor/${name}`) === 'new\n') rmSync(join(directory, '.file-editor', name));
      }
      assert.match(start(directory), /were taken back/);
      assert.deepEqual([textOf(directory, 'a'), left(directory)], ['one\n', []]);
      assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'a', 'b']);
    });
  });

  it('leaves alone a file that another program has changed since, and the name that it would have had', async () => {
    await withDirectory(files, async (directory) => {
      await killedOnceDecided(directory, [edit('a'), { path: 'b', rename_to: 'c' }]);
      writeFileSync(join(directory, 'b'), 'by hand\n');
      assert.match(start(directory), /that of 'b' was left out/);
      assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'a', 'b']);
      assert.deepEqual([textOf(directory, 'a'), textOf(directory, 'b')], ['two\n', 'by hand\n']);
    });
  });

  it('keeps a file that was to be moved and edited if another program has taken its new name since', async () => {
    await withDirectory(files, async (directory) => {
      await killedOnceDecided(directory, [edit('b'), { ...edit('a'), rename_to: 'moved' }]);
      writeFileSync(join(directory, 'moved'), 'by hand\n');
      assert.match(start(directory), /that of 'moved' was left out/);
      const texts = ['a', 'moved', 'b'].map((name) => textOf(directory, name));
      assert.deepEqual(texts, ['one\n', 'by hand\n', 'two\n']);
    });
  });

  it('keeps what another program has written to a new file, although the changes are taken back', async () => {
    const changes = [
      { path: 'n', content: 'new\n' },
      { path: 'b', rename_to: 'k/b' },
    ];
    const kept: string[] = [];
    // Killed between the two names.
    for (let nth = 60; kept.length === 0; nth++) {
      await withDirectory(files, async (directory) => {
        assert.ok((await killedAt(nth, directory, () => apply(directory, changes))) !== undefined, 'it was not killed');
        if (!existsSync(join(directory, 'n'))) return;
        appendFileSync(join(directory, 'n'), 'hours of work\n');
        failing('symlinkSync', 'ENOSPC');
        assert.match(start(directory), /The new file 'n' stays: another program has written to it/);
        mend();
        assert.equal(textOf(directory, 'n'), 'new\nhours of work\n');
        assert.ok(!existsSync(join(directory, 'k')));
        kept.push(directory);
      });
    }
  });

  it('is finished before a call judges the files', async () => {
    await withDirectory(files, async (directory) => {
      await killedOnceDecided(directory, both);
      const again = [{ path: 'a', edits: [{ old_string: 'two', new_string: 'three' }] }];
      assert.ok((await apply(directory, again)).ok);
      assert.deepEqual([textOf(directory, 'a'), textOf(directory, 'b')], ['three\n', 'two\n']);
    });
  });

  it('that cannot be carried out now keeps writers from its files, and from no others', async () => {
    await withDirectory({ ...files, c: 'one\n' }, async (directory) => {
      await killedOnceDecided(directory, both);
      failing('renameSync', 'EIO', (_, to) => basename(String(to)) === 'b');
      const concerned = await refused(directory, [edit('b')]);
      const scene = new StorageScene(directory);
      const other = await scene.call('apply_edits', { path: 'c', edits: [{ old_string: 'one', new_string: 'two' }] });
      scene.workspace.close();
      mend();
      assert.match(concerned.message, /changes of several files that were decided before cannot be completed \(EIO/);
      assert.match(concerned.details, /The cause is 'b'.*or remove \.file-editor\/changes to give up/);
      assert.ok(other.ok);
      assert.match(scene.notices.join(), /cannot be completed/);
      start(directory);
      assert.deepEqual([textOf(directory, 'a'), textOf(directory, 'b'), left(directory)], ['two\n', 'two\n', []]);
    });
  });
});
