/**
 * A directory that moves takes every path below it along, and with the paths the locks that guard them. So whoever writes
 * in a subdirectory shares the lock of the tree meanwhile, and whoever moves a directory holds it alone. What lies in the
 * working directory itself cannot be moved like that, and needs none of it.
 */
import type { Notice } from '../../src/errors.js';
import { releaseLock, tryAll, tryLockFile, type FileLock } from './lock.js';
import type { Reserved } from './reserved.js';

const tree = 'tree.lock';
/** Held alone by who waits to move a directory: writers that come and go would keep him waiting for ever. */
const gate = 'gate.lock';
/** Shared by writers that wait at the gate: who moves one directory after the other would keep them waiting for ever. */
const overdue = 'overdue.lock';
/** So often a writer is turned away before it keeps the gate open: 60 to 120 ms, many times what it takes to move a directory. */
const patience = 8;

/** The share that a writer has in the tree. */
export class TreeShare {
  #refusals = 0;
  #turn: FileLock | undefined;

  constructor(
    private readonly reserved: Reserved,
    private readonly notices: Notice[],
  ) {}

  /** Take it, and then what `attempt` takes: both or neither. @returns null if either is held by others */
  take(attempt: () => FileLock | null): FileLock | null {
    const share = this.#takeTree();
    if (share !== null) this.giveUp();
    else if (++this.#refusals >= patience) {
      this.#turn ??= tryLockFile(this.reserved, overdue, this.notices, true) ?? undefined;
    }
    return share && tryAll([() => share, attempt], this.notices);
  }

  /** To be called by who tries no more: nobody can close the gate before. */
  giveUp(): void {
    this.#refusals = 0;
    if (this.#turn !== undefined) releaseLock(this.#turn, this.notices);
    this.#turn = undefined;
  }

  #takeTree(): FileLock | null {
    const passed = tryLockFile(this.reserved, gate, this.notices, true);
    if (passed === null) return null;
    try {
      return tryLockFile(this.reserved, tree, this.notices, true);
    } finally {
      releaseLock(passed, this.notices);
    }
  }
}

/** Keep new writers out, until it is released. @returns null if another does, or writers have been kept out for too long */
export function closeGate(reserved: Reserved, notices: Notice[]): FileLock | null {
  const nobodyOverdue = tryLockFile(reserved, overdue, notices);
  if (nobodyOverdue === null) return null;
  try {
    return tryLockFile(reserved, gate, notices);
  } finally {
    releaseLock(nobodyOverdue, notices);
  }
}

/** Take the tree alone, behind the closed gate, and then what `attempt` takes. @returns null if either is held by others */
export function withWholeTree(reserved: Reserved, attempt: () => FileLock | null, notices: Notice[]): FileLock | null {
  return tryAll([() => tryLockFile(reserved, tree, notices), attempt], notices);
}
