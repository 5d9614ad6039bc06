/** Line endings in edits by text (spec 15): what a model is forgiven, and what every caller is told. */
import { type Case, type ExpectedError, pathError, pathTools, withOptions } from './case.js';

const path = 'a.txt';
const done = { success: true, path };
const taken = '(line breaks taken as \\r\\n, as in the file)';

const replace = (old_str: string, new_str: string): Case['call'] => ['str_replace', { path, old_str, new_str }];
const apply = (edits: readonly object[], more: object = {}): Case['call'] => ['apply_edits', { path, edits, ...more }];
const edit = (old_string: string, new_string: string, more: object = {}): object => ({
  old_string,
  new_string,
  ...more,
});
const diff = (...lines: string[]): string => ['--- a/a.txt', '+++ b/a.txt', ...lines, ''].join('\n');
const applied = (lines: readonly (readonly number[])[], diff: string, more: object = {}): Record<string, unknown> => ({
  ...done,
  edits_applied: lines.length,
  total_replacements: lines.flat().length,
  replacements: lines.map((each, index) => ({ edit: index + 1, count: each.length, lines: each })),
  diff,
  dry_run: false,
  ...more,
});

const notFound: ExpectedError = pathError('string_not_found', path, 'String not found in file', {
  details: /^Nothing was written\. old_str differs from the text at line \d+ only in line endings\. /,
});
const editNotFound = (which: string): ExpectedError =>
  pathError('string_not_found', path, new RegExp(`^Edit ${which} failed: String not found: `));

/** A text that only a model may send with `\n`. */
const forgiven = (
  title: string,
  before: string,
  call: Case['call'],
  error: ExpectedError,
  outcome: NonNullable<Case['forgiven']>,
): Case => ({ title, before: { [path]: before }, call, error, forgiven: outcome });

const change = (
  title: string,
  before: string,
  call: Case['call'],
  { result, told, after = before }: { result: Record<string, unknown>; told: string; after?: string },
): Case => ({ title, before: { [path]: before }, call, result, told, after: { [path]: after } });

const notice = (had: string, line: number, ends: string): string =>
  `The file now mixes line endings: it had only ${had}, and line ${line} ends with ${ends}. Send every line ending of this file as ${had}.`;

/** Few distinct characters, which occur in several places. */
const numbered = Array.from({ length: 5_000 }, (_, index) => `line ${index}\r\nnext\r\n`).join('');

