/** Turns a change reported by git into line edits, with the result that spec 4 requires. */
import type { LineEdit } from '../../src/core/operations.js';
import type { Hunk } from './git-history.js';

interface Line {
  readonly text: string;
  /** `\n`, `\r\n`, `\r`, or nothing after the last line. */
  readonly separator: string;
}

export interface TextChange {
  /** In ascending order. */
  readonly edits: readonly LineEdit[];
  /** Lines replaced, inserted and deleted. */
  readonly linesModified: number;
  readonly totalLines: number;
  /** The new text with the separators that spec 4 assigns to new lines, which may differ from git's. */
  readonly expected: string;
}

const bom = '\uFEFF';
const bomOf = (text: string): string => (text.startsWith(bom) ? bom : '');

function linesOf(text: string): Line[] {
  return [...text.slice(bomOf(text).length).matchAll(/([^\r\n]*)(\r\n|\n|\r)|[^\r\n]+/g)].map(
    ([all, line = all, separator = '']) => ({ text: line, separator }),
  );
}

/** Index of the line at which each git line starts: a lone `\r` ends a line here, but not in git. */
function gitLines(lines: readonly Line[]): (gitLine: number) => number {
  const begins = [0];
  for (const [index, { separator }] of lines.entries()) if (separator.endsWith('\n')) begins.push(index + 1);
  return (gitLine) => begins[gitLine - 1] ?? lines.length;
}

function dominant(lines: readonly Line[]): string {
  const count = (wanted: string): number => lines.filter(({ separator }) => separator === wanted).length;
  const [lf, crlf, cr] = [count('\n'), count('\r\n'), count('\r')];
  if (crlf > lf && crlf > cr) return '\r\n';
  return cr > lf && cr > crlf ? '\r' : '\n';
}

/**
 * Whether separators, final separator and byte order mark stay the same: line edits can always express such a change.
 */
export function isPlain(before: string, after: string): boolean {
  const [old, now] = [linesOf(before), linesOf(after)];
  const usual = dominant(old.length > 0 ? old : now);
  const ended = (lines: readonly Line[]): boolean => lines.at(-1)?.separator !== '';
  const uniform = [...old, ...now].every(({ separator }) => separator === '' || separator === usual);
  return uniform && ended(old) === ended(now) && bomOf(before) === bomOf(after);
}

export function textChange(before: string, after: string, hunks: readonly Hunk[]): TextChange {
  const [old, now] = [linesOf(before), linesOf(after)];
  const [oldIndex, newIndex] = [gitLines(old), gitLines(now)];
  const separator = dominant(old.length > 0 ? old : now);
  // A first line is sent with its byte order mark, unless the file already has one.
  const given = (index: number): string =>
    (index === 0 && bomOf(before) === '' ? bomOf(after) : '') + (now[index]?.text ?? '');
  const edits: LineEdit[] = [];
  const separators: { value: string; isNew: boolean }[] = [];
  let next = 0;
  const keepUntil = (index: number): void => {
    for (const line of old.slice(next, index)) separators.push({ value: line.separator, isNew: false });
    next = index;
  };
  let linesModified = 0;
  for (const hunk of hunks) {
    // For an empty range, git names the line before it.
    const [from, to] = range(hunk.old, oldIndex);
    const [newFrom, newTo] = range(hunk.new, newIndex);
    keepUntil(from);
    for (let i = 0; from + i < to; i++) {
      const line = from + i + 1;
      if (newFrom + i < newTo) {
        edits.push({ line, operation: 'replace', content: given(newFrom + i) });
        separators.push({ value: old[from + i]?.separator ?? '', isNew: true });
      } else {
        edits.push({ line, operation: 'delete' });
      }
    }
    const inserted = now.slice(newFrom + to - from, newTo);
    if (inserted.length > 0) {
      const content = inserted.map((line, i) => given(newFrom + to - from + i) + line.separator).join('');
      edits.push({ line: to + 1, operation: 'insert', content });
      for (let i = 0; i < inserted.length; i++) separators.push({ value: separator, isNew: true });
    }
    linesModified += Math.max(to - from, newTo - newFrom);
    next = to;
  }
  keepUntil(old.length);
  const ends = old.length === 0 || old.at(-1)?.separator !== '';
  const expected = now.map(({ text }, index) => {
    const { value = '', isNew = false } = separators[index] ?? {};
    if (index < now.length - 1 || (isNew && ends)) return text + (value || separator);
    return isNew ? text : text + value;
  });
  const mark = now.length > 0 ? bomOf(before) || bomOf(after) : bomOf(before);
  return { edits, linesModified, totalLines: now.length, expected: mark + expected.join('') };
}

function range({ start, count }: Hunk['old'], index: (gitLine: number) => number): [from: number, to: number] {
  const first = count === 0 ? start + 1 : start;
  return [index(first), index(first + count)];
}

/** Calls of at most `largest` edits. Later lines come first, so earlier line numbers stay valid. */
export function inCalls(edits: readonly LineEdit[], largest: number): LineEdit[][] {
  const calls: LineEdit[][] = [];
  for (let end = edits.length; end > 0; end -= largest) calls.push(edits.slice(Math.max(0, end - largest), end));
  return calls;
}
