/**
 * Moving a directory changes every path below it, and thereby the locks that guard those paths. So a writer in a
 * subdirectory shares the tree lock while it writes, and a directory move holds it exclusively. Files directly in the
 * working directory cannot be moved that way and need no share.
 */
import type { Notice } from '../../../src/core/errors.js';
import { releaseLock, tryAll, tryLockFile, type FileLock } from './lock.js';
import type { Reserved } from './reserved.js';

const tree = 'tree.lock';
/** Held exclusively while waiting to move a directory: otherwise a stream of writers could starve the move. */
const gate = 'gate.lock';
/** Shared by writers that wait at the gate: otherwise a stream of moves could starve them. */
const overdue = 'overdue.lock';
/**
 * A writer refused this often keeps the gate open: after 50 to 100 ms (file-lock.ts), many times the length of a move.
 */
export const patience = 40;

/** A writer's share of the tree. */
export class TreeShare {
  #refusals = 0;
  #turn: FileLock | undefined;

  constructor(
    private readonly reserved: Reserved,
    private readonly notices: Notice[],
  ) {}

  /** Take the share and then what `tryRest` takes: both or neither. @returns null if others hold either */
  take(tryRest: () => FileLock | null): FileLock | null {
    const share = this.#takeTree();
    if (share !== null) this.giveUp();
    else if (++this.#refusals >= patience) {
      this.#turn ??= tryLockFile(this.reserved, overdue, this.notices, true) ?? undefined;
    }
    return share && tryAll([() => share, tryRest], this.notices);
  }

  /** Call after the last attempt: until then the gate cannot be closed. */
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

/**
 * Keep new writers out until it is released. @returns null if another process already does, or if writers have been
 * kept out for too long
 */
export function closeGate(reserved: Reserved, notices: Notice[]): FileLock | null {
  const nobodyOverdue = tryLockFile(reserved, overdue, notices);
  if (nobodyOverdue === null) return null;
  try {
    return tryLockFile(reserved, gate, notices);
  } finally {
    releaseLock(nobodyOverdue, notices);
  }
}

/** With the gate closed, take the whole tree, and then what `tryRest` takes. @returns null if others hold either */
export function withWholeTree(reserved: Reserved, tryRest: () => FileLock | null, notices: Notice[]): FileLock | null {
  return tryAll([() => tryLockFile(reserved, tree, notices), tryRest], notices);
}

/**
 * A share of the tree, and then what `tryRest` takes, without passing the gate: the caller may be the one that closed
 * it. @returns null if others hold either
 */
export function shareTree(reserved: Reserved, tryRest: () => FileLock | null, notices: Notice[]): FileLock | null {
  return tryAll([() => tryLockFile(reserved, tree, notices, true), tryRest], notices);
}
