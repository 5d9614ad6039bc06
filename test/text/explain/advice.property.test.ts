import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { OperationError } from '../../../src/core/errors.js';
import type { TextEdit } from '../../../src/core/operations.js';
import { applyReplacements } from '../../../workers/text/edit/replacements.js';
import { wholeOf } from '../../../workers/text/scattered-text.js';

type Replace = TextEdit & { readonly old_string: string };

/** The result of an edit, or why it fails. */
function tried(old: string, edit: Replace): { readonly text: string } | { readonly told: string } {
  try {
    return { text: wholeOf(applyReplacements(Buffer.from(old), [edit]).text).toString() };
  } catch (error) {
    assert.ok(error instanceof OperationError);
    return { told: error.message };
  }
}

const json = String.raw`"(?:[^"\\]|\\.)*"`;
const notFound = new RegExp(`^Edit 1 of 1 failed: String not found: ${json}…?\\. `);
const separators: Readonly<Record<string, string>> = { '\\r\\n': '\r\n', '\\n': '\n', '\\r': '\r' };

interface Advised {
  readonly kind: 'given' | 'line endings' | 'case';
  readonly edit: Replace;
}

/** The edits that a failure advises. */
function advised(edit: Replace, told: string): readonly Advised[] {
  const [, given] = new RegExp(`exactly as it is in the file: (${json})\\.`).exec(told) ?? [];
  const [, separator] = /Use (\\r\\n|\\n|\\r) for every line ending in old_string/.exec(told) ?? [];
  const all: Advised[] = [];
  if (given !== undefined) all.push({ kind: 'given', edit: { ...edit, old_string: String(JSON.parse(given)) } });
  if (separator !== undefined) {
    const old_string = edit.old_string.replaceAll(/\r\n?|\n/g, separators[separator] ?? '');
    all.push({ kind: 'line endings', edit: { ...edit, old_string } });
  }
  if (told.includes('set case_insensitive to true')) {
    all.push({ kind: 'case', edit: { ...edit, case_insensitive: true } });
  }
  return all;
}

const indent = fc.constantFrom('', '', '  ', '    ', '\t', '\t\t', '\u00a0\u00a0', ' \u00a0', '\u3000', '\u200b ');
const words = fc.constantFrom(
  'foo("a")',
  "foo('a')",
  'x\u00a0y',
  'if (A) {',
  '- item two',
  '}',
  'a  b',
  'caf\u00e9',
  '名前',
  '',
);
const trailing = fc.constantFrom('', '', '', ' ', '  ', '\t', '\u00a0');
const separator = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r');
/** A text, and where its lines begin; it may begin with a byte order mark. */
const text = fc
  .tuple(
    fc.array(fc.tuple(indent, words, trailing, separator), { minLength: 1, maxLength: 7 }),
    fc.constantFrom(undefined, '\n', '\r\n'),
    fc.constantFrom('', '', '', '\ufeff'),
  )
  .map(
    ([lines, all, bom]) =>
      bom + lines.map(([before, line, after, own]) => before + line + after + (all ?? own)).join(''),
  );

const changes: readonly ((part: string) => string)[] = [
  (part) => part.toUpperCase(),
  (part) => part.normalize('NFD'),
  (part) => part.replaceAll(/\r\n?|\n/g, '\n'),
  (part) => part.replaceAll(/\r\n?|\n/g, '\r\n'),
  (part) => part.replaceAll('"', "'"),
  (part) => part.replaceAll("'", '"'),
  (part) => part.replaceAll(/[\u00a0\u3000]/g, ' '),
  (part) => part.replaceAll('\u200b', ''),
  (part) => part.replaceAll(/ +/g, ' '),
  (part) => part.replaceAll(/^[^\S\r\n]+/gm, ''),
  (part) => part.replaceAll(/^[^\S\r\n]*/gm, '    '),
  (part) => part.replaceAll(/[^\S\r\n]+$/gm, ''),
  (part) => part.replaceAll(/$/gm, ' '),
  (part) => part.replaceAll('\n', '\n\n'),
  (part) => part.replaceAll('\n\n', '\n'),
  (part) => part.replaceAll(/[\r\n]+/g, ' '),
  (part) => `${part}\n`,
  (part) => `${part}\n    `,
  (part) => `\n${part}`,
  (part) => `  \n${part}`,
];

const request = fc.record({
  old: text,
  from: fc.nat(60),
  length: fc.integer({ min: 2, max: 50 }),
  first: fc.constantFrom(...changes),
  second: fc.constantFrom((part: string) => part, ...changes),
  replace_all: fc.boolean(),
  whole_word: fc.boolean(),
});

interface Miss {
  readonly old: string;
  readonly edit: Replace;
  readonly told: string;
}

/** Checks explanations for texts that resemble a part of the file. */
function whateverIsMissed(check: (miss: Miss) => void): void {
  fc.assert(
    fc.property(request, ({ old, from, length, first, second, replace_all, whole_word }) => {
      const old_string = second(first(old.slice(from, from + length)));
      if (old_string.trim() === '' || old.includes(old_string)) return;
      const edit = { old_string, new_string: newText(old_string), replace_all, whole_word };
      const outcome = tried(old, edit);
      if ('told' in outcome) check({ old, edit, told: outcome.told.replace(notFound, '') });
    }),
    { numRuns: 4_000 },
  );
}

