/** A naive implementation of edits by text (spec 11): whole strings, regular expressions, no regard for speed. */
import type { Results, TextEdit } from '../../../src/core/operations.js';
import { bomOf, dominantOf, linesOf as splitLines } from './oracle.js';

interface Report {
  readonly text: string;
  readonly replacements: Results['apply_edits']['replacements'];
}

export function replacedByOracle(old: string, edits: readonly TextEdit[], replaceAll: boolean): Report {
  let text = old;
  const replacements = edits.map((edit, index) => {
    const { old_string = '', at, new_string, replace_all = replaceAll } = edit;
    const { case_insensitive = false, whole_word = false } = edit;
    if (at !== undefined) {
      const added = addedByOracle(text, at, new_string);
      text = added.text;
      return { edit: index + 1, ...added.replacement };
    }
    const fail = (why: string): Error => new Error(`Edit ${index + 1} of ${edits.length} failed: ${why}`);
    const escaped = old_string.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
    const literal = new RegExp(
      whole_word ? String.raw`(?<![\p{L}\p{N}_])${escaped}(?![\p{L}\p{N}_])` : escaped,
      case_insensitive ? 'giu' : 'gu',
    );
    if (old_string === '') throw fail('old_string is empty');
    const starts = startsOf(text, literal, !replace_all);
    const lines = linesOf(text, starts);
    if (lines.length === 0) throw fail('String not found');
    if (lines.length > 1 && !replace_all) {
      const named = lines.slice(0, 20).join(', ') + (lines.length > 20 ? ', …' : '');
      throw fail(`Found ${lines.length} matches at lines ${named}.`);
    }
    if (old_string === new_string) return { edit: index + 1, count: 0, lines: [] };
    text = text.replace(literal, () => new_string);
    return { edit: index + 1, count: lines.length, lines: lines.slice(0, 1_000) };
  });
  return { text, replacements };
}

function addedByOracle(
  text: string,
  at: 'start' | 'end',
  given: string,
): { readonly text: string; readonly replacement: Omit<Report['replacements'][number], 'edit'> } {
  const lines = splitLines(text);
  const bom = bomOf(text);
  const isFirst = at === 'start' || lines.length === 0;
  const own = isFirst && bom !== '' ? given.replace(/^\uFEFF/, '') : given;
  const added = !isFirst && lines.at(-1)?.separator === '' ? dominantOf(lines) + own : own;
  if (added === '') return { text, replacement: { count: 0, lines: [] } };
  return {
    text: isFirst ? bom + added + text.slice(bom.length) : text + added,
    replacement: { count: 1, lines: [isFirst ? 1 : lines.length + 1] },
  };
}

function startsOf(text: string, literal: RegExp, overlapping: boolean): number[] {
  const starts: number[] = [];
  literal.lastIndex = 0;
  for (let match = literal.exec(text); match !== null; match = literal.exec(text)) {
    starts.push(match.index);
    if (overlapping) literal.lastIndex = match.index + ((match[0].codePointAt(0) ?? 0) > 0xffff ? 2 : 1);
  }
  return starts;
}

/** @param starts ascending */
function linesOf(text: string, starts: readonly number[]): number[] {
  let line = 1;
  let from = 0;
  return starts.map((start) => {
    // Half of a `\r\n` counts as the whole.
    const to = text[start - 1] === '\r' && text[start] === '\n' ? start - 1 : start;
    line += text.slice(from, to).match(/\r\n?|\n/g)?.length ?? 0;
    from = to;
    return line;
  });
}
