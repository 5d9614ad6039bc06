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

function dominantOf(lines: readonly Line[]): string {
  const count = (separator: string): number => lines.filter((line) => line.separator === separator).length;
  const [lf, crlf, cr] = [count('\n'), count('\r\n'), count('\r')];
  return crlf > Math.max(lf, cr) ? '\r\n' : cr > Math.max(lf, crlf) ? '\r' : '\n';
}

export function editedByOracle(old: string, edits: readonly LineEdit[], append = ''): Edited {
  const lines = linesOf(old);
  const n = lines.length;
  const dominant = dominantOf(n > 0 ? lines : [...edits.map((edit) => edit.content ?? ''), append].flatMap(split));
  const news = (text: string): Line[] => split(text).map((line) => ({ ...line, separator: dominant, isNew: true }));
  const content = (edit: LineEdit): Line[] => (edit.operation === 'delete' ? [] : news(edit.content || '\n'));
  const inserts = edits.filter(({ operation }) => operation === 'insert');
  const changes = edits.filter(({ operation }) => operation !== 'insert');
  for (const [index, { line, operation }] of changes.entries()) {
    if (line > n) throw new Error(`Line ${line} out of range for ${operation} operation`);
    if (changes.findIndex((other) => other.line === line) < index) throw new Error(`Conflicting edits on line ${line}`);
  }
  const result = [...lines, undefined].flatMap((original, index) => {
    const change = changes.find(({ line }) => line === index + 1);
    const kept = change ? content(change) : original ? [original] : [];
    kept.slice(-1).forEach((last) => (last.separator = original?.separator ?? ''));
    return [...inserts.filter(({ line }) => line === index + 1).flatMap(content), ...kept];
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
  const linesModified = edits.reduce((sum, edit) => sum + (content(edit).length || 1), news(append).length);
  return { text, linesModified, totalLines: linesOf(text).length };
}
