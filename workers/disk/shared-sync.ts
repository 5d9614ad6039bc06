/**
 * Syncs for the writes of a thread. A small write that is alone waits for the disk on the spot, since the way to a
 * thread of libuv and back costs more than it gains. If other calls have something to do, they go on meanwhile: a
 * journalling file system commits its journal once for all files that are synced at the same time, and one sync of a
 * directory covers all renames before it (64 files, 32 clients, 2 cores: 2,100 edits a second without this, 2,900 with
 * it).
 */
import { fsync, fsyncSync } from 'node:fs';
import type { Notice } from '../../src/errors.js';
import { addTiming, timing, type Timed } from '../timings.js';
import { turnsWaiting } from '../turn.js';
import { closeRead } from './close.js';
import { changeSynced, excuseUnsyncable, notDurable } from './directory-sync.js';
import { openReadable } from './anchor.js';
import type { Root } from './root.js';

/**
 * In a file of this size, what is left to do takes longer than the way to a thread of libuv and back: ten edits by
 * text of 1 MB take a tenth less if the diff and the hash are made meanwhile, edits of a line as long as before.
 */
const leastOverlapped = 262_144;
/** Bytes of text that writes may hold in memory while they wait for the disk and other calls go on, all together. */
const mostUnsynced = 16_777_216;
let held = 0;
/** How many writes are waiting for the disk like that. */
let waiting = 0;

/** Whether other calls of this thread could go on while one waits for the disk. */
function othersHaveWork(): boolean {
  return waiting > 0 || turnsWaiting() > 0;
}

/** What a write has to do while its file is synced. */
export interface Meanwhile {
  /** What the disk need not wait for. */
  readonly work: () => unknown;
  /** Called after the work if other calls may go on now. */
  readonly rest: () => void;
}

/**
 * Sync what was written to a file.
 * @param bytes that the write holds in memory
 * @returns a promise if other calls go on meanwhile, or could
 * @throws the system error, and what the work throws
 */
export function syncFile(fd: number, bytes: number, meanwhile: Meanwhile): Promise<void> | undefined {
  if (held + bytes <= mostUnsynced) {
    if (othersHaveWork()) {
      // They are what is done meanwhile.
      meanwhile.work();
      meanwhile.rest();
      return syncMeanwhile('file_sync', fd, bytes);
    }
    if (bytes >= leastOverlapped) return syncWhile(fd, bytes, meanwhile);
  }
  meanwhile.work();
  timing('file_sync', () => {
    fsyncSync(fd);
  });
  return undefined;
}

async function syncWhile(fd: number, bytes: number, { work, rest }: Meanwhile): Promise<void> {
  const synced = syncMeanwhile('file_sync', fd, bytes);
  try {
    work();
    rest();
  } finally {
    // The descriptor must stay open until then.
    await synced;
  }
}

async function syncMeanwhile(what: Timed, fd: number, bytes: number): Promise<void> {
  const began = performance.now();
  held += bytes;
  waiting++;
  try {
    await new Promise<void>((resolve, reject) => {
      fsync(fd, (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
  } finally {
    held -= bytes;
    waiting--;
    addTiming(what, performance.now() - began);
  }
}

/** A change to an entry of a directory. */
interface Change {
  readonly root: Root;
  /** Its anchored path. */
  readonly directory: string;
  readonly notices: Notice[];
  /**
   * Called after every wait: a path begins with the number of a descriptor (anchor.ts), which may belong to another
   * directory by then.
   */
  assertInPlace(): void;
  /**
   * Called if other calls go on before the change is made. One of them may have come while the file was synced on the
   * spot: then nobody has been told yet, and this call would be blamed if that one ends the thread.
   */
  rest(): void;
  /** Must be synchronous. */
  make(): void;
}

interface Due {
  readonly change: Change;
  readonly settle: () => void;
  readonly fail: (error: unknown) => void;
}

let due: Due[] = [];
let changing = false;

/**
 * Make a change and sync its directory. If other calls have work, the change shares the sync with other changes of this
 * thread that are due at the same time or become due while the directory is being synced for earlier ones.
 * @returns a promise only if it waits for these
 * @throws what `assertInPlace` and `make` throw, with nothing changed; OperationError not_durable
 */
export function changeSharingSync(change: Change): Promise<void> | undefined {
  if (changing || othersHaveWork()) {
    return new Promise((settle, fail) => {
      change.rest();
      due.push({ change, settle, fail });
      if (!changing) void changeAll();
    });
  }
  change.assertInPlace();
  changeSynced(change.root, [change.directory], change.notices, () => {
    change.make();
  });
  return undefined;
}

/** Never rejects. */
async function changeAll(): Promise<void> {
  changing = true;
  while (due.length > 0) {
    // Let changes whose files were synced in the same round join.
    await new Promise((resolve) => setImmediate(resolve));
    const all = due;
    due = [];
    const directories = [...new Set(all.map(({ change }) => change.directory))];
    await Promise.all(
      directories.map((directory) =>
        changeIn(
          directory,
          all.filter(({ change }) => change.directory === directory),
        ),
      ),
    );
  }
  changing = false;
}

/** Never rejects. */
async function changeIn(directory: string, changes: readonly Due[]): Promise<void> {
  const inPlace = changes.filter((each) =>
    attempt(each, ({ change }) => {
      change.assertInPlace();
    }),
  );
  let fd: number | undefined;
  // One sync for all; opened before the changes, since to run out of descriptors afterwards would be too late.
  const made = inPlace.filter((each) =>
    attempt(each, ({ change }) => {
      fd ??= openReadable(directory);
      change.make();
    }),
  );
  if (fd === undefined) return;
  try {
    if (made.length > 0) await syncMeanwhile('directory_sync', fd, 0);
  } catch (error) {
    for (const { change, fail } of made) settleUnsynced(error, change, fail);
  } finally {
    closeRead(fd);
  }
  // Settling again changes nothing for those that have already failed.
  for (const { settle } of made) settle();
}

/** @returns false if it has failed */
function attempt(due: Due, step: (due: Due) => void): boolean {
  try {
    step(due);
    return true;
  } catch (error) {
    due.fail(error);
    return false;
  }
}

function settleUnsynced(error: unknown, { notices }: Change, fail: Due['fail']): void {
  try {
    excuseUnsyncable(error, notices);
  } catch {
    fail(notDurable(error));
  }
}
