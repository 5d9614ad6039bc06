/**
 * The entry of a worker thread: plain synchronous steps on the disk, one call after the other; only waiting
 * for the lock of a file lets other calls go on. Here is the one catch that makes an Outcome of an error.
 */
import { workerData } from 'node:worker_threads';
import { failure, OperationError, type Failure, type Notice, type Outcome, type Success } from '../src/errors.js';
import { filenameOf, operations, type OperationName, type Params } from '../src/operations.js';
import { RootMoved } from './disk/root.js';
import { describe, isSystemError, type SystemError } from './disk/system-error.js';
import { handlers, type Context } from './handlers.js';
import { Progress } from './progress.js';
import { Stage, type Task, type WorkerSetup } from './task.js';
import { nextTurn } from './turn.js';
import { createWorkspace } from './workspace.js';

// The pool gives exactly this; both sides are compiled against workers/task.ts.
const setup = workerData as WorkerSetup;
const workspace = createWorkspace(setup);
const stages = new Int32Array(setup.stages);

/** Above this, handing memory over is cheaper than copying it. */
const transferFrom = 16_384;

/** Run one call. Never rejects. */
export default async function run(task: Task): Promise<unknown> {
  await nextTurn();
  const outcome = await perform(task);
  return outcome.ok ? handOver(outcome) : outcome;
}

/** Remove what killed processes left; run before the server says that it is ready. */
export function sweep(): Outcome {
  const notices: Notice[] = [];
  if (setup.readOnly) return { ok: true, result: {} };
  workspace.root.refresh();
  workspace.reserved.sweepLeftovers(notices);
  return { ok: true, result: {}, notices };
}

async function perform(task: Task): Promise<Outcome> {
  const progress = new Progress(stages, task.slot);
  const notices: Notice[] = [];
  const context: Context = { workspace, progress, precondition: task.precondition, notices };
  const outcome = await attempt(task.operation, task, context);
  progress.end();
  return notices.length === 0 ? outcome : { ...outcome, notices };
}

async function attempt(operation: OperationName, task: Task, context: Context, again = true): Promise<Outcome> {
  try {
    workspace.root.refresh();
    return await invoke(operation, task.params, context);
  } catch (error) {
    if (error instanceof RootMoved) {
      // The directory was replaced before anything was written: the operation starts again there, once.
      if (again) return attempt(operation, task, context, false);
      return failure('no_directory', 'Cannot access working directory');
    }
    if (error instanceof OperationError) return error.failure;
    if (isSystemError(error)) return systemFailure(task, error);
    return failure('internal', 'Internal error', {
      cause: error instanceof Error ? (error.stack ?? '') : String(error),
    });
  }
}

/** Of a system call that failed for reasons that nobody below has a better name for: no descriptors, an I/O error. */
function systemFailure({ operation, params }: Task, error: SystemError): Failure {
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

async function handOver(success: Success): Promise<unknown> {
  const memory: ArrayBuffer[] = [];
  for (const member of Object.values(success.result)) {
    if (!(member instanceof Uint8Array) || member.byteLength < transferFrom) continue;
    // What begins its memory and is larger than node's pool of small buffers is nobody else's.
    if (member.buffer instanceof ArrayBuffer && member.byteOffset === 0) memory.push(member.buffer);
  }
  if (memory.length === 0) return success;
  // Loaded when first needed: it costs a thread 16 ms.
  const { default: Piscina } = await import('piscina');
  return Piscina.move({
    get [Piscina.transferableSymbol]() {
      return memory;
    },
    get [Piscina.valueSymbol]() {
      return success;
    },
  });
}
