import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OperationError } from '../../../src/errors.js';
import type { TextEdit } from '../../../src/operations.js';
import { linesOf } from '../../../workers/text/miss/line-differences.js';
import { applyReplacements } from '../../../workers/text/replace/replacements.js';

/** @returns why the edits fail; undefined if they are made */
function failureOf(old: string, edits: readonly TextEdit[]): string | undefined {
  try {
    applyReplacements(Buffer.from(old), edits);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof OperationError);
    return error.message;
  }
}

const json = String.raw`("(?:[^"\\]|\\.)*")`;
const separators: Readonly<Record<string, string>> = { '\\r\\n': '\r\n', '\\n': '\n', '\\r': '\r' };

const notFound = new RegExp(`^Edit 1 of 1 failed: String not found: ${json}\\. `);

const parsed = (text = '""'): string => String(JSON.parse(text));

/** The edits that the failure of one advises, by the kind of advice, if it names any exactly. */
function advised(edit: TextEdit, told: string): readonly (readonly [kind: string, edit: TextEdit])[] {
  const { old_string } = edit;
  const sent = (kind: string, text: string): readonly [string, TextEdit] => [kind, { ...edit, old_string: text }];
  const given = new RegExp(`exactly as it is in the file: ${json}[.,]`).exec(told);
  const [, separator] = /Send (\\r\\n|\\n|\\r) for every line ending in old_string/.exec(told) ?? [];
  const byCase = told.includes('or set case_insensitive to true')
    ? ([['case', { ...edit, case_insensitive: true }]] as const)
    : [];
  if (given !== null) return [...byCase, sent('given', parsed(given[1]))];
  if (separator !== undefined) {
    return [sent('line endings', old_string.replaceAll(/\r\n?|\n/g, separators[separator] ?? ''))];
  }
  if (told.includes('has single quotes')) return [sent('quotes', old_string.replaceAll('"', "'"))];
  if (told.includes('has double quotes')) return [sent('quotes', old_string.replaceAll("'", '"'))];
  const [, order] = /in old_string, in this order: ([rn, \\]+)\./.exec(told) ?? [];
  if (order !== undefined) {
    const each = order.split(', ');
    return [
      sent(
        'line endings',
        old_string.replaceAll(/\r\n?|\n/g, () => separators[each.shift() ?? ''] ?? ''),
      ),
    ];
  }
  return told.startsWith('It differs from') && !/ more lines? differs?/.test(told)
    ? [...byCase, sent('pairs', withPairs(old_string, told))]
    : byCase;
}

/** With what the file has in place of what the string has, line by line. */
function withPairs(old_string: string, told: string): string {
  const first = Number(/the text at line (\d+)/.exec(told)?.[1]);
  const lines = linesOf(old_string);
  let text = '';
  let at = 0;
  for (const [, where, there, here] of told.matchAll(
    new RegExp(`(?:at line (\\d+) )?the file has ${json} where old_string has ${json}`, 'g'),
  )) {
    const before = lines.slice(0, Number(where ?? first) - first).join('').length;
    const from = old_string.indexOf(parsed(here), before);
    assert.notEqual(from, -1, `old_string has no ${String(here)}: ${told}`);
    text += old_string.slice(at, from) + parsed(there);
    at = from + parsed(here).length;
  }
  return text + old_string.slice(at);
}

const line = fc.constantFrom(
  'foo("a")',
  "foo('a')",
  'x\u00a0y',
  '  "k": [1],',
  '- item two',
  '    }',
  'end',
  'a  b',
  '',
);
const separator = fc.constantFrom('\n', '\n', '\r\n', '\r');
const text = fc
  .tuple(fc.array(fc.tuple(line, separator), { minLength: 1, maxLength: 6 }), fc.constantFrom(undefined, '\n', '\r\n'))
  .map(([lines, all]) => lines.map(([words, own]) => words + (all ?? own)).join(''));
const changes: readonly ((part: string) => string)[] = [
  (part) => part.toUpperCase(),
  (part) => part.replaceAll(/\r\n?|\n/g, '\n'),
  (part) => part.replaceAll(/\r\n?|\n/g, '\r\n'),
  (part) => part.replaceAll('"', "'"),
  (part) => part.replaceAll("'", '"'),
  (part) => part.replaceAll('\u00a0', ' '),
  (part) => part.replaceAll(/ +/g, ' '),
  (part) => part.replaceAll(/^ +/gm, ''),
  (part) => part.replaceAll('\n', '\n\n'),
  (part) => part.replaceAll(/[\r\n]+/g, ' '),
  (part) => `${part}\n\n`,
  (part) => `\n${part}`,
];

test('an edit that is corrected as its failure says is made, or was said to be one of several', () => {
  const seen = new Map<string, number>();
  const request = fc.record({
    old: text,
    from: fc.nat(40),
    length: fc.integer({ min: 3, max: 40 }),
    change: fc.constantFrom(...changes),
    replace_all: fc.boolean(),
  });
  fc.assert(
    fc.property(request, ({ old, from, length, change, replace_all }) => {
      const old_string = change(old.slice(from, from + length));
      if (old_string.trim() === '' || old.includes(old_string)) return;
      const edit = { old_string, new_string: 'NEW', replace_all };
      const told = (failureOf(old, [edit]) ?? '').replace(notFound, '');
      for (const [kind, corrected] of advised(edit, told)) {
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
        const again = failureOf(old, [corrected]);
        if (again === undefined) continue;
        assert.match(again, /: Found \d+ matches/, `${told}\n ${JSON.stringify(corrected.old_string)}`);
        assert.match(told, /This text is there more than once: send more of the text/);
      }
    }),
    { numRuns: 10_000 },
  );
  for (const kind of ['given', 'line endings', 'quotes', 'pairs', 'case']) {
    assert.ok((seen.get(kind) ?? 0) > 50, `seen too rarely: ${kind} (${seen.get(kind) ?? 0})`);
  }
});
