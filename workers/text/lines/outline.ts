import { bomLength, CR, LF, type SeparatorCounts } from '../separators.js';
import { LineScanner } from './line-scanner.js';

/** What new lines depend on in the text that they are added to. */
export interface Outline {
  readonly totalLines: number;
  readonly separators: Readonly<SeparatorCounts>;
  /** Whether the last line has a separator. */
  readonly ended: boolean;
}

/** @param scanner at the beginning of the text; advanced to its end */
function outlineOf(scanner: LineScanner): Outline {
  const totalLines = scanner.finish();
  return { totalLines, separators: scanner.separators, ended: scanner.separator !== '' };
}

/**
 * The outline of a text made by appending, without scanning what was there before.
 * @param before outline of the old text
 * @param appended with the separator that it needs in front of it
 * @returns undefined if the whole text has to be scanned
 */
export function outlineAfterAppend(before: Outline, old: Buffer, appended: Buffer): Outline | undefined {
  // A line that ended in `\r` may now end in `\r\n`, and a byte order mark is no line.
  if (old.length <= bomLength(old) || (old.at(-1) === CR && appended[0] === LF)) return undefined;
  const added = outlineOf(new LineScanner(appended));
  // The first added separator ends a last line that had none.
  const totalLines = before.totalLines + added.totalLines - (before.ended ? 0 : 1);
  return { totalLines, separators: sum([before.separators, added.separators]), ended: added.ended };
}

/** All separators of several texts. */
export function sum(counts: readonly Readonly<SeparatorCounts>[]): SeparatorCounts {
  const add = (separator: keyof SeparatorCounts): number => counts.reduce((all, each) => all + each[separator], 0);
  return { '\n': add('\n'), '\r\n': add('\r\n'), '\r': add('\r') };
}
