/**
 * Runs calls one after another, with synchronous disk access; other calls run while one waits for a file lock, its turn
 * (turn.ts) or a shared sync (disk/write/shared-sync.ts). Errors thrown by operations become Outcomes here.
 */
import type { Failure, Notice, Outcome, Success } from '../src/core/errors.js';
import { notRead } from '../src/core/failures.js';
import { subjectOf, type OperationName, type OperationOf } from '../src/core/operations.js';
import { RootMoved } from './disk/paths/root.js';
import { describe, isKeptClosed, isSystemError, type SystemError } from './disk/system-error.js';
import { writeFailed } from './disk/write/write-failed.js';
import { failureOf, type Alone, type Call, type Context, type Handler, type Together } from './handler.js';
import { sizeOf } from './answers/hand-over.js';
import { handlers } from './handlers.js';
import { Phase, type TaskAnswer } from '../src/core/thread/task.js';
import { untilLetGo } from './let-go.js';

/** Once the answers of a task exceed this many bytes, they are sent without waiting for the rest. */
const enough = 262_144;

/** Run calls of one operation, as many as fit into one answer. Never rejects. */
export function perform<Name extends OperationName>(
  operation: OperationOf<Name>,
  calls: readonly Call<Name>[],
): Promise<TaskAnswer> {
  const handler: Handler<Name> = handlers[operation.name];
  if (typeof handler === 'function') return oneByOne(handler, calls, operation.writes);
  if (handler.alone !== undefined && calls.length === 1) return oneByOne(handler.alone, calls, operation.writes);
  return together(handler, calls);
}

async function oneByOne<Name extends OperationName>(
  handler: Alone<Name>,
  calls: readonly Call<Name>[],
  writes: boolean,
): Promise<TaskAnswer> {
  const outcomes: Outcome[] = [];
  let bytes = 0;
  // All calls have already arrived: until something is awaited, one check of the working directory covers them all.
  let looked = false;
  for (const call of calls) {
    const { params, context } = call;
    const attempted: Outcome | Promise<Outcome> = attempt(
      call,
      (): Success | Promise<Success> => {
        // A writing operation advances once it holds the lock of its file.
        if (!writes) context.progress.enter(Phase.running);
        return handler(params, context);
      },
      !looked,
    );
    // Reads have finished by now; awaiting each would cost as much as finding its file.
    looked = !(attempted instanceof Promise);
    const outcome = attempted instanceof Promise ? await attempted : attempted;
    context.progress.end();
    outcomes.push(withNotices(withChangeId(outcome, context), context.notices));
    bytes += sizeOf(outcome);
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
  // The notices belong to the group. The answer of a cancelled call is dropped, so another one carries them.
  const notices = calls.flatMap(({ context }) => context.notices);
  const bearer = Math.max(
    0,
    calls.findIndex(({ context }) => !context.progress.cancelled),
  );
  return outcomes.map((given, index) => {
    const outcome = withChangeId(given, calls[index]?.context);
    return index === bearer ? withNotices(outcome, notices) : outcome;
  });
}

/** The result of a call that has changed something names its record in the history. */
function withChangeId<Result extends TaskAnswer[number]>(outcome: Result, context: Context | undefined): Result {
  const id = context?.change?.id;
  return id === undefined || outcome.ok !== true
    ? outcome
    : { ...outcome, result: { ...outcome.result, change_id: id } };
}

function withNotices<Result extends TaskAnswer[number]>(outcome: Result, notices: readonly Notice[]): Result {
  return notices.length === 0 ? outcome : { ...outcome, notices };
}

/**
 * @param call the one attempted, or any call of a group, all of which concern one file
 * @param look whether the working directory may have been replaced since the last check
 */
function attempt<Result>(
  call: Call<OperationName>,
  work: () => Result | Promise<Result>,
  look = true,
  again = true,
): Result | Failure | Promise<Result | Failure> {
  const recover = (error: unknown): Result | Failure | Promise<Result | Failure> => {
    // The directory was replaced before anything was written: retry the operation in the new one, once.
    if (again && error instanceof RootMoved) return attempt(call, work, true, false);
    // Another program has a file open, probably for a moment. Once a commit has begun, it does its own waiting.
    if (again && isSystemError(error) && isKeptClosed(error))
      return attempt(call, () => untilLetGo(work, isKeptClosed), false, false);
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

/** For system errors that no operation handles itself: no descriptors left, an I/O error. */
function systemFailure({ operation, params }: Call<OperationName>, error: SystemError): Failure {
  if (operation.writes) return failureOf(writeFailed(error));
  return notRead(subjectOf(operation, params), describe(error), { data: { errno: error.code }, cause: error.message });
}
