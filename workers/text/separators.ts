/** The line separators. Nothing else is one: not U+2028, U+0085, VT or FF (spec 4). */
export type Separator = '\n' | '\r\n' | '\r';

export type SeparatorCounts = Record<Separator, number>;

export const LF = 10;
export const CR = 13;
const bom = Buffer.from('\uFEFF');

/** Initial counts. */
export function noSeparators(): SeparatorCounts {
  return { '\n': 0, '\r\n': 0, '\r': 0 };
}

/** The separators that a text has. */
export function kindsOf(counts: SeparatorCounts): readonly Separator[] {
  const kinds: readonly Separator[] = ['\n', '\r\n', '\r'];
  return kinds.filter((separator) => counts[separator] > 0);
}

/** The separator for new lines: the most frequent one, or `\n` if no single one is (spec 4). */
export function dominantSeparator(counts: SeparatorCounts): Separator {
  if (counts['\r\n'] > counts['\n'] && counts['\r\n'] > counts['\r']) return '\r\n';
  if (counts['\r'] > counts['\n'] && counts['\r'] > counts['\r\n']) return '\r';
  return '\n';
}

/** Length of the byte order mark before line 1, 0 or 3 bytes; it belongs to the file, not to the line. */
export function bomLength(bytes: Buffer): number {
  return bytes.length >= bom.length && bytes.compare(bom, 0, bom.length, 0, bom.length) === 0 ? bom.length : 0;
}

/** Line facts needed to append correctly. */
export interface LineSummary {
  readonly totalLines: number;
  readonly separators: Readonly<SeparatorCounts>;
  /** Whether the last line has a separator. */
  readonly ended: boolean;
}

/** Lines appended to a text. */
interface Appended {
  /** Ends each of them, except the last one if `ended` is false. */
  readonly separator: Separator;
  readonly lines: number;
  readonly ended: boolean;
}

/**
 * The summary of a text made by appending, without scanning it.
 * @param before summary of the old text
 * @returns undefined if the whole text must be scanned
 */
export function summaryAfterAppend(
  before: LineSummary,
  old: Buffer,
  { separator, lines, ended }: Appended,
): LineSummary | undefined {
  // A line that ended in `\r` may now end in `\r\n`, and a byte order mark is not a line.
  if (old.length <= bomLength(old) || (old.at(-1) === CR && separator === '\n')) return undefined;
  // The last line may have had no separator.
  const added = noSeparators();
  added[separator] = lines - (ended ? 0 : 1) + (before.ended ? 0 : 1);
  return { totalLines: before.totalLines + lines, separators: sum([before.separators, added]), ended };
}

/** All separators of several texts. */
export function sum(counts: readonly Readonly<SeparatorCounts>[]): SeparatorCounts {
  const add = (separator: keyof SeparatorCounts): number => counts.reduce((all, each) => all + each[separator], 0);
  return { '\n': add('\n'), '\r\n': add('\r\n'), '\r': add('\r') };
}
