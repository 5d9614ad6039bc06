import { failure, type Failure, type LineBase } from '../errors.js';
import type { ValidLineEdit } from '../operations.js';

/** How many violations one answer reports (contract 5.5). */
const maxViolations = 20;

/**
 * What the schema of a line edit cannot say (contract 5.3): replace and insert need content, delete takes none.
 * @param edits fit their schema
 * @param lineBase of the caller
 * @returns null if all of them are right
 */
export function checkContents(edits: readonly ValidLineEdit[], lineBase: LineBase = 1): Failure | null {
  const wrong = [...edits.entries()].filter(
    ([, { operation, content }]) => (operation === 'delete') === (content !== undefined),
  );
  const [first] = wrong;
  if (first === undefined) return null;
  const [index, { operation, line }] = first;
  if (operation === 'delete') {
    return failure('invalid_params', 'Delete operation cannot specify content', {
      details: `Leave content out of /edits/${String(index)}, or use replace to give line ${String(line - 1 + lineBase)} a new text.`,
    });
  }
  const missing = wrong
    .filter(([, edit]) => edit.operation !== 'delete')
    .slice(0, maxViolations)
    .map(([at, edit]) => `/edits/${String(at)} must have content for ${edit.operation}`);
  return failure('invalid_params', `Invalid params: ${missing.join('; ')}`, {
    details: `${missing.join('; ')}. Add content there; "" is one empty line, and the operation delete removes a line.`,
  });
}
