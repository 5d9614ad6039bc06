/**
 * Calls one after the other, in plain synchronous steps on the disk; only waiting for the lock of a file lets other calls go
 * on. What an operation throws becomes an Outcome here.
 */
import { failure, OperationError, type Failure, type Notice, type Outcome, type Success } from '../src/errors.js';
import { subjectOf, operations, type OperationName } from '../src/operations.js';
import { RootMoved } from './disk/root.js';
import { describe, isSystemError, type SystemError } from './disk/system-error.js';
import { writeFailed } from './disk/write-failed.js';
import { failureOf } from './failure-of.js';
import { sizeOf } from './hand-over.js';
import type { Alone, Call, Handler, Together } from './handler.js';
import { handlers } from './handlers.js';
import { assertFits, NeedsRoom } from './room.js';
import { Stage, type TaskAnswer, type Unheld } from './task.js';

/** Answers together do not wait for more than this, in bytes. */
const enough = 262_144;

/** Run calls of one operation in one workspace, as many as are answered in one go. Never rejects. */
export function perform<Name extends OperationName>(
  operation: Name,
  calls: readonly Call<Name>[],
): Promise<TaskAnswer> {
  const handler: Handler<Name> = handlers[operation];
  if (typeof handler !== 'function') return together(handler, calls);
  return oneByOne(handler, calls, operations.get(operation)?.writes === true);
}

async function oneByOne<Name extends OperationName>(
  handler: Alone<Name>,
  calls: readonly Call<Name>[],
  writes: boolean,
): Promise<TaskAnswer> {
  const outcomes: (Outcome | Unheld)[] = [];
  let bytes = 0;
  // All calls were made before: if nothing is waited for, one look at the working directory is enough for them.
  let looked = false;
  for (const call of calls) {
    const { params, context } = call;
    const attempted: Outcome | Unheld | Promise<Outcome | Unheld> = attempt(
      call,
      (): Success | Promise<Success> => {
        // Writing operations move on when they have the lock of their file.
        if (!writes && !context.progress.advance(Stage.running)) {
          throw new OperationError('cancelled', 'Cancelled before it was started');
        }
        const made = handler(params, context);
        // What is written is answered, however much it is.
        if (!writes && !(made instanceof Promise)) assertFits(context, sizeOf(made));
        return made;
      },
      !looked,
    );
    // Reads are over by now; to wait for each would cost as much as to look for its file.
    looked = !(attempted instanceof Promise);
    const outcome = attempted instanceof Promise ? await attempted : attempted;
    context.progress.end();
    outcomes.push(withNotices(outcome, context.notices));
    if (outcome.ok !== null) bytes += sizeOf(outcome);
    if (bytes > enough) break;
  }
  return outcomes;
}

async function together<Name extends OperationName>(
  handler: Together<Name>,
  calls: readonly Call<Name>[],
): Promise<TaskAnswer> {
  const [first] = calls;
  if (first === undefined) return [];
  const answer = await attempt(first, () => handler.together(calls));
  for (const { context } of calls) context.progress.end();
  const outcomes = 'ok' in answer ? calls.map(() => answer) : answer;
  // They are the group's. The answer of a call that was cancelled is looked at by nobody.
  const notices = calls.flatMap(({ context }) => context.notices);
  const bearer = Math.max(
    0,
    calls.findIndex(({ context }) => !context.progress.cancelled),
  );
  return outcomes.map((outcome, index) => (index === bearer ? withNotices(outcome, notices) : outcome));
}

function withNotices<Result extends TaskAnswer[number]>(outcome: Result, notices: readonly Notice[]): Result {
  return notices.length === 0 ? outcome : { ...outcome, notices };
}

/**
 * @param call that is attempted, or stands for all of its group: they are about one file
 * @param look whether the working directory may have been replaced since it was looked at
 */
function attempt<Result>(
  call: Call<OperationName>,
  work: () => Result | Promise<Result>,
  look = true,
  again = true,
): Result | Failure | Unheld | Promise<Result | Failure | Unheld> {
  const recover = (error: unknown): Result | Failure | Unheld | Promise<Result | Failure | Unheld> => {
    if (error instanceof NeedsRoom) return { ok: null, needs: error.bytes };
    // The directory was replaced before anything was written: the operation starts again there, once.
    if (again && error instanceof RootMoved) return attempt(call, work, true, false);
    return isSystemError(error) ? systemFailure(call, error) : failureOf(error, call.context.lineBase);
  };
  try {
    if (look) call.context.workspace.root.refresh();
    const result = work();
    return result instanceof Promise ? result.catch(recover) : result;
  } catch (error) {
    return recover(error);
  }
}

/** Of a system call that failed for reasons that nobody below has a better name for: no descriptors, an I/O error. */
function systemFailure({ operation, params }: Call<OperationName>, error: SystemError): Failure {
  const row = operations.get(operation);
  if (row?.writes === true) return failureOf(writeFailed(error));
  const subject = row && subjectOf(row, params);
  const what = subject === undefined ? 'the working directory' : `'${subject}'`;
  return failure('read_failed', `Failed to read ${what}: ${describe(error)}`, {
    data: { errno: error.code },
    cause: error.stack ?? '',
  });
}
