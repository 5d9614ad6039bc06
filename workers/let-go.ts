/**
 * On Windows a file that another program has open cannot be replaced, moved or removed, and often not even be read: an
 * editor, a virus scanner or a reader in a loop would make every edit fail. So what fails for that reason is tried again
 * for a while (spec 19). The wait is one of the event loop: neither the main thread nor the other calls of a thread are
 * held up.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isHeldOpen, isSystemError } from './disk/system-error.js';
import { heldOpen } from './disk/write/write-failed.js';

/** Longest wait for another program, in milliseconds. */
const patienceMs = 2_000;
/** Between two attempts, in milliseconds: a scanner takes a moment, an editor longer. */
const [shortestPause, longestPause] = [5, 100];

/**
 * Make an attempt, and again while another program has a file open that it needs. Each must check anew what may have
 * changed meanwhile.
 * @param causeOf the system error behind what an attempt throws
 * @throws what the last attempt throws; OperationError write_failed, if that is the system error of such a file
 */
export async function untilLetGo<Result>(
  attempt: () => Result | Promise<Result>,
  causeOf: (error: unknown) => unknown = (error) => error,
): Promise<Result> {
  const began = performance.now();
  for (let pause = shortestPause; ; pause = Math.min(2 * pause, longestPause)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isHeldOpen(causeOf(error))) throw error;
      if (performance.now() - began > patienceMs) throw isSystemError(error) ? heldOpen(error) : error;
    }
    await sleep(pause);
  }
}
