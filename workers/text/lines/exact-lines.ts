import { isUtf8 } from 'node:buffer';
import { Chunks, type Source } from '../chunks.js';
import { lastBoundary } from '../../answers/json-answer.js';
import { chunkSize, skipSeparators } from '../kernel.js';
import { CR, LF } from '../separators.js';
import type { SeparatorPlace } from './line-index.js';
import { notUtf8, Scan, type TextFacts } from './scan.js';
import { boundsOf, type WantedRange } from './selection.js';

/** The input of a view. */
interface WantedLines extends Pick<WantedRange, 'startLine' | 'endLine' | 'check'> {
  /** How many bytes are useful; the rest is left out. */
  readonly most: number;
}

interface ExactLines {
  readonly bytes: Buffer;
  readonly facts: TextFacts;
}

/**
 * The wanted lines of a text, byte for byte: each with its own separator, and line 1 with the byte order mark.
 * @param known facts about exactly this text; with them, only the wanted part is read
 * @throws OperationError not_utf8, invalid_range, and what `wanted.check` throws
 */
export function exactLines(source: Source, wanted: WantedLines, known?: TextFacts): ExactLines {
  const facts = known ?? factsOf(source);
  const { start, end } = boundsOf(wanted, facts);
  const from = offsetOf(source, start);
  const length = offsetOf(source, end) - from;
  const held = Math.min(length, wanted.most);
  const bytes = Buffer.allocUnsafe(held);
  const got = source(bytes, from);
  const lines = bytes.subarray(0, held < length ? lastBoundary(bytes, got) : got);
  // Bytes that were valid when the facts were gathered may since have been damaged by a faulty disk.
  if (!isUtf8(lines)) throw notUtf8();
  return { bytes: lines, facts };
}

function factsOf(source: Source): TextFacts {
  const scan = new Scan(new Chunks(source));
  while (scan.next());
  return scan.facts();
}

/** Offset of a separator's end in the text. To the kernel, a `\r\n` ends after its `\r`. */
function offsetOf(source: Source, { chunk, separator }: SeparatorPlace): number {
  const chunks = new Chunks(source, chunk * chunkSize);
  chunks.next();
  const { bytes, position, length } = chunks;
  const end = skipSeparators(0, length, separator);
  if (bytes[end - 1] !== CR || end === 0) return position + end;
  const [next] = end < length ? [bytes[end]] : byteAt(source, position + end);
  return position + end + (next === LF ? 1 : 0);
}

function byteAt(source: Source, position: number): Buffer {
  const byte = Buffer.alloc(1);
  return byte.subarray(0, source(byte, position));
}
