/** What ends a line. Nothing else does: not U+2028, U+0085, VT or FF (spec 4). */
export type Separator = '\n' | '\r\n' | '\r';

export type SeparatorCounts = Record<Separator, number>;

export const LF = 10;
export const CR = 13;
const bom = Buffer.from('\uFEFF');

/** A count to add to. */
export function noSeparators(): SeparatorCounts {
  return { '\n': 0, '\r\n': 0, '\r': 0 };
}

/** The separator for new lines: the most frequent one, or `\n` if no single one is (spec 4). */
export function dominantSeparator(counts: SeparatorCounts): Separator {
  if (counts['\r\n'] > counts['\n'] && counts['\r\n'] > counts['\r']) return '\r\n';
  if (counts['\r'] > counts['\n'] && counts['\r'] > counts['\r\n']) return '\r';
  return '\n';
}

/** Length of the byte order mark in front of line 1, 0 or 3 bytes; it belongs to the file, not to the line. */
export function bomLength(bytes: Buffer): number {
  return bytes.length >= bom.length && bytes.compare(bom, 0, bom.length, 0, bom.length) === 0 ? bom.length : 0;
}
