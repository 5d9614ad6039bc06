import { failure, type Failure, type LineBase } from '../../core/errors.js';
import type { ValidLineEdit } from '../../core/operations.js';
import { invalid, maxViolations, type Violation } from '../../core/violations.js';

/** A line edit with a member that its operation forbids, or without one that it needs. */
interface WrongEdit extends Violation {
  readonly index: number;
  /** For a fault that gets a dedicated message if it is the first. */
  readonly own?: OwnMessage;
}

interface OwnMessage {
  readonly message: string;
  readonly instead: (pointer: string, line: string) => string;
}

const contentOfDelete: OwnMessage = {
  message: 'Delete operation cannot specify content',
  instead: (pointer, line) => `Leave content out of ${pointer}, or use replace to give line ${line} a new text.`,
};
const endOfInsert: OwnMessage = {
  message: 'Insert operation cannot specify end_line',
  instead: (pointer, line) =>
    `Leave end_line out of ${pointer} to put content before line ${line}, or use replace to put it in place of lines.`,
};

/**
 * Rules of line edits that their schema cannot express (spec 5.3): replace and insert need content, delete takes none,
 * and insert takes no end_line.
 * @param edits may violate the schema in other ways
 */
export function wrongEdits(edits: unknown): readonly WrongEdit[] {
  const found: WrongEdit[] = [];
  const list: readonly unknown[] = Array.isArray(edits) ? edits : [];
  for (const [index, edit] of list.entries()) {
    if (typeof edit !== 'object' || edit === null) continue;
    const operation: unknown = Reflect.get(edit, 'operation');
    const has = (name: string): boolean => Reflect.get(edit, name) !== undefined;
    const at = { index, pointer: `/edits/${String(index)}` };
    if (operation === 'insert' && has('end_line')) {
      found.push({ ...at, problem: 'must not have end_line for insert', own: endOfInsert });
    }
    if (operation === 'delete' && has('content')) {
      found.push({ ...at, problem: 'must not have content for delete', own: contentOfDelete });
    } else if ((operation === 'replace' || operation === 'insert') && !has('content')) {
      const hint = '"" is one empty line, and the operation delete removes a line.';
      found.push({ ...at, problem: `needs content to ${operation}`, hint });
    }
    if (found.length >= maxViolations) break;
  }
  return found.slice(0, maxViolations);
}

/**
 * The same for edits that are valid by their schema.
 * @param lineBase number of the caller's first line
 * @returns null if all edits are valid
 */
export function checkEdits(edits: readonly ValidLineEdit[], lineBase: LineBase = 1): Failure | null {
  const wrong = wrongEdits(edits);
  const [first, ...more] = wrong;
  if (first === undefined) return null;
  const { index, pointer, own } = first;
  if (own === undefined) return invalid(wrong);
  const { line = 1 } = edits[index] ?? {};
  const others = more.map((each) => ` ${each.pointer} ${each.problem}.`);
  return failure('invalid_params', own.message, {
    details: `${own.instead(pointer, String(line - 1 + lineBase))}${others.join('')}`,
  });
}
