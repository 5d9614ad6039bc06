import { OperationError } from '../../../src/core/errors.js';
import type { ScatteredText } from '../scattered-text.js';
import { bomLength, dominantSeparator, type LineSummary, type Separator } from '../separators.js';
import { findSeparators, summaryOf } from '../lines/separator-ends.js';

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
  const { totalLines } = summary;
  const last = totalLines + 1;
  if (line < 1 || line > last) {
    throw new OperationError('invalid_range', `Line number ${String(line)} out of range (1-${String(last)})`, {
      details: `Nothing was written. Send an insert_line from 1 to ${String(last)}, where ${String(last)} is the end of the file.`,
    });
  }
  if (line === 1) {
    const bom = bomLength(text);
    const added = afterBom(bom, inserted);
    return { before: [text.subarray(0, bom), Buffer.alloc(0)], added, after: text.subarray(bom) };
  }
  const offset = line === last ? text.length : (ends.get(line - 1) ?? text.length);
  const separator = line === last ? missingSeparator(summary) : '';
  return {
    before: [text.subarray(0, offset), Buffer.from(separator)],
    added: inserted,
    after: text.subarray(offset),
  };
}

/** What goes into a text at its start or its end. */
interface EdgeInsertion {
  readonly offset: number;
  /** The inserted text, after the separator that the last line lacks. */
  readonly added: Buffer;
  /** The first line that it makes. */
  readonly line: number;
}

/** As insertAtLine, before the first line of a text or after its last one. */
export function insertAtEdge(text: ScatteredText, edge: 'start' | 'end', inserted: string): EdgeInsertion {
  const summary = edge === 'end' ? summaryOf(text) : undefined;
  if (summary === undefined || summary.totalLines === 0) {
    const bom = bomOf(text);
    return { offset: bom, added: afterBom(bom, Buffer.from(inserted)), line: 1 };
  }
  const added = Buffer.from(`${missingSeparator(summary)}${inserted}`);
  return { offset: text.length, added, line: summary.totalLines + 1 };
}

/** The separator that the last line of a text lacks. */
function missingSeparator({ separators, ended }: LineSummary): Separator | '' {
  return ended ? '' : dominantSeparator(separators);
}

/** @param bom length of the byte order mark before the inserted text */
function afterBom(bom: number, inserted: Buffer): Buffer {
  return bom > 0 ? inserted.subarray(bomLength(inserted)) : inserted;
}

function bomOf(text: ScatteredText): number {
  const beginning = Buffer.alloc(3);
  const length = text.source()(beginning, 0);
  return bomLength(beginning.subarray(0, length));
}
