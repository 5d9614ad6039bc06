import type { Notice, Success } from '../src/errors.js';
import type { OperationName, Params, Precondition } from '../src/operations.js';
import { editFile } from './operations/edit.js';
import { listFiles } from './operations/list.js';
import { readFile } from './operations/read.js';
import type { Progress } from './progress.js';
import type { Workspace } from './workspace.js';

/** What an operation gets besides its parameters. */
export interface Context {
  readonly workspace: Workspace;
  readonly progress: Progress;
  readonly precondition: Precondition | undefined;
  /** Filled on the way, logged by the main thread. */
  readonly notices: Notice[];
}

/** May throw an OperationError anywhere; workers/main.ts turns it into the failure it carries. */
export type Handler<Name extends OperationName> = (
  params: Params[Name],
  context: Context,
) => Success | Promise<Success>;

/** Each row of the operation table has its function here; a missing one does not compile. */
export const handlers: { readonly [Name in OperationName]: Handler<Name> } = {
  list_files: listFiles,
  read_file: readFile,
  edit_file: editFile,
};
