/** Takes back what a change made of a text, where others have changed it since: a merge by lines (spec 18). */
import { isUtf8 } from 'node:buffer';
import { diffArrays } from 'diff';

/** Lines of the base that are replaced; none if start and end are equal: then lines are put in before start. */
interface ChangedLines {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Both sides have changed these lines, or lines that lie against each other. */
export class Overlap {
  /** @param line of the text as it is now, from 1 */
  constructor(readonly line: number) {}
}

/**
 * @param left what the change had left
 * @param before what it had found
 * @param now what is there now
 * @returns what is there without the change; undefined if they are not all texts
 */
export function withoutChange(left: Buffer, before: Buffer, now: Buffer): Buffer | Overlap | undefined {
  if (![left, before, now].every((bytes) => isUtf8(bytes))) return undefined;
  const base = linesOf(left);
  const back = changesIn(base, linesOf(before));
  const later = changesIn(base, linesOf(now));
  let shift = 0;
  for (const change of later) {
    if (back.some((each) => touches(each, change))) return new Overlap(change.start + shift + 1);
    shift += change.lines.length - (change.end - change.start);
  }
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, lines } of [...back, ...later].sort((a, b) => a.start - b.start)) {
    parts.push(...base.slice(at, start), ...lines);
    at = end;
  }
  return Buffer.from([...parts, ...base.slice(at)].join(''));
}

function touches(a: ChangedLines, b: ChangedLines): boolean {
  return a.start <= b.end && b.start <= a.end;
}

/** More lines added and removed than these are not told apart: the time grows with their square. */
const maxEditLength = 2_000;

function changesIn(base: readonly string[], text: readonly string[]): ChangedLines[] {
  const parts = diffArrays([...base], [...text], { maxEditLength });
  if (parts === undefined) return [wholeChange(base, text)];
  const changes: ChangedLines[] = [];
  let at = 0;
  for (const { added, removed, value } of parts) {
    const begin = at;
    if (!added) at += value.length;
    if (!added && !removed) continue;
    // What is removed and what is added in its place are two parts.
    const open = changes.at(-1)?.end === begin ? changes.pop() : undefined;
    const { start, lines } = open ?? { start: begin, lines: [] };
    changes.push({ start, end: at, lines: added ? [...lines, ...value] : lines });
  }
  return changes;
}

/** All between the first and the last line that differ. */
function wholeChange(base: readonly string[], text: readonly string[]): ChangedLines {
  const shorter = Math.min(base.length, text.length);
  let start = 0;
  while (start < shorter && base[start] === text[start]) start++;
  let after = 0;
  while (after < shorter - start && base.at(-1 - after) === text.at(-1 - after)) after++;
  return { start, end: base.length - after, lines: text.slice(start, text.length - after) };
}

function linesOf(text: Buffer): string[] {
  return text.length === 0 ? [] : text.toString().split(/(?<=\n|\r(?!\n))/);
}
