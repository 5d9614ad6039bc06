import { OperationError } from '../../src/errors.js';
import type { Params, Precondition } from '../../src/operations.js';

/**
 * The answer to a write that expects another version of its file (contract 5.4). What its caller should do next depends
 * on why it does: a hash that no version can have is a mistake that reading the file again does not mend.
 *
 * @param precondition from If-Match
 * @param current hash of the file now; undefined if there is none
 */
export function hasChanged(
  params: Pick<Params['edit_file'], 'name' | 'create_if_missing' | 'expected_hash'>,
  precondition: Precondition | undefined,
  current: string | undefined,
): OperationError {
  const message = `File '${params.name}' has changed`;
  if (current === undefined) {
    const details =
      params.create_if_missing === true
        ? 'Nothing was written: there is no file of this name, so no hash fits it. Leave expected_hash (or If-Match) out to create it.'
        : 'Nothing was written: there is no file of this name any more. Call list_files to see which files exist.';
    return new OperationError('changed', message, { details });
  }
  const misspelt = misspeltIn(params.expected_hash, precondition, current);
  return new OperationError('changed', message, {
    ...(misspelt === undefined ? {} : { details: `Nothing was written: ${misspelt}` }),
    data: { current_hash: current },
  });
}

function misspeltIn(
  expected: string | undefined,
  precondition: Precondition | undefined,
  current: string,
): string | undefined {
  const isHash = (text: string): boolean => text.length === current.length && /^[0-9a-f]+$/.test(text);
  const form = `a hash of this server, ${String(current.length)} lower-case hex digits`;
  if (expected !== undefined && !isHash(expected)) {
    return `expected_hash is not written as ${form}. Send it exactly as return_hash gives it.`;
  }
  if (precondition === undefined || precondition === '*' || precondition.some(isHash)) return undefined;
  return `If-Match holds no strong tag with ${form}. Send an ETag exactly as it came, in its quotes.`;
}
