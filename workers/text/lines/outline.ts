import { bomLength, CR, noSeparators, type Separator, type SeparatorCounts } from '../separators.js';

/** What new lines depend on in the text that they are added to. */
export interface Outline {
  readonly totalLines: number;
  readonly separators: Readonly<SeparatorCounts>;
  /** Whether the last line has a separator. */
  readonly ended: boolean;
}

/** Lines that are put behind a text. */
interface Appended {
  /** What ends each of them, except the last one if `ended` is false. */
  readonly separator: Separator;
  readonly lines: number;
  readonly ended: boolean;
}

/**
 * The outline of a text made by appending, without scanning it.
 * @param before outline of the old text
 * @returns undefined if the whole text has to be scanned
 */
export function outlineAfterAppend(
  before: Outline,
  old: Buffer,
  { separator, lines, ended }: Appended,
): Outline | undefined {
  // A line that ended in `\r` may now end in `\r\n`, and a byte order mark is no line.
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
