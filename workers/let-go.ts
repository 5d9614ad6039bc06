/**
 * On Windows, a file that another program has open cannot be replaced, moved or removed, and often not even read: an
 * editor, a virus scanner or a reader in a loop would make every edit fail. Such attempts are therefore retried for a
 * while (spec 19). The wait is asynchronous: it blocks neither the main thread nor the thread's other calls.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { platform } from '../src/core/platform.js';
import { lstat } from './disk/calls.js';
import { errnoOf, isDenied, isHeldOpen, isSystemError } from './disk/system-error.js';
import { heldOpen } from './disk/write/write-failed.js';

/** Longest wait for another program, in milliseconds. */
const patienceMs = 2_000;
/** Pauses between attempts, in milliseconds: short to the end, for files that are opened again and again. */
const [shortestPause, longestPause] = [5, 20];

class Patience {
  private readonly began = performance.now();
  private pause = shortestPause;

  /** Wait before the next attempt. @returns false if the time is up */
  async wait(): Promise<boolean> {
    if (performance.now() - this.began > patienceMs) return false;
    await sleep(this.pause);
    this.pause = Math.min(2 * this.pause, longestPause);
    return true;
  }
}

/**
 * Make an attempt, and retry it while another program has a needed file open. Each attempt must recheck everything that
 * may have changed meanwhile.
 * @param isWaiting whether an error means such an open file
 * @throws the error of the last attempt
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
 * Wait until the name of a removed entry is gone. On Windows, that happens when its last open handle is closed; readers
 * in other threads hold one for a moment. Another program gets no more time than for its other open files.
 */
export async function untilGone(path: string): Promise<void> {
  if (!platform.openFilesAreHeld) return;
  const patience = new Patience();
  while (isStillNamed(path) && (await patience.wait()));
}

/** While its removal is pending, even lstat is denied. @throws the system error */
function isStillNamed(path: string): boolean {
  try {
    return lstat(path) !== undefined;
  } catch (error) {
    if (!isDenied(errnoOf(error))) throw error;
    return true;
  }
}

/**
 * As untilLetGo, for an attempt to replace, move or remove a file.
 * @throws OperationError write_failed, if another program still has it open; any other error of the last attempt
 */
export async function changeWhenLetGo<Result>(attempt: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await untilLetGo(attempt, isHeldOpen);
  } catch (error) {
    throw isSystemError(error) && isHeldOpen(error) ? heldOpen(error) : error;
  }
}
