/**
 * Syncs for the writes of a thread. An isolated small write syncs synchronously, since the round trip to a libuv thread
 * costs more than it gains. If other calls have work, they run during the sync: a journalling file system commits its
 * journal once for all files synced at the same time, and one sync of a directory covers all renames before it (64
 * files, 32 clients, 2 cores: 2,100 edits a second without this, 2,900 with it).
 */
import { fsync, fsyncSync } from 'node:fs';
import type { Notice } from '../../../src/core/errors.js';
import { addTiming, timing, type Timed } from '../../../src/core/thread/timings.js';
import { turnsWaiting } from '../../turn.js';
import { closeRead } from '../close.js';
import { excuseUnsynced } from './directory-sync.js';
import { openReadable } from '../paths/anchor.js';

/**
 * For a file of this size, the remaining work takes longer than the round trip to a libuv thread: ten edits by text of
 * 1 MB take a tenth less if the diff and the hash are made during the sync; edits of a line take the same time.
 */
const leastOverlapped = 262_144;
/** Total bytes of text that writes may hold in memory while they wait for the disk and other calls run. */
const mostUnsynced = 16_777_216;
let held = 0;
/** Number of writes waiting for the disk in this way. */
let waiting = 0;
/** Whether directories are being changed by `changeAll`. */
let changing = false;

/** Whether other calls of this thread could run while one waits for the disk. */
export function othersGoOn(): boolean {
  return changing || waiting > 0 || turnsWaiting() > 0;
}

/**
 * Begin to sync a file.
 * @param bytes that the write holds in memory
 * @param sharesThread do not hold up the thread
 * @returns a promise of the sync; undefined if it should be done synchronously
 */
export function beginSync(fd: number, bytes: number, sharesThread = false): Promise<void> | undefined {
  const isWorthwhile = sharesThread || bytes >= leastOverlapped || othersGoOn();
  return isWorthwhile && held + bytes <= mostUnsynced ? syncMeanwhile('file_sync', fd, bytes) : undefined;
}

/** Sync and block the thread. @throws the system error */
export function syncNow(fd: number): void {
  timing('file_sync', () => {
    fsyncSync(fd);
  });
}

/**
 * Sync several open files or directories: a journalling file system commits them together. One alone is synced
 * synchronously, as above.
 * @throws the system error of the first that failed, once all have ended
 */
export async function syncTogether(what: Timed, fds: readonly number[], sharesThread = false): Promise<void> {
  const [first, ...more] = fds;
  if (first === undefined) return;
  if (more.length === 0 && !sharesThread && !othersGoOn()) {
    timing(what, () => {
      fsyncSync(first);
    });
    return;
  }
  const ended = await Promise.allSettled(fds.map((fd) => syncMeanwhile(what, fd, 0)));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
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
  /** Its anchored path. */
  readonly directory: string;
  readonly notices: Notice[];
  /** Called after every wait, before the directory is opened; throws if the directory was replaced. */
  assertInPlace(): void;
  /** Must be synchronous. */
  make(): void;
  /** Descriptors of other files and directories that it has made use of, to be synced likewise. */
  beside?(): readonly number[];
}

interface DueChange extends Change {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

let due: DueChange[] = [];

/**
 * Make a change, and sync its directory together with other changes of this thread that are due now or become due while
 * the directory is being synced for earlier ones.
 * @throws what `assertInPlace` and `make` throw, with nothing changed; OperationError not_durable
 */
export function changeSharingSync(change: Change): Promise<void> {
  return new Promise((resolve, reject) => {
    due.push({ ...change, resolve, reject });
    if (!changing) void changeAll();
  });
}

/** Never rejects. */
async function changeAll(): Promise<void> {
  changing = true;
  while (due.length > 0) {
    // Let changes whose files were synced in the same round join.
    await new Promise((resolve) => setImmediate(resolve));
    const all = due;
    due = [];
    const directories = [...new Set(all.map(({ directory }) => directory))];
    const made = directories.map((directory) =>
      makeIn(
        directory,
        all.filter((change) => change.directory === directory),
      ),
    );
    // Only now: such as one sync of the history for the changes in all directories.
    const fds = new Set(made.flatMap(({ changes }) => changes.flatMap((change) => change.beside?.() ?? [])));
    const beside = Promise.all([...fds].map((fd) => syncMeanwhile('directory_sync', fd, 0)));
    await Promise.all(made.map((each) => syncMade(each, beside)));
  }
  changing = false;
}

/** Changes of one directory that are made. */
interface Made {
  /** Undefined if none could be made. */
  readonly fd: number | undefined;
  readonly changes: readonly DueChange[];
}

/** Never throws. */
function makeIn(directory: string, changes: readonly DueChange[]): Made {
  const inPlace = changes.filter((change) =>
    runOrReject(change, () => {
      change.assertInPlace();
    }),
  );
  let fd: number | undefined;
  // One sync for all; opened before the changes, since running out of descriptors afterwards would be too late.
  const made = inPlace.filter((change) =>
    runOrReject(change, () => {
      fd ??= openReadable(directory);
      change.make();
    }),
  );
  return { fd, changes: made };
}

/** Never rejects. */
async function syncMade({ fd, changes }: Made, beside: Promise<unknown>): Promise<void> {
  if (fd === undefined) return;
  try {
    if (changes.length > 0) await Promise.all([syncMeanwhile('directory_sync', fd, 0), beside]);
    for (const { resolve } of changes) resolve();
  } catch (error) {
    for (const change of changes) {
      if (
        runOrReject(change, () => {
          excuseUnsynced(error, change.notices);
        })
      )
        change.resolve();
    }
  } finally {
    closeRead(fd);
  }
}

/** Run a step of a change; if it throws, reject the change. @returns whether the step succeeded */
function runOrReject({ reject }: DueChange, step: () => void): boolean {
  try {
    step();
    return true;
  } catch (error) {
    reject(error);
    return false;
  }
}
