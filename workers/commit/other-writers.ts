/** Other programs that write a file at the same time: detected while they write, by timestamps, and before a commit. */
import type { BigIntStats } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperationError } from '../../src/core/errors.js';
import { Phase } from '../../src/core/thread/task.js';
import { nextTurn } from '../turn.js';
import { assertAdvanced, type Waiting } from './file-lock.js';

/**
 * A program that writes nothing for this long has finished: 40 times what vim needs between truncating and writing.
 * Kernels stamp files once per tick, so a file looks up to 4 ms older than it is.
 */
const quietMs = 14;
/** Longest wait of an edit: logs are written all the time. */
export const mostPatienceMs = 50;
const pauseMs = 2;

/**
 * Whether the last thing that happened to a file, a moment ago, was a write or truncation. An edit now would replace
 * the partial text, and the program would go on writing to an unlinked file: with two writes 5 ms apart, 20 of 20 edits
 * cut a text; vim and ed, which truncate first, lost 88 of 395 saves.
 *
 * A write sets both timestamps alike. Putting a whole file in place leaves them different: a rename, tar with the times
 * it sets, and this server (disk/write/write-whole.ts).
 */
export function mayBeUnfinished({ mtimeNs, ctimeNs, ctimeMs }: BigIntStats): boolean {
  // A mount may have its own clock.
  return mtimeNs === ctimeNs && Math.abs(Date.now() - Number(ctimeMs)) < quietMs;
}

/**
 * Wait a moment while other calls of this thread run.
 * @returns the time waited, in milliseconds
 * @throws OperationError cancelled
 */
export async function giveTime({ workspace, progress }: Waiting): Promise<number> {
  const began = performance.now();
  assertAdvanced(progress, Phase.waiting);
  await sleep(pauseMs);
  await nextTurn();
  assertAdvanced(progress, Phase.running);
  workspace.root.refresh();
  return performance.now() - began;
}

/** Whether another program has changed the file of an edit before its commit, so that nothing was written. */
export function isOvertaken(error: unknown): boolean {
  if (!(error instanceof OperationError && error.failure.kind === 'modified_concurrently')) return false;
  return error.failure.data?.applied === undefined;
}
