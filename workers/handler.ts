import { failure, OperationError, type Failure, type LineBase, type Notice, type Success } from '../src/core/errors.js';
import { internalError } from '../src/core/failures.js';
import type { ModelCall, OperationName, OperationOf, Params, Precondition, Results } from '../src/core/operations.js';
import { RootMoved } from './disk/paths/root.js';
import type { Progress } from './progress.js';
import type { SearchPart } from '../src/core/search-part.js';
import type { TaskAnswer } from '../src/core/thread/task.js';
import type { Workspace } from './workspace.js';

/** What the history says of a call that changes something (spec 18). */
export interface ChangeOfCall {
  readonly operation: OperationName;
  readonly caller?: string | undefined;
  /** The changes that it takes back. */
  undoes?: readonly string[];
  /** Its id, once it is recorded. */
  id?: string | undefined;
}

/** An operation's input besides its parameters. */
export interface Context {
  readonly workspace: Workspace;
  readonly progress: Progress;
  readonly precondition: Precondition | undefined;
  /** The caller's number for the first line, for error messages; 1 if undefined. */
  readonly lineBase?: LineBase | undefined;
  /** Undefined if the caller is a program: its call is taken literally. */
  readonly model?: ModelCall | undefined;
  /** The part to run, if the operation runs in parts. */
  readonly search?: SearchPart | undefined;
  /** Undefined without --history. */
  readonly change?: ChangeOfCall | undefined;
  /** Warnings collected on the way; the main thread logs them. */
  readonly notices: Notice[];
}

export interface Call<Name extends OperationName> {
  readonly operation: OperationOf<Name>;
  readonly params: Params[Name];
  readonly context: Context;
}

type Members<Result> = Result extends unknown
  ? { readonly [Name in keyof Result]?: Result[Name] | Uint8Array | readonly Uint8Array[] }
  : never;

/**
 * Members of the result, as the row of the operation describes them. Each is a value, or JSON in bytes, in one piece or
 * several; some may be in `json` alone (src/core/errors.ts).
 */
export type ResultOf<Name extends OperationName> = Members<Results[Name]>;

/** A success with only the members that the row of its operation describes. */
export type SuccessOf<Name extends OperationName> = Omit<Success, 'result'> & { readonly result: ResultOf<Name> };

/** May throw an OperationError anywhere; perform.ts turns it into the failure it carries. */
export type Alone<Name extends OperationName> = (
  params: Params[Name],
  context: Context,
) => SuccessOf<Name> | Promise<SuccessOf<Name>>;

/** Commits calls to one file together (spec 6); if it throws, every call fails with that error. */
export interface Together<Name extends OperationName> {
  together(calls: readonly Call<Name>[]): Promise<TaskAnswer>;
  /** For a call on its own, if that may do what calls in a group cannot. */
  readonly alone?: Alone<Name>;
}

export type Handler<Name extends OperationName> = Alone<Name> | Together<Name>;

/**
 * The failure reported to the caller, wherever in this thread the error was thrown. perform.ts handles system errors.
 * @param lineBase of the caller
 */
export function failureOf(error: unknown, lineBase: LineBase = 1): Failure {
  if (error instanceof OperationError) return error.failureFrom(lineBase);
  if (error instanceof RootMoved) return failure('no_directory', 'Cannot access working directory');
  const cause = error instanceof Error ? (error.stack ?? '') : String(error);
  return internalError({ cause });
}
