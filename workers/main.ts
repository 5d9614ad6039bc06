/** The entry of a worker thread. */
import { workerData } from 'node:worker_threads';
import type { Notice } from '../src/core/errors.js';
import { largeTextsIn } from '../src/core/json/large-text.js';
import { collectPaced } from '../src/core/memory/free.js';
import { rows } from '../src/core/operations.js';
import { bodyAsJson } from './body-as-json.js';
import { noteClosingIn } from '../src/core/thread/closing.js';
import { isSystemError, noticeOf } from './disk/system-error.js';
import { failureOf } from './handler.js';
import { handOver } from './answers/hand-over.js';
import { pack, type PackedAnswer } from '../src/core/thread/packed-answer.js';
import { perform } from './perform.js';
import { Progress } from './progress.js';
import type { Task, ThreadSetup, UnreadBody } from '../src/core/thread/task.js';
import { warmUp } from './text/kernel.js';
import { countTimingsIn } from '../src/core/thread/timings.js';
import { nextTurn } from './turn.js';
import { createWorkspace } from './workspace.js';

// The pool passes this; both sides are compiled against src/core/thread/task.ts.
const setup = workerData as ThreadSetup;
const workspace = createWorkspace(setup);
const stages = new Int32Array(setup.stages);
countTimingsIn(setup.timings);
noteClosingIn(setup.closing);
warmUp();

/** Run the calls of a task that are answered together. Never rejects. */
export default async function run({ operation: name, calls }: Task): Promise<unknown> {
  const operation = rows[name];
  if (operation.writes) {
    for (const { params } of calls) {
      for (const { length } of largeTextsIn(params)) collectPaced(length);
    }
    await nextTurn();
  }
  const begun = calls.map(({ params, slot, precondition, lineBase, model }) => {
    const progress = new Progress(stages, slot);
    return { operation, params, context: { workspace, progress, precondition, lineBase, model, notices: [] } };
  });
  return handOver(await perform(operation, begun));
}

/**
 * Remove leftovers of killed processes before the server reports that it is ready. Never throws: that would count as
 * the death of the thread.
 */
export function sweep(): PackedAnswer {
  const notices: Notice[] = [];
  if (setup.readOnly) return pack([]);
  try {
    workspace.root.refresh();
    workspace.reserved.sweepLeftovers(notices);
  } catch (error) {
    const what = 'Leftovers of killed processes could not be removed; the first write tries again';
    if (isSystemError(error)) notices.push(noticeOf(what, error));
    else notices.push({ message: `${what}: ${failureOf(error).message}` });
  }
  return pack([{ ok: true, result: {}, notices }]);
}

/** Read a body that is too large for the main thread. Never throws: that would count as the death of the thread. */
export function readBody(body: UnreadBody): PackedAnswer {
  collectPaced(body.bytes.length);
  try {
    return pack([bodyAsJson(body)]);
  } catch (error) {
    return pack([failureOf(error)]);
  }
}
