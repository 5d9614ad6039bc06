import { failure, type Failure, type LineBase } from '../errors.js';
import { isObject } from '../json-body.js';
import type { ValidLineEdit } from '../operations.js';

/** How many violations one answer reports (contract 5.5). */
const maxViolations = 20;

/** A line edit with content that it must not have, or without content that it must have. */
interface WrongContent {
  /** JSON pointer. */
  readonly pointer: string;
  readonly problem: string;
}

/**
 * What the schema of a line edit cannot say (contract 5.3): replace and insert need content, delete takes none.
 * @param edits that may break the schema elsewhere
 */
export function wrongContents(edits: unknown): readonly WrongContent[] {
  if (!Array.isArray(edits)) return [];
  const found: WrongContent[] = [];
  for (const [index, edit] of edits.entries()) {
    if (!isObject(edit)) continue;
    const { operation, content } = edit;
    const pointer = `/edits/${String(index)}`;
    if (operation === 'delete' && content !== undefined) {
      found.push({ pointer, problem: 'must not have content for delete' });
    } else if ((operation === 'replace' || operation === 'insert') && content === undefined) {
      found.push({ pointer, problem: `must have content for ${operation}` });
    }
    if (found.length === maxViolations) break;
  }
  return found;
}

/**
 * The same of edits that fit their schema.
 * @param lineBase of the caller
 * @returns null if all of them are right
 */
export function checkContents(edits: readonly ValidLineEdit[], lineBase: LineBase = 1): Failure | null {
  const wrong = wrongContents(edits);
  if (wrong.length === 0) return null;
  const sentences = wrong.map(({ pointer, problem }) => `${pointer} ${problem}`);
  const first = edits.findIndex(({ operation, content }) => (operation === 'delete') === (content !== undefined));
  const { operation, line = 1 } = edits[first] ?? {};
  if (operation === 'delete') {
    const instead = `or use replace to give line ${String(line - 1 + lineBase)} a new text`;
    const others = sentences.length === 1 ? '' : ` ${sentences.slice(1).join('; ')}.`;
    return failure('invalid_params', 'Delete operation cannot specify content', {
      details: `Leave content out of /edits/${String(first)}, ${instead}.${others}`,
    });
  }
  return failure('invalid_params', `Invalid params: ${sentences.join('; ')}`, {
    details: `${sentences.join('; ')}. Add content where it is missing; "" is one empty line, and the operation delete removes a line.`,
  });
}
