import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tryFileLock, type FileLock } from '../../../workers/disk/lock/lock.js';
import { Reserved } from '../../../workers/disk/lock/reserved.js';
import { Root } from '../../../workers/disk/paths/root.js';
import { closeGate, patience, TreeShare, withWholeTree } from '../../../workers/disk/lock/tree-lock.js';
import { withDirectory } from '../../directory.js';

/** Another holder in this process: two threads of a server look like this to the system. */
function contender(directory: string): Reserved {
  const root = new Root(directory);
  root.refresh();
  return new Reserved(root);
}

class Writer {
  readonly #share: TreeShare;

  constructor(private readonly reserved: Reserved) {
    this.#share = new TreeShare(reserved, []);
  }

  take(file: string): FileLock | null {
    return this.#share.take(() => tryFileLock(this.reserved, file, []));
  }

  giveUp(): void {
    this.#share.giveUp();
  }
}

const moveAlone = (reserved: Reserved): FileLock | null => withWholeTree(reserved, () => closeGate(reserved, []), []);

function taken(lock: FileLock | null): FileLock {
  assert.ok(lock);
  return lock;
}

describe('the tree lock', () => {
  it('is shared by writers, and exclusive to a directory move', () =>
    withDirectory({}, (directory) => {
      const [a, b] = [new Writer(contender(directory)), new Writer(contender(directory))];
      const mover = contender(directory);
      const writes = [taken(a.take('d/a.txt')), taken(b.take('d/b.txt'))];
      assert.equal(moveAlone(mover), null);
      for (const write of writes) write.release();
      const move = taken(moveAlone(mover));
      assert.equal(a.take('d/a.txt'), null);
      move.release();
      taken(a.take('d/a.txt')).release();
    }));

  it('is not held by a writer that waits for its file', () =>
    withDirectory({}, (directory) => {
      const held = taken(tryFileLock(contender(directory), 'd/a.txt', []));
      assert.equal(new Writer(contender(directory)).take('d/a.txt'), null);
      taken(moveAlone(contender(directory))).release();
      held.release();
    }));

  it('admits no new writer while a directory move waits', () =>
    withDirectory({}, (directory) => {
      const write = taken(new Writer(contender(directory)).take('d/a.txt'));
      const gate = taken(closeGate(contender(directory), []));
      assert.equal(new Writer(contender(directory)).take('d/b.txt'), null);
      write.release();
      gate.release();
    }));

  for (const [how, end] of [
    ['has had its turn', (writer: Writer): unknown => taken(writer.take('d/a.txt')).release()],
    ['has given up', (writer: Writer): unknown => writer.giveUp()],
  ] as const) {
    it(`waits for a writer delayed by directory moves, until it ${how}`, () =>
      withDirectory({}, (directory) => {
        const writer = new Writer(contender(directory));
        const mover = contender(directory);
        // One directory move after another; the writer polls while one is in progress.
        for (let moves = 0; moves < patience; moves++) {
          const move = taken(moveAlone(mover));
          assert.equal(writer.take('d/a.txt'), null);
          move.release();
        }
        assert.equal(closeGate(mover, []), null, 'it is the turn of the writer');
        end(writer);
        taken(closeGate(mover, [])).release();
      }));
  }
});
