/**
 * Moving a directory moves every path below it and thereby changes which locks guard those paths. So a writer in a
 * subdirectory shares the lock of the tree for that time, and whoever moves a directory holds it alone. What lies
 * directly in the working directory cannot be moved that way and needs no share.
 */
import type { Notice } from '../../../src/core/errors.js';
import { releaseLock, tryAll, tryLockFile, type FileLock } from './lock.js';
import type { Reserved } from './reserved.js';

const tree = 'tree.lock';
/** Held alone while waiting to move a directory: otherwise writers that come and go could delay the move for ever. */
const gate = 'gate.lock';
/** Shared by writers that wait at the gate: otherwise one move after the other could delay them for ever. */
const overdue = 'overdue.lock';
/** A writer turned away so often keeps the gate open: after 50 to 100 ms (file-lock.ts), many times what a move takes. */
export const patience = 40;

/** A writer's share in the tree. */
export class TreeShare {
  #refusals = 0;
  #turn: FileLock | undefined;

  constructor(
    private readonly reserved: Reserved,
    private readonly notices: Notice[],
  ) {}

  /** Take the share, and then what `tryRest` takes: both or neither. @returns null if others hold either */
  take(tryRest: () => FileLock | null): FileLock | null {
    const share = this.#takeTree();
    if (share !== null) this.giveUp();
    else if (++this.#refusals >= patience) {
      this.#turn ??= tryLockFile(this.reserved, overdue, this.notices, true) ?? undefined;
    }
    return share && tryAll([() => share, tryRest], this.notices);
  }

  /** Call it when no more attempts follow: until then, nobody can close the gate. */
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
 * Keep new writers out until it is released. @returns null if someone else does, or writers have been kept out for too
 * long
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

/** Take the whole tree, behind the closed gate, and then what `tryRest` takes. @returns null if others hold either */
export function withWholeTree(reserved: Reserved, tryRest: () => FileLock | null, notices: Notice[]): FileLock | null {
  return tryAll([() => tryLockFile(reserved, tree, notices), tryRest], notices);
}
