import type { LineBase, Notice, Success } from '../src/errors.js';
import type { OperationName, Params, Precondition } from '../src/operations.js';
import type { Progress } from './progress.js';
import type { TaskAnswer } from './task.js';
import type { Workspace } from './workspace.js';

/** What an operation gets besides its parameters. */
export interface Context {
  readonly workspace: Workspace;
  readonly progress: Progress;
  readonly precondition: Precondition | undefined;
  /** From which number the caller counts the lines that errors name; from 1 if undefined. */
  readonly lineBase?: LineBase | undefined;
  /** How many bytes the answer may have; no limit if undefined. */
  readonly room?: number | undefined;
  /** Warnings that pile up on the way; the main thread logs them. */
  readonly notices: Notice[];
}

export interface Call<Name extends OperationName> {
  readonly operation: Name;
  readonly params: Params[Name];
  readonly context: Context;
}

/** May throw an OperationError anywhere; perform.ts turns it into the failure it carries. */
export type Alone<Name extends OperationName> = (params: Params[Name], context: Context) => Success | Promise<Success>;

/** Commits calls to one file together (contract 6); what it throws is the failure of each of them. */
export interface Together<Name extends OperationName> {
  together(calls: readonly Call<Name>[]): Promise<TaskAnswer>;
}

export type Handler<Name extends OperationName> = Alone<Name> | Together<Name>;
