import { failure, OperationError, type Failure, type LineBase } from '../src/errors.js';
import { RootMoved } from './disk/root.js';

/**
 * What an error means to the caller, wherever in this thread it was thrown; but for system errors (perform.ts).
 * @param lineBase of the caller
 */
export function failureOf(error: unknown, lineBase: LineBase = 1): Failure {
  if (error instanceof OperationError) return error.failureFrom(lineBase);
  if (error instanceof RootMoved) return failure('no_directory', 'Cannot access working directory');
  const cause = error instanceof Error ? (error.stack ?? '') : String(error);
  return failure('internal', 'Internal error', { cause });
}
