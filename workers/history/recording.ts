/** What one commit tells the history: what it replaces is kept, and once the change is made, its line is written. */
import { OperationError, type Notice } from '../../src/core/errors.js';
import type { BigIntStats } from 'node:fs';
import { notWritten } from '../../src/core/failures.js';
import type { Anchor } from '../disk/paths/anchor.js';
import { statfs } from '../disk/calls.js';
import { uniqueName } from '../disk/write/temporary-file.js';
import type { Version } from '../disk/write/version.js';
import type { ChangeOfCall } from '../handler.js';
import type { History } from './history.js';
import { discard, keep, unlessWritten } from './kept-files.js';
import type { FileEntry } from './recorded-change.js';

/** A change of one file, by a call. */
export interface ToRecord {
  readonly change: ChangeOfCall;
  readonly entry: FileEntry;
}

/** In bytes: for the lines of those who write at the same time. */
const leastRoom = 65_536;

/** A deletion or a rename needs no space on a full disk, but its line does. */
function assertRoom(directory: Anchor): void {
  const { bavail, bfree, bsize } = statfs(directory.path('.'));
  const free = process.geteuid?.() === 0 ? bfree : bavail;
  if (free * bsize >= leastRoom) return;
  throw new OperationError('write_failed', notWritten('no space is left on the disk for the history'), {
    data: { errno: 'ENOSPC' },
  });
}

/**
 * Make a change and record it.
 * @throws what `make` throws; the system error, with nothing changed; OperationError not_durable
 */
export function recorded(recording: Recording | undefined, make: () => void): void {
  recording?.open();
  try {
    make();
  } catch (error) {
    recording?.discard(error);
    throw error;
  }
  recording?.write();
}

export class Recording {
  /** The name of what it replaces, among the kept files. */
  #kept: string | undefined;

  /** @param changes in order; the first one replaces what is kept, each other one what the one before has left */
  constructor(
    private readonly history: History,
    private readonly changes: readonly ToRecord[],
    private readonly notices: Notice[],
  ) {}

  /**
   * See to it that the change can be recorded.
   * @throws the system error; OperationError write_failed on a full disk; with nothing changed
   */
  open(): void {
    assertRoom(this.history.open(this.notices).directory);
  }

  /**
   * Keep a file that is about to be replaced or removed.
   * @param seen its stats
   * @returns its stats now: keeping it changes its ctime. If it has changed otherwise, those that were seen
   * @throws the system error, with nothing changed
   */
  keep(path: string, seen: BigIntStats): BigIntStats {
    const { kept } = this.history.open(this.notices);
    this.#kept ??= uniqueName();
    return unlessWritten(keep(kept, this.#kept, path), seen);
  }

  /** The same for a version that was read. */
  keepVersion(version: Version): Version {
    return { ...version, stats: this.keep(version.file.place.path, version.stats) };
  }

  /** The change is made. @throws OperationError not_durable */
  write(): void {
    const records = this.changes.map(({ change: { operation, caller, undoes }, entry }, index) => ({
      operation,
      caller,
      undoes,
      files: [index === 0 ? { ...entry, kept: this.#kept } : entry],
      follows: index > 0,
    }));
    const written = this.history.append(records, this.notices);
    for (const [index, { change }] of this.changes.entries()) change.id = written[index]?.id;
  }

  /** The change has failed. */
  discard(error: unknown): void {
    // Otherwise it may be made, and this all that is left of what was there.
    const isUnmade = !(error instanceof OperationError && error.failure.data?.applied !== undefined);
    if (this.#kept === undefined || !isUnmade) return;
    discard(this.history.open(this.notices).kept.path(this.#kept), this.notices);
    this.#kept = undefined;
  }

  /** Descriptors to be synced before the change is acknowledged. */
  get unsynced(): readonly number[] {
    return this.history.unsynced;
  }
}
