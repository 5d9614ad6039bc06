/** Runs operations on the caller's thread, without a server: same engine, locks and write path. */
import type { WorkerSetup } from '../core/thread/task.js';
import type { Outcome } from '../core/errors.js';
import type { OperationName, OperationOf, Params } from '../core/operations.js';
import { PendingCall } from '../pool/pending-call.js';

/** In bytes: the largest --max-size of a server. */
const maxBytes = 100 * 1_048_576;
/** Default of a server. */
const timeoutMs = 10_000;

/** Where and when a call runs. */
export interface RunOptions extends Pick<WorkerSetup, 'directory' | 'umask'> {
  /** The call starts once this resolves; its time-out runs while it waits. */
  readonly after?: Promise<unknown>;
}

export interface Running {
  readonly answer: Promise<Outcome>;
  /** Resolves when all work for it has ended. */
  readonly ended: Promise<void>;
}

/**
 * Run one call. Does not keep the process alive afterwards.
 * @param params validated, including their paths
 */
export function runHere<Name extends OperationName>(
  operation: OperationOf<Name>,
  params: Params[Name],
  options: RunOptions,
): Running {
  // Same time-out and claim as a call to a server.
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
  const phases = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const slots = new Int32Array(phases);
  const workspace = createWorkspace({
    directory,
    readOnly: false,
    maxBytes,
    maxLines: undefined,
    names: 'unicode',
    durability: 'full',
    umask,
    keepsReads: false,
    phases,
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
