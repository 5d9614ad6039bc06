/** Files that another program is in the middle of writing, as far as that shows. */
import type { BigIntStats } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Stage } from '../../src/core/thread/task.js';
import { nextTurn } from '../turn.js';
import { assertAdvanced, type Waiting } from './file-lock.js';

/**
 * A program that writes nothing for as long has finished: 40 times what vim needs between emptying and filling. Kernels
 * stamp files once per tick, so that a file looks up to 4 ms older than it is.
 */
const quietMs = 14;
/** So long an edit waits at most: logs are written all the time. */
export const mostPatienceMs = 50;
const pauseMs = 2;

/**
 * Whether the last thing that happened to a file is that a program wrote or emptied it, a moment ago. An edit now would
 * replace what is there so far, and the program would go on writing to a file that has no name any more: between two
 * writes 5 ms apart, 20 of 20 edits cut a text; vim and ed, which empty a file first, lost 88 of 395 saves.
 *
 * A write stamps both times alike. What puts a whole file in place leaves them different: a rename, tar with the times
 * that it sets, and this server (disk/write-whole.ts).
 */
export function mayBeUnfinished({ mtimeNs, ctimeNs, ctimeMs }: BigIntStats): boolean {
  // A mount may have a clock of its own.
  return mtimeNs === ctimeNs && Math.abs(Date.now() - Number(ctimeMs)) < quietMs;
}

/**
 * Give it a moment, while other calls of this thread go on.
 * @returns how long that was, in milliseconds
 * @throws OperationError cancelled
 */
export async function giveTime({ workspace, progress }: Waiting): Promise<number> {
  const began = performance.now();
  assertAdvanced(progress, Stage.waiting);
  await sleep(pauseMs);
  await nextTurn();
  assertAdvanced(progress, Stage.running);
  workspace.root.refresh();
  return performance.now() - began;
}
