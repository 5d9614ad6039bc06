/** Runs operations in the thread of their caller, without a server: the same engine, locks and way of writing. */
import type { WorkerSetup } from '../core/thread/task.js';
import type { Outcome } from '../core/errors.js';
import type { OperationName, OperationOf, Params } from '../core/operations.js';
import { PendingCall } from '../pool/pending-call.js';

/** In bytes: the highest limit that a server can be given. */
const maxBytes = 100 * 1_048_576;
/** The default of a server. */
const timeoutMs = 10_000;

/** Where a call runs, and when. */
export interface RunOptions extends Pick<WorkerSetup, 'directory' | 'umask'> {
  /** The call starts once this resolves; its time runs while it waits. */
  readonly after?: Promise<unknown>;
}

export interface Running {
  readonly answer: Promise<Outcome>;
  /** Resolves when all work for it has ended. */
  readonly ended: Promise<void>;
}

/**
 * Run one call. Nothing keeps the process alive once it has ended.
 * @param params validated, their paths too
 */
export function runHere<Name extends OperationName>(
  operation: OperationOf<Name>,
  params: Params[Name],
  options: RunOptions,
): Running {
  // It has the time limit and the claim that a call to a server has.
  const call = new PendingCall(operation, params, {}, timeoutMs);
  const work = perform(call, operation, params, options);
  return {
    answer: Promise.race([call.answer, work.then(() => call.answer)]),
    ended: work.catch(() => undefined),
  };
}

async function perform<Name extends OperationName>(
  call: PendingCall,
  operation: OperationOf<Name>,
  params: Params[Name],
  { directory, umask, after }: RunOptions,
): Promise<void> {
  call.inFileQueue = after !== undefined;
  await after;
  const [{ perform }, { Progress }, { createWorkspace }] = await Promise.all([
    import('../../workers/perform.js'),
    import('../../workers/progress.js'),
    import('../../workers/workspace.js'),
  ]);
  if (call.settled) return;
  call.inFileQueue = false;
  const stages = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const slots = new Int32Array(stages);
  const workspace = createWorkspace({
    directory,
    readOnly: false,
    maxBytes,
    maxLines: undefined,
    names: 'unicode',
    durability: 'full',
    umask,
    keepsReads: false,
    stages,
  });
  call.markSent(slots, 0);
  const progress = new Progress(slots, 0);
  const context = { workspace, progress, precondition: undefined, lineBase: undefined, notices: [] };
  try {
    const [outcome] = await perform(operation, [{ operation, params, context }]);
    call.markReturned(outcome);
  } finally {
    workspace.close();
  }
}
