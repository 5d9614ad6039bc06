/**
 * The entry of a worker thread: plain synchronous steps on the disk, one call after the other; only waiting
 * for the lock of a file lets other calls go on. Here is the one catch that makes an Outcome of an error.
 */
import { workerData } from 'node:worker_threads';
import { failure, OperationError, type Failure, type Notice, type Outcome, type Success } from '../src/errors.js';
import { filenameOf, operations, type OperationName, type Params } from '../src/operations.js';
import { RootMoved } from './disk/root.js';
import { describe, isSystemError, type SystemError } from './disk/system-error.js';
import { handOver, sizeOf } from './hand-over.js';
import { handlers, type Context } from './handlers.js';
import { Progress } from './progress.js';
import { Stage, type Task, type TaskAnswer, type TaskCall, type WorkerSetup } from './task.js';
import { nextTurn } from './turn.js';
import { createWorkspace } from './workspace.js';

// The pool gives exactly this; both sides are compiled against workers/task.ts.
const setup = workerData as WorkerSetup;
const workspace = createWorkspace(setup);
const stages = new Int32Array(setup.stages);

/** Run the calls of a task, as many as are answered in one go. Never rejects. */
export default async function run(task: Task): Promise<unknown> {
  await nextTurn();
  return handOver(await perform(task));
}

/** Remove what killed processes left; run before the server says that it is ready. */
export function sweep(): TaskAnswer {
  const notices: Notice[] = [];
  if (setup.readOnly) return [];
  workspace.root.refresh();
  workspace.reserved.sweepLeftovers(notices);
  return [{ ok: true, result: {}, notices }];
}

/** Answers together do not wait for more than this, in bytes. */
const enough = 262_144;

async function perform({ operation, calls }: Task): Promise<TaskAnswer> {
  const outcomes: Outcome[] = [];
  let bytes = 0;
  for (const call of calls) {
    const outcome = await performOne(operation, call);
    outcomes.push(outcome);
    bytes += sizeOf(outcome);
    if (bytes > enough) break;
  }
  return outcomes;
}

async function performOne(operation: OperationName, { params, slot, precondition }: TaskCall): Promise<Outcome> {
  const notices: Notice[] = [];
  const context: Context = { workspace, progress: new Progress(stages, slot), precondition, notices };
  const outcome = await attempt(operation, params, context);
  context.progress.end();
  return notices.length === 0 ? outcome : { ...outcome, notices };
}

async function attempt(
  operation: OperationName,
  params: Params[OperationName],
  context: Context,
  again = true,
): Promise<Outcome> {
  try {
    workspace.root.refresh();
    return await invoke(operation, params, context);
  } catch (error) {
    if (error instanceof RootMoved) {
      // The directory was replaced before anything was written: the operation starts again there, once.
      if (again) return attempt(operation, params, context, false);
      return failure('no_directory', 'Cannot access working directory');
    }
    if (error instanceof OperationError) return error.failure;
    if (isSystemError(error)) return systemFailure(operation, params, error);
    return failure('internal', 'Internal error', {
      cause: error instanceof Error ? (error.stack ?? '') : String(error),
    });
  }
}

/** Of a system call that failed for reasons that nobody below has a better name for: no descriptors, an I/O error. */
function systemFailure(operation: OperationName, params: Params[OperationName], error: SystemError): Failure {
  const row = operations.get(operation);
  const more = { data: { errno: error.code }, cause: error.stack ?? '' };
  if (row?.writes === true) {
    const kind = error.code === 'EACCES' || error.code === 'EPERM' ? 'write_denied' : 'write_failed';
    return failure(kind, `Failed to write file atomically: ${describe(error)}`, more);
  }
  const filename = row && filenameOf(row, params);
  const what = filename === undefined ? 'the working directory' : `'${filename}'`;
  return failure('read_failed', `Failed to read ${what}: ${describe(error)}`, more);
}

function invoke<Name extends OperationName>(
  operation: Name,
  params: Params[Name],
  context: Context,
): Success | Promise<Success> {
  // Writing operations move on when they have the lock of their file.
  if (operations.get(operation)?.writes !== true && !context.progress.advance(Stage.running)) {
    throw new OperationError('cancelled', 'Cancelled before it was started');
  }
  return handlers[operation](params, context);
}
