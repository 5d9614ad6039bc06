import { OperationError } from '../../src/core/errors.js';
import { explain } from './commit.js';

/**
 * Do something for one change of a call.
 * @param number of the change in the call, from 1; undefined if it is the only change of its call
 * @param name the path as the caller wrote it
 * @throws OperationError that names the change; anything else unchanged
 */
export function withChangeNumber<Result>(
  { number, name }: { readonly number: number | undefined; readonly name: string },
  work: () => Result,
): Result {
  if (number === undefined) return work();
  try {
    return work();
  } catch (error) {
    const explained = explain(error, name);
    if (!(explained instanceof OperationError) || explained.failure.kind === 'cancelled') throw explained;
    const { kind, message, details, data, cause } = explained.failure;
    throw new OperationError(kind, message, {
      details,
      data: { ...data, change: number },
      ...(cause === undefined ? {} : { cause }),
    });
  }
}
