import { OperationError } from '../../src/core/errors.js';
import { explain } from '../commit/commit.js';

/** A change of a call. */
interface Numbered {
  /** In the call, from 1; undefined if the call is about nothing else. */
  readonly number: number | undefined;
  /** The path as the caller wrote it; undefined if it is about several files. */
  readonly name: string | undefined;
}

/**
 * Do something for one change of a call.
 * @throws OperationError that names the change; anything else unchanged
 */
export function withChangeNumber<Result>(change: Numbered, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw numbered(change, error);
  }
}

/** The error that names the change it comes from, if it is one for the caller. */
export function numbered({ number, name }: Numbered, error: unknown): unknown {
  if (number === undefined) return error;
  const explained = explain(error, name ?? 'a file');
  if (!(explained instanceof OperationError) || explained.failure.kind === 'cancelled') return explained;
  const { kind, message, details, data, cause } = explained.failure;
  return new OperationError(kind, message, {
    details,
    data: { ...(name === undefined ? {} : { path: name }), ...data, change: number },
    ...(cause === undefined ? {} : { cause }),
  });
}
