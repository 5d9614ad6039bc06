import { isUtf8 } from 'node:buffer';
import { Chunks, type Source } from '../chunks.js';
import { answerFromChunk, JsonAnswer, lengthInJson, type JsonBytes } from '../../answers/json-answer.js';
import { chunkSize, isBehindSeparator, skipSeparators } from '../kernel.js';
import type { SeparatorPlace } from './line-index.js';
import { assertRange } from './lines.js';
import { notUtf8, Scan, type TextFacts } from './scan.js';

/** The input of a read. */
export interface WantedRange {
  /** Undefined: not given, so from the first line. */
  readonly startLine: number | undefined;
  readonly endLine: number | undefined;
  /** Throws if the text may not be delivered at all; called before the range is checked (spec 5.5). */
  readonly check: (facts: TextFacts) => void;
  /** The rest of the result from the content's closing quote; ASCII. */
  readonly tail: (facts: TextFacts) => string;
  /** How much of the content is useful, in bytes of JSON; longer content may be cut after that (JsonAnswer). */
  readonly most?: number;
}

export interface Selection extends JsonBytes {
  readonly facts: TextFacts;
}

/** Length of `\n` in JSON. */
const separatorLength = 2;

/**
 * The result of a read: the wanted lines of a text (spec 5.2), joined by `\n` without a final separator, after the byte
 * order mark if line 1 is among them or the text has no lines.
 *
 * Only one chunk of the text is held at a time: while it is in the processor's cache it is checked, counted, hashed and
 * written to the answer. At most the memory of the text, the answer and 1 MB are used at a time (spec 6).
 *
 * @param size of the text in bytes, as far as it is known
 * @param known facts about exactly this text: with them, only the wanted part is read
 * @throws OperationError not_utf8, invalid_range, and what `wanted.check` throws
 */
export function select(source: Source, size: number, wanted: WantedRange, known?: TextFacts): Selection {
  if (known !== undefined) return selectWindow(source, wanted, known);
  const chunks = new Chunks(source);
  const scan = new Scan(chunks);
  scan.next();
  if (chunks.length < chunkSize) {
    const facts = scan.facts();
    return selectInChunk(chunks, boundsOf(wanted, facts), wanted, facts);
  }
  if (!isWindow(wanted)) return selectAll(source, size, wanted, scan, chunks);
  while (scan.next());
  return selectWindow(source, wanted, scan.facts());
}

/** Whether fewer than all lines may be wanted. */
export function isWindow({ startLine = 1, endLine }: WantedRange): boolean {
  return startLine > 1 || endLine !== undefined;
}

/** Whether rescanning the whole text costs nothing. */
export function isOneChunk({ index }: TextFacts): boolean {
  return index.length <= 1;
}

interface Bounds {
  /** The last separator before the selection, and the one that ends it. */
  readonly start: SeparatorPlace;
  readonly end: SeparatorPlace;
}

/** @throws OperationError invalid_range, and what `wanted.check` throws */
export function boundsOf(
  { startLine, endLine = Infinity, check }: Pick<WantedRange, 'startLine' | 'endLine' | 'check'>,
  facts: TextFacts,
): Bounds {
  const { totalLines, index } = facts;
  check(facts);
  assertRange(startLine, endLine, totalLines);
  return { start: index.find((startLine ?? 1) - 1), end: index.find(endLine < totalLines ? endLine : Infinity) };
}

function selectInChunk(chunks: Chunks, { start, end }: Bounds, { tail }: WantedRange, facts: TextFacts): Selection {
  const from = skipSeparators(0, chunks.length, start.separator);
  const to = skipSeparators(from, chunks.length, end.separator - start.separator);
  const dropped = to > from && isBehindSeparator(to) ? separatorLength : 0;
  return { ...answerFromChunk(from, to, dropped, tail(facts)), facts };
}

/** All lines of a text whose first chunk has been scanned. */
function selectAll(source: Source, size: number, wanted: WantedRange, scan: Scan, chunks: Chunks): Selection {
  const answer = new JsonAnswer(size, () => lengthInJson(source, chunks.end, Infinity), wanted.most);
  do answer.append(0, chunks.length);
  while (scan.next());
  const facts = scan.facts();
  boundsOf(wanted, facts);
  const dropped = isBehindSeparator(chunks.length) ? separatorLength : 0;
  return { ...answer.end(dropped, wanted.tail(facts)), facts };
}

function selectWindow(source: Source, wanted: WantedRange, facts: TextFacts): Selection {
  const places = boundsOf(wanted, facts);
  const chunks = new Chunks(source, places.start.chunk * chunkSize);
  chunks.next();
  const selection =
    places.start.chunk === places.end.chunk
      ? selectInChunk(chunks, places, wanted, facts)
      : selectInChunks(source, chunks, places, wanted, facts);
  // Bytes that were valid when the facts were gathered may since have been damaged by a faulty disk.
  if (!isUtf8(selection.content)) throw notUtf8();
  return selection;
}

function selectInChunks(
  source: Source,
  chunks: Chunks,
  { start, end }: Bounds,
  { tail, most }: WantedRange,
  facts: TextFacts,
): Selection {
  const first = start.chunk * chunkSize;
  const last = end.chunk * chunkSize;
  const rest = (): number => lengthInJson(source, chunks.end, last, end.separator);
  const answer = new JsonAnswer(last + chunkSize - first, rest, most);
  let dropped = 0;
  do {
    const { length, position } = chunks;
    const from = position === first ? skipSeparators(0, length, start.separator) : 0;
    const to = position === last ? skipSeparators(0, length, end.separator) : length;
    answer.append(from, to);
    if (to > from) dropped = isBehindSeparator(to) ? separatorLength : 0;
  } while (!answer.isFull && chunks.position < last && chunks.next());
  return { ...answer.end(dropped, tail(facts)), facts };
}
