/**
 * On Windows a file that another program has open cannot be replaced, moved or removed, and often not even be read: an
 * editor, a virus scanner or a reader in a loop would make every edit fail. So what fails for that reason is tried again
 * for a while (spec 19). The wait is one of the event loop: neither the main thread nor the other calls of a thread are
 * held up.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { platform } from '../src/core/platform.js';
import { lstat } from './disk/calls.js';
import { errnoOf, isDenied, isHeldOpen, isSystemError } from './disk/system-error.js';
import { heldOpen } from './disk/write/write-failed.js';

/** Longest wait for another program, in milliseconds. */
const patienceMs = 2_000;
/** Between two attempts, in milliseconds: a scanner takes a moment, an editor longer. */
const [shortestPause, longestPause] = [5, 100];

class Patience {
  private readonly began = performance.now();
  private pause = shortestPause;

  /** Let some time pass. @returns false if enough has passed */
  async wait(): Promise<boolean> {
    if (performance.now() - this.began > patienceMs) return false;
    await sleep(this.pause);
    this.pause = Math.min(2 * this.pause, longestPause);
    return true;
  }
}

/**
 * Make an attempt, and again while another program has a file open that it needs. Each must check anew what may have
 * changed meanwhile.
 * @param isWaiting whether what an attempt throws is about such a file
 * @throws what the last attempt throws
 */
export async function untilLetGo<Result>(
  attempt: () => Result | Promise<Result>,
  isWaiting: (error: unknown) => boolean,
): Promise<Result> {
  const patience = new Patience();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isWaiting(error) || !(await patience.wait())) throw error;
    }
  }
}

/**
 * Wait until the name of what was removed is gone: on Windows that is when the last who has it open closes it, and each
 * reader in another thread has it open for a moment. For another program it waits no longer than for its other files.
 */
export async function untilGone(path: string): Promise<void> {
  if (!platform.openFilesAreHeld) return;
  const patience = new Patience();
  while (isStillNamed(path) && (await patience.wait()));
}

/** What is about to go can be asked for nothing. @throws the system error */
function isStillNamed(path: string): boolean {
  try {
    return lstat(path) !== undefined;
  } catch (error) {
    if (!isDenied(errnoOf(error))) throw error;
    return true;
  }
}

/**
 * The same for an attempt to replace, move or remove a file.
 * @throws OperationError write_failed, if another program still has it open; what else the last attempt throws
 */
export async function changeWhenLetGo<Result>(attempt: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await untilLetGo(attempt, isHeldOpen);
  } catch (error) {
    throw isSystemError(error) && isHeldOpen(error) ? heldOpen(error) : error;
  }
}
