import { LineScanner } from './line-scanner.js';
import type { Separator, SeparatorCounts } from './separators.js';

/** Text of a request, split as in contract 4 and 5.3. It stays the string it came as until it is written. */
export interface NewText {
  readonly text: string;
  /** Where its last line ends: a final separator is dropped. */
  readonly end: number;
  /** At least 1: the empty text is one empty line. */
  readonly lines: number;
  /** Whether it had a final separator. */
  readonly ended: boolean;
  /** The final one included. */
  readonly separators: Readonly<SeparatorCounts>;
}

export function newText(text: string): NewText {
  const scanner = new LineScanner(text);
  const lines = Math.max(1, scanner.finish());
  const { separator, separators } = scanner;
  return { text, end: text.length - separator.length, lines, ended: separator !== '', separators };
}

// A chunk is gone before the next is made: a copy of the whole text would double the memory of a large request.
const chunkLength = 16_384;

/** The text from `start` to `end` with every separator replaced by `separator`, in chunks that can be encoded one by one. */
export function* withSeparator(text: string, start: number, end: number, separator: Separator): Generator<string> {
  for (let from = start; from < end;) {
    let to = Math.min(from + chunkLength, end);
    if (to < end && needsNext(text.charCodeAt(to - 1))) to -= 1;
    yield text.slice(from, to).replace(/\r\n?|\n/g, separator);
    from = to;
  }
}

/** `\r` may be half of `\r\n`, and a high surrogate is half of a character. */
function needsNext(unit: number): boolean {
  return unit === 13 || (unit >= 0xd800 && unit <= 0xdbff);
}