export const lineEndingCases: readonly Case[] = withOptions(pathTools, [
  forgiven('takes line breaks as the file has them', 'a\r\nb\r\nc\r\n', replace('a\nb\n', 'A\nB\r\n\n'), notFound, {
    result: done,
    told: `OK: a.txt (lines 1-3)\n${taken}`,
    after: { [path]: 'A\r\nB\r\n\r\nc\r\n' },
  }),
  forgiven('takes those of a text that has some of them right', 'a\r\nb\r\nc', replace('a\r\nb\nc', 'x'), notFound, {
    result: done,
    told: `OK: a.txt (line 1)\n${taken}`,
    after: { [path]: 'x' },
  }),
  forgiven('takes those of a large new text', 'a\r\nb', replace('a\nb', 'é "\n'.repeat(100_000)), notFound, {
    result: done,
    told: `OK: a.txt (lines 1-100000)\n${taken}`,
    after: { [path]: 'é "\r\n'.repeat(100_000) },
  }),
  {
    title: 'forgives nothing if the forgiven text would match twice, and says so',
    before: { [path]: 'a\r\nb\r\na\r\nb\r\n' },
    call: replace('a\nb\n', 'x\n'),
    error: pathError('string_not_found', path, 'String not found in file', {
      details: /The text occurs at lines 1, 3: send it with more/,
    }),
  },
  {
    title: 'adapts all line breaks to the file, or none',
    before: { [path]: 'a\r\nb\nc' },
    call: replace('a\nb\nc', 'x'),
    error: pathError('string_not_found', path, 'String not found in file'),
  },
  change('finds first what is there as it was sent', 'a\nb\r\na\r\nb', replace('a\nb', 'x'), {
    result: done,
    told: 'OK: a.txt (line 1)',
    after: 'x\r\na\r\nb',
  }),
  forgiven(
    'takes line breaks in each edit, also after others have changed the text, and in any case',
    'a\r\nb\r\nc\r\nd\r\n',
    apply([edit('a\nb', 'A\nB'), edit('b\nC', 'x\ny', { case_insensitive: true }), edit('d\n', 'd\n\n')]),
    editNotFound('1 of 3'),
    {
      result: applied(
        [[1], [2], [4]],
        diff('@@ -1,4 +1,5 @@', '-a\r', '-b\r', '-c\r', '+A\r', '+x\r', '+y\r', ' d\r', '+\r'),
      ),
      told: `Replaced 3 occurrences in a.txt (lines 1, 2, 4)\n${taken}\n\n${diff('@@ -1,4 +1,5 @@', '-a\r', '-b\r', '-c\r', '+A\r', '+x\r', '+y\r', ' d\r', '+\r')}`,
      after: { [path]: 'A\r\nx\r\ny\r\nd\r\n\r\n' },
    },
  ),
  forgiven(
    'takes them in every match',
    'a\r\nb a\r\nb',
    apply([edit('a\nb', 'c', { replace_all: true })]),
    editNotFound('1 of 1'),
    {
      result: applied(
        [[1, 2]],
        diff(
          '@@ -1,3 +1,1 @@',
          '-a\r',
          '-b a\r',
          '-b',
          '\\ No newline at end of file',
          '+c c',
          '\\ No newline at end of file',
        ),
      ),
      told: `Replaced 2 occurrences in a.txt (lines 1, 2)\n${taken}\n\n${diff('@@ -1,3 +1,1 @@', '-a\r', '-b a\r', '-b', '\\ No newline at end of file', '+c c', '\\ No newline at end of file')}`,
      after: { [path]: 'c c' },
    },
  ),
  forgiven(
    'takes them in an edit that then changes nothing',
    'a\r\nb',
    apply([edit('a\nb', 'a\r\nb')]),
    editNotFound('1 of 1'),
    {
      result: applied([[]], ''),
      told: `Replaced 0 occurrences in a.txt\n${taken}`,
      after: { [path]: 'a\r\nb' },
    },
  ),
  forgiven(
    'takes them in a large file with many edits',
    numbered,
    apply(Array.from({ length: 20 }, (_, index) => edit(`line ${4_999 - index}\nnext`, 'x\n'))),
    editNotFound('1 of 20'),
    {
      result: applied(
        Array.from({ length: 20 }, (_, index) => [9_999 - 2 * index]),
        // Another test checks diffs.
        '',
        { diff: /^--- a\/a\.txt\n/ },
      ),
      after: { [path]: numbered.replaceAll(/line 49[89]\d\r\nnext/g, 'x\r\n') },
    },
  ),
  {
    title: 'reports an edit that matches several times, with any line breaks',
    before: { [path]: 'a\r\na\nb\na\nb' },
    call: apply([edit('a\nb', 'x')]),
    error: pathError('string_not_unique', path, /Found 2 matches at lines 2, 4\./),
  },
  change('says that a replacement has mixed the line endings', 'a\r\nb\r\nc\r\n', replace('b', 'x\ny'), {
    result: { ...done, notice: notice('\\r\\n', 2, '\\n') },
    told: `OK: a.txt (lines 2-3)\n${notice('\\r\\n', 2, '\\n')}`,
    after: 'a\r\nx\ny\r\nc\r\n',
  }),
  change('says so where a \\r\\n was cut in two', 'a\r\nb\r\nc\r\n', replace('\nb', 'b'), {
    result: { ...done, notice: notice('\\r\\n', 1, '\\r') },
    told: `OK: a.txt (line 2)\n${notice('\\r\\n', 1, '\\r')}`,
    after: 'a\rb\r\nc\r\n',
  }),
  change('says nothing where all line endings have become others', 'a\r\nb', replace('\r\n', '\n'), {
    result: done,
    told: 'OK: a.txt (line 1)',
    after: 'a\nb',
  }),
  change('says nothing of a file that had none', 'a', replace('a', 'a\nb\r\n'), {
    result: done,
    told: 'OK: a.txt (lines 1-2)',
    after: 'a\nb\r\n',
  }),
  change('says nothing of a file that mixed them before', 'a\nb\r\nc', replace('c', 'c\nd\r'), {
    result: done,
    told: 'OK: a.txt (lines 3-4)',
    after: 'a\nb\r\nc\nd\r',
  }),
  change(
    'says that an inserted text has mixed them',
    'a\nb\n',
    ['insert', { path, insert_line: 2, new_str: 'x\r\n' }],
    {
      result: { ...done, notice: notice('\\n', 2, '\\r\\n') },
      told: `OK: a.txt (line 2)\n${notice('\\n', 2, '\\r\\n')}`,
      after: 'a\nx\r\nb\n',
    },
  ),
  change('says that edits have mixed them', 'a\rb\rc', apply([edit('a', 'x\ny'), edit('c', 'C')]), {
    result: applied(
      [[1], [4]],
      diff(
        '@@ -1,1 +1,2 @@',
        '-a\rb\rc',
        '\\ No newline at end of file',
        '+x',
        '+y\rb\rC',
        '\\ No newline at end of file',
      ),
      {
        notice: notice('\\r', 1, '\\n'),
      },
    ),
    told: `Replaced 2 occurrences in a.txt (lines 1, 4)\n${notice('\\r', 1, '\\n')}\n\n${diff('@@ -1,1 +1,2 @@', '-a\rb\rc', '\\ No newline at end of file', '+x', '+y\rb\rC', '\\ No newline at end of file')}`,
    after: 'x\ny\rb\rC',
  }),
  change(
    'says nothing of edits whose last one mends what another has mixed',
    'a\nb\n',
    apply([edit('a', 'x\r\ny'), edit('\r', '')]),
    {
      result: applied([[1], [1]], diff('@@ -1,2 +1,3 @@', '-a', '+x', '+y', ' b')),
      told: `Replaced 2 occurrences in a.txt (line 1)\n\n${diff('@@ -1,2 +1,3 @@', '-a', '+x', '+y', ' b')}`,
      after: 'x\ny\nb\n',
    },
  ),
  change('says what a dry run would mix', 'a\nb\n', apply([edit('b', 'b\r')], { dry_run: true }), {
    result: applied([[2]], diff('@@ -1,2 +1,2 @@', ' a', '-b', '+b\r'), {
      dry_run: true,
      notice:
        'The file would mix line endings: it has only \\n, and line 2 would end with \\r\\n. Send every line ending of this file as \\n.',
    }),
    told: `Would have replaced 1 occurrence in a.txt (line 2)\nThe file would mix line endings: it has only \\n, and line 2 would end with \\r\\n. Send every line ending of this file as \\n.\n\n${diff('@@ -1,2 +1,2 @@', ' a', '-b', '+b\r')}`,
  }),
]);
