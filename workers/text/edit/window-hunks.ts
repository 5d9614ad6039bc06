import { formatPatch, OMIT_HEADERS, structuredPatch, type StructuredPatchHunk } from 'diff';
import { findSeparators } from '../lines/separator-ends.js';
import { context, windowBytes, windowsOf, type Window } from './diff-windows.js';
import type { ChangedText } from './edited-text.js';

export type Hunk = StructuredPatchHunk;

/** A longer diff is cut: an agent reads it, and pays for it. */
export const mostDiffBytes = 65_536;
/**
 * The shortest diff is searched for only if the texts differ by at most this many lines: its cost grows with their
 * square.
 */
const mostDiffering = 256;
/** In bytes of both texts: only this much of a part is compared, from its beginning. */
const mostCompared = 8 * mostDiffBytes;

/** A window with its place in both texts. */
export interface PlacedWindow {
  readonly window: Window;
  /** The new text in it; of a large window only the beginning, but more than a diff has room for. */
  readonly bytes: Buffer;
  /** The number of line ends in it, of both texts. */
  readonly lines: number;
  /** The number of lines before it in each text. */
  readonly before: LinesBefore;
  /** @returns hunks with lines counted from the window's start; undefined if it is too large to be compared */
  hunks(): readonly Hunk[] | undefined;
}

interface LinesBefore {
  readonly old: number;
  readonly new: number;
}

/**
 * The parts of a text that have changed, to be compared one by one; as for git, only `\n` ends a line.
 *
 * The library sees only the lines around each change, since the changes are known: 1000 changed lines in 1 MB take it 4
 * ms that way, and 300 if it has to find them in the whole text.
 */
export function* placedWindows(old: Buffer, changed: ChangedText): Generator<PlacedWindow> {
  const source = changed.source();
  let counted = 0;
  let oldLines = 0;
  let newLines = 0;
  for (const window of windowsOf(old, changed.changes(), mostCompared)) {
    const { oldStart, oldEnd, newStart, newEnd } = window;
    const memory = Buffer.allocUnsafe(Math.min(newEnd - newStart, mostCompared));
    // The last window may extend past the end, since the changes after it are not known.
    const bytes = memory.subarray(0, source(memory, newStart));
    const same = countLf(old, counted, oldStart);
    oldLines += same;
    newLines += same;
    const before = { old: oldLines, new: newLines };
    const inOld = countLf(old, oldStart, oldEnd);
    const inNew = countLf(bytes);
    yield { window, bytes, lines: inOld + inNew, before, hunks: () => hunksIn(window, old, bytes) };
    counted = oldEnd;
    oldLines += inOld;
    newLines += inNew;
  }
}

function hunksIn(window: Window, old: Buffer, bytes: Buffer): readonly Hunk[] | undefined {
  if (windowBytes(window) > mostCompared) return undefined;
  const { oldStart, oldEnd } = window;
  return diffLines(old.toString('utf8', oldStart, oldEnd), bytes.toString(), oldEnd === old.length);
}

/** Hunks of a window as they stand in a diff of the whole text. */
export function formatHunks(hunks: readonly Hunk[], before: LinesBefore): string {
  if (hunks.length === 0) return '';
  const placed = hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + before.old,
    newStart: hunk.newStart + before.new,
  }));
  const noNames = { oldFileName: undefined, newFileName: undefined, oldHeader: undefined, newHeader: undefined };
  return formatPatch({ ...noNames, hunks: placed }, OMIT_HEADERS);
}

/** The number of line feeds between two positions. */
export function countLf(text: Buffer, start = 0, end = text.length): number {
  const { '\n': lf, '\r\n': crlf } = findSeparators(text.subarray(start, end), []).summary.separators;
  return lf + crlf;
}

/** @param isEnd whether both end at the end of their files */
export function diffLines(old: string, text: string, isEnd: boolean): readonly Hunk[] {
  const before = linesOf(old);
  const after = linesOf(text);
  const same = sameAround(before, after);
  const changed = [before, after].map(({ length }) => length - same.first - same.last);
  if (Math.max(...changed) === 0) return [];
  // No shorter diff exists. Most edits are of this kind, for which the library takes ten times as long.
  if (Math.min(...changed) === 0 || Math.max(...changed) === 1) return [hunkBetween(before, after, same)];
  const found = structuredPatch('', '', old, text, undefined, undefined, { context, maxEditLength: mostDiffering });
  // The library may match the lines after a change with lines in it. GNU patch takes a hunk with fewer lines after its
  // change than before it for the end of the file, and puts it there if it can; git does so for one without any.
  const behind = found?.hunks.at(-1)?.lines.slice(-context) ?? [];
  const isWhole = isEnd || behind.every((line) => line.startsWith(' '));
  return found !== undefined && isWhole ? found.hunks : [hunkBetween(before, after, same)];
}

/** Lines at the beginning and at the end that are the same in both. */
interface Same {
  readonly first: number;
  readonly last: number;
}

/** Lines that could count as either count as the end, since a hunk needs some there. */
function sameAround(before: readonly string[], after: readonly string[]): Same {
  const most = Math.min(before.length, after.length);
  let last = 0;
  while (last < most && before.at(-1 - last) === after.at(-1 - last)) last += 1;
  let first = 0;
  while (first < most - last && before[first] === after[first]) first += 1;
  return { first, last };
}

/** All old lines out, all new lines in, except the common ones. */
function hunkBetween(before: readonly string[], after: readonly string[], { first, last }: Same): Hunk {
  const start = Math.max(0, first - context);
  const end = Math.max(0, last - context);
  const lines = [
    ...before.slice(start, first).map((line) => ` ${line}`),
    ...before.slice(first, before.length - last).map((line) => `-${line}`),
    ...after.slice(first, after.length - last).map((line) => `+${line}`),
    ...before.slice(before.length - last, before.length - end).map((line) => ` ${line}`),
  ];
  return {
    oldStart: start + 1,
    oldLines: before.length - end - start,
    newStart: start + 1,
    newLines: after.length - end - start,
    lines: lines.flatMap((line) =>
      line.endsWith('\n') ? [line.slice(0, -1)] : [line, '\\ No newline at end of file'],
    ),
  };
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}
