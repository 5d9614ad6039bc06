/** Checks a front's answers against the operation table, including formats such as date-time. */
import assert from 'node:assert/strict';
import { Ajv } from 'ajv';
import formatsModule from 'ajv-formats';
import { rows, type OperationName } from '../../src/core/operations.js';

const ajv = new Ajv({ allErrors: true });
formatsModule.default(ajv);

/**
 * Fails unless the operation's schema describes this result.
 * @param whole false for a front that omits parts of it: required members may be missing then
 */
export function assertDescribed(operation: OperationName, result: unknown, whole = true): void {
  const fits = ajv.compile(rows[operation].result);
  fits(result);
  const errors = (fits.errors ?? []).filter(({ keyword }) => whole || keyword !== 'required');
  assert.deepEqual(errors, [], `${operation}: ${ajv.errorsText(errors)} ${JSON.stringify(result).slice(0, 500)}`);
}
