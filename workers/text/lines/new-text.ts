import { CR, LF, type Separator, type SeparatorCounts } from '../separators.js';
import { LineScanner } from './line-scanner.js';
import { findSeparators } from './separator-ends.js';

/**
 * Text of a request, split as in spec 4 and 5.3. Until it is written it stays the string or the bytes that it
 * arrived as.
 */
export interface NewText {
  readonly text: string | Buffer;
  /** Where its last line ends: a final separator is dropped. */
  readonly end: number;
  /** At least 1: the empty text is one empty line. */
  readonly lines: number;
  /** Whether it had a final separator. */
  readonly ended: boolean;
  /** Including the final one. */
  readonly separators: Readonly<SeparatorCounts>;
}

/**
 * A text of a request, split as spec 4 says: a final separator ends its last line, and no text is one empty line.
 */
export function newText(text: string | Buffer): NewText {
  const scanner = new LineScanner(text);
  const lines = Math.max(1, scanner.finish());
  const { separator, separators } = scanner;
  return { text, end: text.length - separator.length, lines, ended: separator !== '', separators };
}

/** Length of a text in UTF-8 with every separator replaced by `separator`. */
export function lengthWith(separator: Separator, text: string | Buffer): number {
  if (hasOnly(separator, text)) return Buffer.byteLength(text);
  const { separators } = newText(text);
  const counts = Object.entries(separators);
  const removed = counts.reduce((sum, [each, count]) => sum + count * each.length, 0);
  const added = counts.reduce((sum, [, count]) => sum + count * separator.length, 0);
  return Buffer.byteLength(text) - removed + added;
}

/** Write the text with every separator replaced by `separator`. @returns how many bytes were written */
export function writeWith(separator: Separator, text: string | Buffer, bytes: Buffer, start: number): number {
  if (typeof text !== 'string') {
    return hasOnly(separator, text) ? text.copy(bytes, start) : writeBytes(separator, text, bytes, start);
  }
  return hasOnly(separator, text) ? bytes.write(text, start) : writeString(separator, text, bytes, start);
}

/** True of most texts: nothing in them has to be replaced. */
export function hasOnly(separator: Separator, text: string | Buffer): boolean {
  return separator === '\n' && !text.includes('\r');
}

// Each chunk is garbage before the next is made: a copy of the whole text would double the memory of a large request.
const chunkLength = 16_384;

function writeString(separator: Separator, text: string, bytes: Buffer, start: number): number {
  let at = start;
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + chunkLength, text.length);
    if (to < text.length && needsNext(text.charCodeAt(to - 1))) to -= 1;
    at += bytes.write(text.slice(from, to).replace(/\r\n?|\n/g, separator), at);
    from = to;
  }
  return at - start;
}

/** Whether a chunk must not end here: `\r` may be half of `\r\n`, and a high surrogate is half of a character. */
function needsNext(unit: number): boolean {
  return unit === CR || (unit >= 0xd800 && unit <= 0xdbff);
}

/** Takes 30 ms for 10 MB. Strings made from chunks of it would take its memory once more. */
function writeBytes(separator: Separator, text: Buffer, bytes: Buffer, start: number): number {
  const separatorBytes = Buffer.from(separator);
  let at = start;
  for (let from = 0; from < text.length; from++) {
    const byte = text[from] ?? 0;
    if (byte !== LF && byte !== CR) {
      bytes[at++] = byte;
    } else {
      if (byte === CR && text[from + 1] === LF) from++;
      at += separatorBytes.copy(bytes, at);
    }
  }
  return at - start;
}

/**
 * A text with `\r\n` for every `\n`: what a caller means who believes that the lines of a file end with `\n` (spec 15).
 * @returns the text itself if each `\n` has its `\r` already
 */
export function withCrlf(text: Buffer): Buffer {
  const bare = findSeparators(text, []).summary.separators['\n'];
  if (bare === 0) return text;
  const taken = Buffer.allocUnsafeSlow(text.length + bare);
  let to = 0;
  for (let from = 0; from < text.length; from++) {
    if (text[from] === LF && text[from - 1] !== CR) taken[to++] = CR;
    taken[to++] = text[from] ?? 0;
  }
  return taken;
}
