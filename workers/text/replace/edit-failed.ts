import { OperationError, type ErrorKindName } from '../../../src/errors.js';

/** Makes the error of an edit. */
export type Fail = (kind: ErrorKindName, message: string) => OperationError;

/** @param index of the edit, from 0. @param count how many edits there are */
export function failing(index: number, count: number): Fail {
  const others = count === 1 ? 'it' : 'all edits';
  return (kind, message) =>
    new OperationError(kind, `Edit ${index + 1} of ${count} failed: ${message}`, {
      details: `Nothing was written. Correct /edits/${index} as the message says and send ${others} again.`,
    });
}
