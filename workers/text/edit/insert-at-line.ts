import { OperationError } from '../../../src/core/errors.js';
import { bomLength, dominantSeparator } from '../separators.js';
import { findSeparators } from '../lines/separator-ends.js';

/** A new text between its neighbours. */
interface Insertion {
  readonly before: readonly Buffer[];
  readonly added: Buffer;
  readonly after: Buffer;
}

/**
 * Insert a text before a line, unchanged. After a last line without a separator, one is added first (spec 11). A byte
 * order mark stays in front of line 1 and is not doubled by a text that begins with one too (spec 4).
 * @param text valid UTF-8
 * @param line from 1; the number of lines plus one is the end of the text
 * @throws OperationError invalid_range
 */
export function insertAtLine(text: Buffer, line: number, inserted: Buffer): Insertion {
  const { ends, summary } = findSeparators(text, line > 1 && line <= Number.MAX_SAFE_INTEGER ? [line - 1] : []);
  const { totalLines, separators, ended } = summary;
  const last = totalLines + 1;
  if (line < 1 || line > last) {
    throw new OperationError('invalid_range', `Line number ${String(line)} out of range (1-${String(last)})`, {
      details: `Nothing was written. Send an insert_line from 1 to ${String(last)}, where ${String(last)} is the end of the file.`,
    });
  }
  const atEnd = line === last && totalLines > 0;
  const bom = line === 1 ? bomLength(text) : 0;
  const offset = line === 1 ? bom : atEnd ? text.length : (ends.get(line - 1) ?? text.length);
  const separator = atEnd && !ended ? dominantSeparator(separators) : '';
  const added = bom > 0 ? inserted.subarray(bomLength(inserted)) : inserted;
  return { before: [text.subarray(0, offset), Buffer.from(separator)], added, after: text.subarray(offset) };
}
