import type { Random } from '../../reliability/random.js';
import {
  append,
  create,
  deleteLines,
  insertLine,
  linesOf,
  readAll,
  readFirst,
  remove,
  replaceFirst,
  replaceText,
  view,
  writeWhole,
  type FileCall,
} from './file-calls.js';

/** Files exceed this length only briefly. */
const manyLines = 24;

/**
 * A random call on a file: mostly a read if `mostlyRead`, otherwise mostly an edit.
 * @param seen its content when last read, if ever
 * @param newLine returns lines, none a substring of another
 * @param hash whether edits request the hash of their result
 */
export function chooseCall(
  random: Random,
  file: string,
  seen: string | undefined,
  newLine: () => string,
  { mostlyRead, hash }: { mostlyRead: boolean; hash: true | undefined },
): FileCall {
  const lines = seen === undefined ? [] : linesOf(seen);
  const flip = (): boolean => random.between(0, 1) === 0;
  const dice = mostlyRead && random.between(1, 100) <= 85 ? random.between(1, 24) : random.between(1, 100);
  if (dice <= 14) return readAll(file);
  if (dice <= 20) return readFirst(file);
  if (dice <= 24) return view(file);
  if (dice <= 48) return append(file, newLine(), flip() ? true : undefined, hash);
  if (dice <= 58) return replaceFirst(file, newLine(), undefined, hash);
  if (dice <= 68) return replaceFirst(file, newLine(), seen, hash);
  if (dice <= 80) {
    const from = lines.length > 0 ? random.pick(lines) : 'never there';
    return replaceText(file, from, newLine(), random.pick(['apply_edits', 'str_replace'] as const));
  }
  if (dice <= 88) return insertLine(file, random.between(1, 4), newLine());
  if (dice <= 96) return deleteLines(file, lines.length > manyLines ? 16 : random.between(2, 8));
  if (dice === 97) return create(file, newLine());
  if (dice === 98) return writeWhole(file, newLine(), flip() ? seen : undefined);
  return remove(file, flip() ? seen : undefined);
}