/** White space at the edges of a text, with everything else that is invisible. */
function edgesOf(sought: string): { readonly before: string; readonly after: string } {
  const [before = ''] = /^[\s\u200b]*/.exec(sought) ?? [];
  const [after = ''] = /[\s\u200b]*$/.exec(sought) ?? [];
  return { before, after };
}

/** Other words between the edges of the sought text, as a model writes them. */
function newText(sought: string): string {
  const { before, after } = edgesOf(sought);
  return `${before}NEW${after}`;
}

describe('an edit corrected as its failure advises', () => {
  it('succeeds, or was reported as one of several matches', () => {
    const seen = new Map<string, number>();
    whateverIsMissed(({ old, edit, told }) => {
      for (const { kind, edit: corrected } of advised(edit, told)) {
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
        const outcome = tried(old, corrected);
        if ('text' in outcome) continue;
        assert.match(outcome.told, /: Found \d+ matches/, `${told}\n ${JSON.stringify(corrected.old_string)}`);
        assert.match(told, /: send it with more of the surrounding text to select one\./);
      }
    });
    for (const kind of ['given', 'line endings', 'case']) {
      assert.ok((seen.get(kind) ?? 0) > 5, `seen too rarely: ${kind} (${seen.get(kind) ?? 0})`);
    }
  });

  it('changes no byte outside the lines that were sought', () => {
    let followed = 0;
    whateverIsMissed(({ old, edit, told }) => {
      // The first text that is the same may be within a longer word.
      if (edit.replace_all === true || edit.whole_word === true) return;
      for (const { kind, edit: corrected } of advised(edit, told)) {
        if (kind !== 'given') continue;
        const outcome = tried(old, corrected);
        if (!('text' in outcome)) continue;
        followed += 1;
        const start = old.indexOf(corrected.old_string);
        const end = start + corrected.old_string.length;
        const { from, to } = soughtLines(old, { start, end }, edit.old_string);
        const about = `${JSON.stringify({ old, sought: edit.old_string })}\n${told}`;
        assert.ok(start >= from && end <= to, about);
        assert.ok(outcome.text.startsWith(old.slice(0, from)) && outcome.text.endsWith(old.slice(to)), about);
        assert.ok(
          edit.old_string.startsWith('\ufeff') || outcome.text.startsWith('\ufeff') === old.startsWith('\ufeff'),
          about,
        );
      }
    });
    assert.ok(followed > 100, `followed too rarely: ${followed}`);
  });

  it('quotes nothing that is neither in the file nor in the request', () => {
    let quoted = 0;
    whateverIsMissed(({ old, edit, told }) => {
      for (const [, text = ''] of told.matchAll(new RegExp(`(?: |…|\\()(${json})`, 'g'))) {
        quoted += 1;
        const said = String(JSON.parse(text));
        assert.ok(old.includes(said) || edit.old_string.includes(said), `${text}\n${told}\n${JSON.stringify(old)}`);
      }
    });
    assert.ok(quoted > 250, `quoted too rarely: ${quoted}`);
  });
});

/**
 * The lines a caller may expect to change: those of the visible characters that were found and, if the sought text
 * begins or ends with other lines, no more of those than it has itself.
 */
function soughtLines(
  old: string,
  { start, end }: { readonly start: number; readonly end: number },
  sought: string,
): { readonly from: number; readonly to: number } {
  const { before, after } = edgesOf(sought);
  const { before: foundBefore, after: foundAfter } = edgesOf(old.slice(start, end));
  const first = start + foundBefore.length;
  const last = end - foundAfter.length;
  const separatorsIn = (text: string): number => text.match(/\r\n?|\n/g)?.length ?? 0;
  assert.ok(separatorsIn(foundBefore) <= separatorsIn(before) && separatorsIn(foundAfter) <= separatorsIn(after));
  const isSeparator = (at: number): boolean => old[at] === '\n' || old[at] === '\r';
  const isVisible = (at: number): boolean => !/[\s\u200b]/.test(old[at] ?? '');
  let from = first;
  while (from > 0 && !isSeparator(from - 1)) from -= 1;
  const lineStart = from;
  if (/[\r\n]/.test(before)) {
    while (from > 0 && !isVisible(from - 1)) from -= 1;
    // A sought text that begins with a separator matches no blanks before it.
    if (/^[\r\n]/.test(before)) while (from < lineStart && !isSeparator(from)) from += 1;
  }
  let to = last;
  while (to < old.length && !isSeparator(to)) to += 1;
  const lineEnd = to;
  if (/[\r\n]/.test(after)) {
    while (to < old.length && !isVisible(to)) to += 1;
    // One that ends with a separator matches no indentation after it.
    if (/[\r\n]$/.test(after)) while (to > lineEnd && to < old.length && !isSeparator(to - 1)) to -= 1;
  }
  return { from, to };
}
