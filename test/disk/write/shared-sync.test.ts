import assert from 'node:assert/strict';
import fs from 'node:fs';
import { describe, it, mock } from 'node:test';
import { OperationError, type Notice } from '../../../src/core/errors.js';
import { Root } from '../../../workers/disk/paths/root.js';
import { beginSync, changeSharingSync } from '../../../workers/disk/write/shared-sync.js';
import { nextTurn } from '../../../workers/turn.js';
import { withDirectory } from '../../directory.js';
import { instead, mend, systemError } from '../../faults.js';

/** The other syncs under way. */
interface Syncs {
  count: number;
  failure?: NodeJS.ErrnoException;
}

const failed = (code: string): NodeJS.ErrnoException => Object.assign(systemError(code), { errno: -5 });

/** Lends a working directory while another write of the thread waits for the disk. */
async function amongOthers(use: (root: Root, syncs: Syncs) => Promise<void>): Promise<void> {
  await withDirectory({}, async (directory) => {
    const root = new Root(directory);
    root.refresh();
    const other = root.anchor.readable;
    const syncs: Syncs = { count: 0 };
    let letGo = (): void => undefined;
    instead('fsync', (sync, fd, end) => {
      if (fd === other) {
        letGo = () => {
          sync(fd, end);
        };
        return;
      }
      syncs.count++;
      if (syncs.failure === undefined) sync(fd, end);
      else setImmediate(end, syncs.failure);
    });
    const turn = nextTurn();
    const waiting = beginSync(other, 0);
    try {
      assert.ok(waiting, 'somebody waits for his turn, so this one lets him go on');
      await turn;
      await use(root, syncs);
    } finally {
      letGo();
      await waiting;
      mend();
      root.close();
    }
  });
}

const stays = (): void => undefined;

/** A change of the working directory. */
function change(root: Root, make: () => void = () => undefined, notices: Notice[] = []): Promise<void> {
  return changeSharingSync({ directory: root.anchor.base, notices, assertInPlace: stays, make });
}

const isNotDurable = (error: unknown): boolean =>
  error instanceof OperationError && error.failure.kind === 'not_durable';

describe('the sync of a write', () => {
  it('is done inline if no other call has work to do', () =>
    withDirectory({}, (directory) => {
      const fd = fs.openSync(directory, 'r');
      assert.equal(beginSync(fd, 1), undefined);
      fs.closeSync(fd);
    }));

  it('lets others proceed, but with no more text in memory than allowed', () =>
    amongOthers(async (root) => {
      const fd = fs.openSync(root.directory, 'r');
      const waits = [16_000_000, 16_000_000, 1000].map((bytes) => beginSync(fd, bytes));
      assert.deepEqual(
        waits.map((wait) => wait !== undefined),
        [true, false, true],
      );
      for (const wait of waits) await wait;
      fs.closeSync(fd);
    }));
});

describe('directory changes that are due at the same time', () => {
  it('are made in order, and synced once', () =>
    amongOthers(async (root, syncs) => {
      const made: number[] = [];
      await Promise.all([1, 2, 3].map((number) => change(root, () => made.push(number))));
      assert.deepEqual([made, syncs.count], [[1, 2, 3], 1]);
      const later = new Promise((resolve, reject) => {
        const first = change(root, () => setImmediate(() => void change(root).then(resolve, reject)));
        first.catch(reject);
      });
      await later;
      assert.equal(syncs.count, 3, 'what comes later is not covered by a sync that was begun before');
    }));

  it('are synced in the directory where they are made', () =>
    amongOthers(async (root, syncs) => {
      fs.mkdirSync(root.absolute('sub'));
      const sub = changeSharingSync({
        directory: root.absolute('sub'),
        notices: [],
        assertInPlace: stays,
        make: () => undefined,
      });
      await Promise.all([sub, change(root)]);
      assert.equal(syncs.count, 2);
    }));

  it('are independent: one that fails does not fail the others', () =>
    amongOthers(async (root) => {
      const refused = change(root, () => {
        throw failed('EACCES');
      });
      const made = mock.fn();
      const ends = await Promise.allSettled([refused, change(root, made)]);
      assert.deepEqual(
        ends.map(({ status }) => status),
        ['rejected', 'fulfilled'],
      );
      assert.equal(made.mock.callCount(), 1);
    }));

  it('fail with nothing made if the directory cannot be opened', () =>
    amongOthers(async (root) => {
      const make = mock.fn();
      const directory = root.absolute('missing');
      const gone = (): Promise<void> => changeSharingSync({ directory, notices: [], assertInPlace: stays, make });
      for (const end of await Promise.allSettled([gone(), gone()])) {
        assert.equal(end.status === 'rejected' && (end.reason as NodeJS.ErrnoException).code, 'ENOENT');
      }
      assert.equal(make.mock.callCount(), 0);
    }));

  it('fail before anything is opened if the directory has been abandoned', () =>
    amongOthers(async (root) => {
      const [moved, make] = [new Error('moved'), mock.fn()];
      const assertInPlace = (): void => {
        throw moved;
      };
      const directory = root.absolute('missing');
      const change = changeSharingSync({ directory, notices: [], assertInPlace, make });
      await assert.rejects(change, moved);
      assert.equal(make.mock.callCount(), 0);
    }));

  it('are all not durable if the sync fails, except those that were not made', () =>
    amongOthers(async (root, syncs) => {
      syncs.failure = failed('EIO');
      const refused = change(root, () => {
        throw failed('EACCES');
      });
      const [first, second, third] = await Promise.allSettled([refused, change(root), change(root)]);
      assert.ok(first.status === 'rejected' && !isNotDurable(first.reason));
      for (const end of [second, third]) assert.ok(end.status === 'rejected' && isNotDurable(end.reason));
      delete syncs.failure;
      await change(root);
    }));

  it('succeed if directories cannot be synced, which is noted', () =>
    amongOthers(async (root, syncs) => {
      syncs.failure = failed('EINVAL');
      const notices: Notice[] = [];
      await Promise.all([change(root, undefined, notices), change(root, undefined, notices)]);
      assert.match(notices.map(({ message }) => message).join(), /^This file system cannot sync directories/);
    }));
});
