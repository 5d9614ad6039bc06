import { OperationError } from '../../../src/core/errors.js';
import { Chunks, countSeparators, sourceOf, type Source } from '../chunks.js';
import { countChunk, isBehindSeparator } from '../kernel.js';
import type { Text } from '../scattered-text.js';
import { bomLength } from '../separators.js';
import { Utf8Check } from '../utf8.js';

/**
 * Number of lines of a text in valid UTF-8 (spec 4). A final separator starts no line, and a byte order mark is not a
 * line.
 */
export function countLines(text: Text): number {
  const chunks = new Chunks(sourceOf(text));
  return totalLines(chunks, countSeparators(chunks));
}

/** Number of lines of a text (spec 4) in one pass; undefined if it is not valid UTF-8. */
export function lineCount(source: Source): number | undefined {
  const chunks = new Chunks(source);
  const utf8 = new Utf8Check();
  let separators = 0;
  while (chunks.next()) {
    if (!utf8.passes(chunks)) return undefined;
    separators += countChunk(chunks.length);
  }
  return utf8.complete ? totalLines(chunks, separators) : undefined;
}

/**
 * @param chunks of a whole text, after the last one
 * @param separators number of separators in the text
 */
export function totalLines({ bytes, length, end }: Chunks, separators: number): number {
  if (end === 0 || isBehindSeparator(length)) return separators;
  const onlyBom = end === 3 && bomLength(bytes) === 3;
  return onlyBom ? separators : separators + 1;
}

/**
 * @param startLine undefined: not given
 * @param endLine undefined: not given
 * @throws OperationError `invalid_range` if start > end or start is past the last line (spec 5.5)
 */
export function assertRange(startLine: number | undefined, endLine: number | undefined, totalLines: number): void {
  if (startLine === undefined) return;
  if (endLine !== undefined && startLine > endLine) {
    throw new OperationError(
      'invalid_range',
      (shown) => `Invalid line range: start ${shown(startLine)} > end ${shown(endLine)}`,
      { details: (shown) => `Send a start_line that is not greater than end_line; ${validStart(totalLines, shown)}.` },
    );
  }
  if (startLine > totalLines) {
    throw new OperationError(
      'invalid_range',
      (shown) => `Start line ${shown(startLine)} exceeds file length ${totalLines}`,
      { details: (shown) => `Read again from a line that exists: ${validStart(totalLines, shown)}.` },
    );
  }
}

function validStart(totalLines: number, shown: (line: number) => number): string {
  return totalLines === 0
    ? 'the file has no lines, leave start_line out'
    : `the file has lines ${shown(1)} to ${shown(totalLines)}, start_line must be one of them`;
}
