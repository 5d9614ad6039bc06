import { OperationError } from '../../src/core/errors.js';
import { explain } from './commit.js';

/**
 * Do something for one of several changes.
 * @param change its number in the call, from 1, and the path as the caller wrote it
 * @throws OperationError that names the change; anything else unchanged
 */
export function ofChange<Result>(
  change: { readonly number: number; readonly name: string },
  work: () => Result,
): Result {
  try {
    return work();
  } catch (error) {
    const explained = explain(error, change.name);
    if (!(explained instanceof OperationError) || explained.failure.kind === 'cancelled') throw explained;
    const { kind, message, details, data, cause } = explained.failure;
    throw new OperationError(kind, message, {
      details,
      data: { ...data, change: change.number },
      ...(cause === undefined ? {} : { cause }),
    });
  }
}
