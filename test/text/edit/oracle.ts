/**
 * A naive implementation of spec 4 and 5.3: whole strings, arrays of lines, no regard for speed or memory. Written from
 * the specification before the real one, which it judges in the property tests.
 */
import type { LineEdit } from '../../../src/core/operations.js';

export type Line = { text: string; separator: string; isNew?: boolean };
type Edited = { text: string; linesModified: number; totalLines: number };

export const split = (text: string): Line[] =>
  [...text.matchAll(/([^\r\n]*)(\r\n|\n|\r)|[^\r\n]+/g)].map(([all, line = all, separator = '']) => ({
    text: line,
    separator,
  }));
export const bomOf = (text: string): string => (text.startsWith('\uFEFF') ? '\uFEFF' : '');
export const linesOf = (text: string): Line[] => split(text.slice(bomOf(text).length));

export function dominantOf(lines: readonly Line[]): string {
  const count = (separator: string): number => lines.filter((line) => line.separator === separator).length;
  const [lf, crlf, cr] = [count('\n'), count('\r\n'), count('\r')];
  return crlf > Math.max(lf, cr) ? '\r\n' : cr > Math.max(lf, crlf) ? '\r' : '\n';
}

export const lastOf = ({ line, end_line = line }: LineEdit): number => end_line;
export const covers = (edit: LineEdit, line: number): boolean => edit.line <= line && line <= lastOf(edit);

/** Whether two edits contradict each other on a line. */
export function conflict(a: LineEdit, b: LineEdit, line: number): boolean {
  if (!covers(a, line) || !covers(b, line)) return false;
  const [first, second] = a.operation === 'insert' ? [a, b] : [b, a];
  return first.operation !== 'insert' || (second.operation !== 'insert' && second.line < line);
}

export function editedByOracle(old: string, edits: readonly LineEdit[], append = ''): Edited {
  const lines = linesOf(old);
  const n = lines.length;
  const dominant = dominantOf(n > 0 ? lines : [...edits.map((edit) => edit.content ?? ''), append].flatMap(split));
  const news = (text: string): Line[] => split(text).map((line) => ({ ...line, separator: dominant, isNew: true }));
  const content = (edit: LineEdit): Line[] => (edit.operation === 'delete' ? [] : news(edit.content || '\n'));
  const inserts = edits.filter(({ operation }) => operation === 'insert');
  const changes = edits.filter(({ operation }) => operation !== 'insert');
  for (const [index, edit] of edits.entries()) {
    const { line, end_line: end = line, operation } = edit;
    if (operation !== 'insert') {
      if (line > end) throw new Error(`Invalid line range: start ${line} > end ${end}`);
      if (end > n) throw new Error(`Line ${line > n ? line : end} out of range for ${operation} operation`);
    }
    const contested = lines.findIndex((_, i) => edits.slice(0, index).some((other) => conflict(edit, other, i + 1)));
    if (contested !== -1) throw new Error(`Conflicting edits on line ${contested + 1}`);
  }
  const result = [...lines, undefined].flatMap((original, index) => {
    const before = inserts.filter(({ line }) => line === index + 1).flatMap(content);
    const change = changes.find((edit) => covers(edit, index + 1));
    if (change && index + 1 < lastOf(change)) return before;
    const kept = change ? content(change) : original ? [original] : [];
    kept.slice(-1).forEach((last) => (last.separator = original?.separator ?? ''));
    return [...before, ...kept];
  });
  for (const edit of inserts.filter(({ line }) => line > n + 1).sort((a, b) => a.line - b.line)) {
    if (edit.line > result.length + 1) throw new Error(`Line ${edit.line} out of range for insert operation`);
    result.splice(edit.line - 1, 0, ...content(edit));
  }
  result.push(...news(append));
  const ends = n === 0 || lines.at(-1)?.separator !== '' || /[\r\n]$/.test(append);
  for (const [index, line] of result.entries()) {
    if (index < result.length - 1 || (line.isNew && ends)) line.separator ||= dominant;
    else if (line.isNew) line.separator = '';
    if (index === 0 && line.isNew && bomOf(old)) line.text = line.text.replace(/^\uFEFF/, '');
  }
  const text = bomOf(old) + result.map((line) => line.text + line.separator).join('');
  const gone = (edit: LineEdit): number => lines.filter((_, index) => covers(edit, index + 1)).length;
  const counted = edits.map((edit) => Math.max(content(edit).length, edit.operation === 'insert' ? 0 : gone(edit)));
  const linesModified = counted.reduce((sum, count) => sum + count, news(append).length);
  return { text, linesModified, totalLines: linesOf(text).length };
}
