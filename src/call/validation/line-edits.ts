import { failure, type Failure, type LineBase } from '../../core/errors.js';
import type { ValidLineEdit } from '../../core/operations.js';
import { invalid, maxViolations, type Violation } from '../../core/violations.js';

/** A line edit with forbidden content or without required content. */
interface WrongContent extends Violation {
  readonly index: number;
}

/**
 * Rules of line edits that their schema cannot express (spec 5.3): replace and insert need content, delete takes none.
 * @param edits may violate the schema in other ways
 */
export function wrongContents(edits: unknown): readonly WrongContent[] {
  const found: WrongContent[] = [];
  const list: readonly unknown[] = Array.isArray(edits) ? edits : [];
  for (const [index, edit] of list.entries()) {
    if (typeof edit !== 'object' || edit === null) continue;
    const operation: unknown = Reflect.get(edit, 'operation');
    const hasContent = Reflect.get(edit, 'content') !== undefined;
    const pointer = `/edits/${String(index)}`;
    if (operation === 'delete' && hasContent) {
      found.push({ index, pointer, problem: 'must not have content for delete' });
    } else if ((operation === 'replace' || operation === 'insert') && !hasContent) {
      found.push({
        index,
        pointer,
        problem: `must have content for ${operation}`,
        hint: '"" is one empty line, and the operation delete removes a line.',
      });
    }
    if (found.length === maxViolations) break;
  }
  return found;
}

/**
 * The same for edits that are valid by their schema.
 * @param lineBase number of the caller's first line
 * @returns null if all edits are valid
 */
export function checkContents(edits: readonly ValidLineEdit[], lineBase: LineBase = 1): Failure | null {
  const wrong = wrongContents(edits);
  const [first] = wrong;
  if (first === undefined) return null;
  const { operation, line = 1 } = edits[first.index] ?? {};
  if (operation === 'delete') {
    const instead = `or use replace to give line ${String(line - 1 + lineBase)} a new text`;
    const others = wrong.slice(1).map(({ pointer, problem }) => ` ${pointer} ${problem}.`);
    return failure('invalid_params', 'Delete operation cannot specify content', {
      details: `Leave content out of ${first.pointer}, ${instead}.${others.join('')}`,
    });
  }
  return invalid(wrong);
}
