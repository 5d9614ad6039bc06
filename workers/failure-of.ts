import { failure, OperationError, type Failure, type LineBase } from '../src/core/errors.js';
import { internalError } from '../src/core/failures.js';
import { RootMoved } from './disk/paths/root.js';

/**
 * The failure that the caller is told of, wherever in this thread the error was thrown. System errors are for
 * perform.ts.
 * @param lineBase of the caller
 */
export function failureOf(error: unknown, lineBase: LineBase = 1): Failure {
  if (error instanceof OperationError) return error.failureFrom(lineBase);
  if (error instanceof RootMoved) return failure('no_directory', 'Cannot access working directory');
  const cause = error instanceof Error ? (error.stack ?? '') : String(error);
  return internalError({ cause });
}
