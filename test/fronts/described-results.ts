/** Compares what a front answers with what the table says, formats such as date-time included. */
import assert from 'node:assert/strict';
import { Ajv } from 'ajv';
import formatsModule from 'ajv-formats';
import { rows, type OperationName } from '../../src/core/operations.js';

const ajv = new Ajv({ allErrors: true });
formatsModule.default(ajv);

/**
 * Fails unless the schema of its row describes this result.
 * @param whole false for a front that tells less of it: required members may be missing then
 */
export function assertDescribed(operation: OperationName, result: unknown, whole = true): void {
  const fits = ajv.compile(rows[operation].result);
  fits(result);
  const errors = (fits.errors ?? []).filter(({ keyword }) => whole || keyword !== 'required');
  assert.deepEqual(errors, [], `${operation}: ${ajv.errorsText(errors)} ${JSON.stringify(result).slice(0, 500)}`);
}
