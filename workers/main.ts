/** The entry of a worker thread, and of the work that the main thread runs itself (src/pool/fast-path.ts). */
import { workerData } from 'node:worker_threads';
import { collectPaced } from '../src/core/memory/free.js';
import { noteClosingIn } from '../src/core/thread/closing.js';
import { pack, type PackedAnswer } from '../src/core/thread/packed-answer.js';
import type { Task, TasksHere, ThreadSetup, UnreadBody, ServerSetup } from '../src/core/thread/task.js';
import { countTimingsIn } from '../src/core/thread/timings.js';
import { handOver } from './answers/hand-over.js';
import { bodyAsJson } from './body-as-json.js';
import { failureOf } from './handler.js';
import { Tasks } from './tasks.js';

const tasks = isThreadSetup(workerData) ? startThread(workerData) : undefined;

/** Run the calls of a task, as many as fit into one answer. Never rejects. */
export default async function run(task: Task): Promise<unknown> {
  return handOver((await tasks?.run(task)) ?? []);
}

/**
 * Remove leftovers of killed processes before the server reports that it is ready. Never throws: that would count as
 * the death of the thread.
 */
export function sweep(): PackedAnswer {
  return pack(tasks?.sweep() ?? []);
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

/** For the thread that has loaded this file. @throws the system error if the working directory cannot be opened */
export function tasksHere(setup: ServerSetup): TasksHere {
  countTimingsIn(setup.timings);
  return new Tasks(setup);
}

/** This is what the pool passes to its threads; both sides are compiled against src/core/thread/task.ts. */
function isThreadSetup(data: unknown): data is ThreadSetup {
  return typeof data === 'object' && data !== null && 'phases' in data && 'closing' in data;
}

function startThread(setup: ThreadSetup): Tasks {
  countTimingsIn(setup.timings);
  noteClosingIn(setup.closing);
  return new Tasks(setup);
}
