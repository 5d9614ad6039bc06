import { OperationError } from '../../../src/core/errors.js';
import type { ValidLineEdit } from '../../../src/core/operations.js';

/**
 * Checks the edits in the order of the request, except inserts beyond the line after the last one: those depend on the
 * text that the other edits produce.
 *
 * @param totalLines of the file before the request
 * @throws OperationError `invalid_range` for a line that does not exist, `invalid_params` for two conflicting edits
 */
export function assertEditLines(edits: readonly ValidLineEdit[], totalLines: number): void {
  const changedBy = new Map<number, number>();
  for (const [index, { line, operation }] of edits.entries()) {
    if (operation === 'insert') continue;
    if (line > totalLines) throw outOfRange(index, line, operation, totalLines);
    const other = changedBy.get(line);
    if (other !== undefined) {
      throw new OperationError('invalid_params', (shown) => `Conflicting edits on line ${shown(line)}`, {
        details: (shown) =>
          `Keep one of /edits/${other} and /edits/${index}: a line can be replaced or deleted once, and all line numbers mean the file before the request (lines ${shown(1)} to ${shown(totalLines)}).`,
      });
    }
    changedBy.set(line, index);
  }
}

/** For a replace or delete; insertOutOfRange is for inserts. */
function outOfRange(
  index: number,
  line: number,
  operation: ValidLineEdit['operation'],
  totalLines: number,
): OperationError {
  return new OperationError('invalid_range', (shown) => `Line ${shown(line)} out of range for ${operation} operation`, {
    details: (shown) =>
      totalLines === 0
        ? `The file has no lines: insert at line ${shown(1)} or use append instead of /edits/${index}.`
        : `Correct /edits/${index}: ${operation} takes lines ${shown(1)} to ${shown(totalLines)} here, counted in the file before the request.`,
  });
}

/**
 * @param totalLines of the file before the request
 * @param reached number of lines after the edits before this one
 */
export function insertOutOfRange(index: number, line: number, totalLines: number, reached: number): OperationError {
  const end = Math.max(reached, totalLines) + 1;
  return new OperationError('invalid_range', (shown) => `Line ${shown(line)} out of range for insert operation`, {
    details: (shown) =>
      `Correct /edits/${index}: insert takes lines ${shown(1)} to ${shown(end)} here, and ${shown(end)} puts text at the end. The file had ${totalLines} lines before the request; inserts after line ${shown(totalLines + 1)} go, in ascending order, into the text that all other edits have made.`,
  });
}
