import { startOfCharacter } from './pattern/first-match.js';
import type { Line } from './pattern/line-search.js';
import { lengthOfCharacter } from '../text/utf8.js';

/** In code points (spec 13). */
export const mostShown = 500;
const missing = '…';

/**
 * The text of a long line: `mostShown` code points around its first match.
 * @param match of the line; if it is longer than what is shown, its beginning is shown
 */
export function cutLine(bytes: Buffer, line: Line, match: Line): string {
  const room = Math.max(0, mostShown - charactersIn(bytes, match, mostShown));
  // Room that one side does not need goes to the other.
  const behind = charactersIn(bytes, { start: match.end, end: line.end }, room);
  const start = back(bytes, match.start, line.start, Math.max(Math.floor(room / 2), room - behind));
  const end = forth(bytes, start, line.end, mostShown);
  const text = bytes.toString('utf8', start, end);
  return `${start > line.start ? missing : ''}${text}${end < line.end ? missing : ''}`;
}

/** Whether the line has more code points than are shown. */
export function isLong(bytes: Buffer, line: Line): boolean {
  return line.end - line.start > mostShown && charactersIn(bytes, line, mostShown + 1) > mostShown;
}

/** The number of code points in a part, at most `most`. */
function charactersIn(bytes: Buffer, { start, end }: Line, most: number): number {
  let characters = 0;
  for (let at = start; at < end && characters < most; characters++) at += lengthOfCharacter(bytes[at] ?? 0);
  return characters;
}

function back(bytes: Buffer, from: number, least: number, characters: number): number {
  let at = from;
  for (let left = characters; left > 0 && at > least; left--) at = startOfCharacter(bytes, at);
  return at;
}

function forth(bytes: Buffer, from: number, most: number, characters: number): number {
  let at = from;
  for (let left = characters; left > 0 && at < most; left--) at += lengthOfCharacter(bytes[at] ?? 0);
  return at;
}
