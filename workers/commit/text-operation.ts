import type { OperationError, Success } from '../../src/core/errors.js';
import type { OperationName, Params } from '../../src/core/operations.js';
import type { OpenFile } from '../disk/paths/open-file.js';
import type { Root } from '../disk/paths/root.js';
import type { Call } from '../handler.js';
import type { FileText } from './file-text.js';

/** An operation on the text of a file. */
export interface TextOperation<Name extends OperationName> {
  nameOf(params: Params[Name]): string;
  /** Null, or OperationError not_found, if there is no file. @throws OperationError if it may not be used */
  open(root: Root, name: string): OpenFile | null;
  /** Whether the file may hold bytes that edits do not accept as text. */
  readonly anyBytes?: true;
  /** Whether the call never writes, and so needs no lock. */
  isDry?(params: Params[Name]): boolean;
  /** @throws OperationError if it refuses the call */
  change(call: Call<Name>, found: FileText | Absent): Change;
}

export interface Change {
  /** The text that was found, if nothing changes. */
  readonly text: FileText;
  /**
   * Makes the answer; called at most once. The answer to an isolated call is made while its text is synced to disk:
   * long work that cannot fail (a hash, a diff) costs no time there.
   */
  readonly answer: () => Success;
}

/** Stands in for the text if there is no file. */
export class Absent {
  /**
   * @param refusal the error to report if nothing can be created: at a dangling link, or by an operation that never
   *   creates
   */
  constructor(readonly refusal?: OperationError) {}

  /** Part of the interface of an open file. */
  closeLater(): void {
    // Nothing was opened.
  }
}
