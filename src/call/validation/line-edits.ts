import { failure, type Failure, type LineBase } from '../../core/errors.js';
import type { ValidLineEdit } from '../../core/operations.js';
import { invalid, maxViolations, type Violation } from '../../core/violations.js';

/** A line edit that has content though it must not, or lacks the content that it needs. */
interface WrongContent extends Violation {
  readonly index: number;
}

/**
 * What the schema of a line edit cannot express (spec 5.3): replace and insert need content, delete takes none.
 * @param edits that may break the schema elsewhere
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
 * The same for edits that fit their schema.
 * @param lineBase of the caller
 * @returns null if all of them are right
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
