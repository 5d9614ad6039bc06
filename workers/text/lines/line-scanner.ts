import { CR, LF, noSeparators, type Separator, type SeparatorCounts } from '../separators.js';

/**
 * One forward pass over the lines of a text (spec 4): finds where wanted lines start and counts lines and
 * separators on the way, so nothing is kept per line. The searches are native: 1 MB with lines of 60 bytes takes 0.2
 * ms, where a loop over the bytes takes 0.7. A text without `\r` is searched for one only once.
 */
export class LineScanner {
  /** Start of the next line; the end of the text if there is none. */
  offset: number;
  /** Number of lines before `offset`. */
  passed = 0;
  /** What ended the last of those; '' if it is the last line of a text without a final separator. */
  separator: Separator | '' = '';
  /** Separators passed so far. */
  readonly separators: SeparatorCounts = noSeparators();
  readonly #source: Buffer;
  #lf = -1;
  #cr = -1;

  /**
   * @param source in UTF-8
   * @param start where line 1 starts
   */
  constructor(source: Buffer, start = 0) {
    this.#source = source;
    this.offset = start;
  }

  /** Advance to the start of a line, counted from 1, or to the end if there are fewer. @returns the new offset */
  seek(line: number): number {
    const source = this.#source;
    const end = source.length;
    let { offset, passed, separator } = this;
    let lf = this.#lf;
    let cr = this.#cr;
    let [lfs, crlfs, crs] = [0, 0, 0];
    while (passed < line - 1 && offset < end) {
      if (lf < offset) lf = find(source, LF, offset);
      if (cr < offset) cr = find(source, CR, offset);
      passed += 1;
      if (lf < cr) {
        lfs += 1;
        separator = '\n';
        offset = lf + 1;
      } else if (lf === cr) {
        separator = '';
        offset = end;
      } else if (lf === cr + 1) {
        crlfs += 1;
        separator = '\r\n';
        offset = lf + 1;
      } else {
        crs += 1;
        separator = '\r';
        offset = cr + 1;
      }
    }
    this.offset = offset;
    this.passed = passed;
    this.separator = separator;
    this.#lf = lf;
    this.#cr = cr;
    this.separators['\n'] += lfs;
    this.separators['\r\n'] += crlfs;
    this.separators['\r'] += crs;
    return offset;
  }

  /** Advance to the end. @returns the number of lines of the whole text */
  finish(): number {
    this.seek(Infinity);
    return this.passed;
  }
}

/** First place of a separator character at or after `from`, or a place past the end if there is none. */
function find(source: Buffer, byte: number, from: number): number {
  const found = source.indexOf(byte, from);
  // Not the end itself: a `\r` as the last character must not look like `\r\n`.
  return found === -1 ? source.length + 1 : found;
}
