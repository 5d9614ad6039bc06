import assert from 'node:assert/strict';
import { chmodSync, existsSync, lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../needs.js';
import {
  aDirectory,
  type Case,
  type ExpectedError,
  type Files,
  linkTo,
  lowLimits,
  pathError,
  pathTools,
  withOptions,
} from './case.js';

const old = 'one\ntwo\n';
/** Of `old`, as `xxhsum -H3` prints it. */
const hash = '6e628429ca24c01d';
const bytes = Uint8Array.of(0xff, 0xfe, 0, 10);

type Change = Readonly<Record<string, unknown>>;

const call = (changes: readonly Change[], more: object = {}): Case['call'] => ['apply_changes', { changes, ...more }];
const edit = (path: string, old_string: string, new_string: string, more: object = {}): Change => ({
  path,
  edits: [{ old_string, new_string }],
  ...more,
});
const write = (path: string, content: string, more: object = {}): Change => ({ path, content, ...more });
const remove = (path: string, more: object = {}): Change => ({ path, delete: true, ...more });
const rename = (path: string, rename_to: string): Change => ({ path, rename_to });

/** The report of one edit that made one replacement. */
const edited = (path: string, more: object = {}): object => ({
  path,
  kind: 'edited',
  edits_applied: 1,
  total_replacements: 1,
  ...more,
});

const result = (changes: readonly object[], files_changed: number, diff: string, more: object = {}): object => ({
  success: true,
  changes,
  files_changed,
  diff,
  dry_run: false,
  ...more,
});

const diff = (...lines: string[]): string => `${lines.join('\n')}\n`;
const edits = (path: string, ...lines: string[]): string =>
  diff(`diff --git a/${path} b/${path}`, `--- a/${path}`, `+++ b/${path}`, ...lines);
const made = (path: string, ...lines: string[]): string =>
  diff(`diff --git a/${path} b/${path}`, 'new file mode 100644', '--- /dev/null', `+++ b/${path}`, ...lines);
const gone = (path: string, ...lines: string[]): string =>
  diff(`diff --git a/${path} b/${path}`, 'deleted file mode 100644', `--- a/${path}`, '+++ /dev/null', ...lines);
const moved = (from: string, to: string): string =>
  diff(`diff --git a/${from} b/${to}`, 'similarity index 100%', `rename from ${from}`, `rename to ${to}`);

const movedText = (from: string, to: string, ...lines: string[]): string =>
  diff(
    `diff --git a/${from} b/${to}`,
    `rename from ${from}`,
    `rename to ${to}`,
    `--- a/${from}`,
    `+++ b/${to}`,
    ...lines,
  );

const change = (
  title: string,
  before: Files,
  asked: Case['call'],
  reported: object,
  after: Files,
  more: Partial<Case> = {},
): Case => ({ title, before, call: asked, result: { ...reported }, after, ...more });

/** Nothing is written: the files are what they were. */
const refusal = (title: string, before: Files, asked: Case['call'], error: ExpectedError): Case => ({
  title,
  before,
  call: asked,
  error,
});

/** The failure of one change. @param number of it, from 1 */
const failed = (
  number: number,
  reason: string,
  path: string,
  message: string | RegExp,
  more: Parameters<typeof pathError>[3] = {},
): ExpectedError => pathError(reason, path, message, { ...more, data: { change: number, ...more.data } });

/** Parameters that no call may have. */
const invalid = (problem: string, data: object = {}): ExpectedError => ({
  code: -32602,
  status: 400,
  message: `Invalid params: ${problem}`,
  data: { reason: 'invalid_params', ...data },
});

function madeNothing(directory: string): void {
  assert.equal(existsSync(join(directory, '.file-editor')), false, 'not even a lock');
}

/** Few enough for a request; together with their old texts more than four times what a file may have. */
const large = Object.fromEntries(['f1', 'f2', 'f3', 'f4', 'f5'].map((name) => [name, `a${'x'.repeat(950_000)}`]));

const successes: readonly Case[] = [
  change(
    'edits, makes, replaces, deletes and renames at once',
    { 'a.md': old, 'b.md': 'b\n', 'c.md': 'c\n', 'e.md': 'e\n' },
    call([
      edit('a.md', 'two', '2'),
      remove('b.md'),
      rename('c.md', 'new/dir/c.md'),
      write('new/d.md', 'd\n'),
      write('e.md', 'E\n', { expected_hash: '*' }),
    ]),
    result(
      [
        edited('a.md'),
        { path: 'b.md', kind: 'deleted' },
        { path: 'c.md', kind: 'renamed', new_path: 'new/dir/c.md' },
        { path: 'new/d.md', kind: 'created' },
        { path: 'e.md', kind: 'replaced' },
      ],
      5,
      edits('a.md', '@@ -1,2 +1,2 @@', ' one', '-two', '+2') +
        gone('b.md', '@@ -1,1 +0,0 @@', '-b') +
        moved('c.md', 'new/dir/c.md') +
        made('new/d.md', '@@ -0,0 +1,1 @@', '+d') +
        edits('e.md', '@@ -1,1 +1,1 @@', '-e', '+E'),
    ),
    { 'a.md': 'one\n2\n', 'e.md': 'E\n', 'new/d.md': 'd\n', 'new/dir/c.md': 'c\n' },
    {
      told: `edited a.md (1 replacement)\ndeleted b.md\nrenamed c.md -> new/dir/c.md\ncreated new/d.md\nreplaced e.md\n\n${
        edits('a.md', '@@ -1,2 +1,2 @@', ' one', '-two', '+2') +
        gone('b.md', '@@ -1,1 +0,0 @@', '-b') +
        moved('c.md', 'new/dir/c.md') +
        made('new/d.md', '@@ -0,0 +1,1 @@', '+d') +
        edits('e.md', '@@ -1,1 +1,1 @@', '-e', '+E')
      }`,
    },
  ),
  ...[false, true].map((dry_run): Case => {
    const lines = Array.from({ length: 200 }, (_, index) => `line ${String(index)}`);
    const texts = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, `${lines.join('\n')}\n`]));
    const parts = Object.keys(texts).map((path) => {
      return made(path, '@@ -0,0 +1,200 @@', ...lines.map((line) => `+${line}`));
    });
    const whole = parts.join('');
    const did = dry_run ? 'would create' : 'created';
    // Two of them have fewer than 4,000 characters.
    const cut = `${parts.slice(0, 2).join('')}… 1 file and 205 lines of the diff are not shown.\n`;
    const shown = dry_run ? whole : cut;
    return {
      title: `shows a model ${dry_run ? 'all of a long diff of what would change' : 'the first files of a long diff'}`,
      call: call(
        Object.entries(texts).map(([path, content]) => write(path, content)),
        { dry_run },
      ),
      result: {
        ...result(
          Object.keys(texts).map((path) => ({ path, kind: 'created' })),
          3,
          whole,
        ),
        dry_run,
      },
      told: `${did} a\n${did} b\n${did} c\n\n${shown}`,
      ...(dry_run ? {} : { after: texts }),
    };
  }),
  change(
    'moves a file and edits it',
    { 'a.md': old, 'c.md': 'c\n' },
    call([edit('a.md', 'two', '2', { rename_to: 'n/b.md' }), edit('c.md', 'c', 'C')]),
    result(
      [edited('a.md', { kind: 'renamed', new_path: 'n/b.md' }), edited('c.md')],
      2,
      movedText('a.md', 'n/b.md', '@@ -1,2 +1,2 @@', ' one', '-two', '+2') +
        edits('c.md', '@@ -1,1 +1,1 @@', '-c', '+C'),
    ),
    { 'c.md': 'C\n', 'n/b.md': 'one\n2\n' },
    {
      told: `renamed a.md -> n/b.md (1 replacement)\nedited c.md (1 replacement)\n\n${
        movedText('a.md', 'n/b.md', '@@ -1,2 +1,2 @@', ' one', '-two', '+2') +
        edits('c.md', '@@ -1,1 +1,1 @@', '-c', '+C')
      }`,
    },
  ),
  change(
    'moves a file and replaces all of it',
    { 'a.md': old },
    call([write('a.md', 'new\n', { rename_to: 'b.md', expected_hash: hash })]),
    result(
      [{ path: 'a.md', kind: 'renamed', new_path: 'b.md' }],
      1,
      movedText('a.md', 'b.md', '@@ -1,2 +1,1 @@', '-one', '-two', '+new'),
    ),
    { 'b.md': 'new\n' },
  ),
  change(
    'moves and edits a file only if it has the hash that is expected, and tells the new one',
    { 'a.md': old },
    call([edit('a.md', 'two', '2', { rename_to: 'b.md', expected_hash: hash })], { return_hash: true }),
    result(
      [edited('a.md', { kind: 'renamed', new_path: 'b.md', hash: 'e058659202900c7e' })],
      1,
      movedText('a.md', 'b.md', '@@ -1,2 +1,2 @@', ' one', '-two', '+2'),
    ),
    { 'b.md': 'one\n2\n' },
  ),
  {
    title: 'only tells how it would move and edit a file',
    before: { 'a.md': old },
    call: call([edit('a.md', 'two', '2', { rename_to: 'n/b.md' })], { dry_run: true }),
    result: {
      ...result(
        [edited('a.md', { kind: 'renamed', new_path: 'n/b.md' })],
        1,
        movedText('a.md', 'n/b.md', '@@ -1,2 +1,2 @@', ' one', '-two', '+2'),
      ),
      dry_run: true,
    },
    told: `would rename a.md -> n/b.md (1 replacement)\n\n${movedText('a.md', 'n/b.md', '@@ -1,2 +1,2 @@', ' one', '-two', '+2')}`,
    check: madeNothing,
  },
  {
    ...change(
      'keeps the mode of a file that it moves and edits',
      { 'a.md': old },
      call([edit('a.md', 'two', '2', { rename_to: 'b.md' })]),
      result(
        [edited('a.md', { kind: 'renamed', new_path: 'b.md' })],
        1,
        movedText('a.md', 'b.md', '@@ -1,2 +1,2 @@', ' one', '-two', '+2'),
      ),
      { 'b.md': 'one\n2\n' },
    ),
    prepare: (directory) => {
      chmodSync(join(directory, 'a.md'), 0o750);
    },
    check: (directory) => {
      if (needs.modes === false) assert.equal(lstatSync(join(directory, 'b.md')).mode & 0o777, 0o750);
    },
  },
  change(
    'only moves a file if its edits change nothing',
    { 'a.md': old },
    call([edit('a.md', 'one', 'one', { rename_to: 'b.md' })]),
    result([edited('a.md', { kind: 'renamed', new_path: 'b.md', total_replacements: 0 })], 1, moved('a.md', 'b.md')),
    { 'b.md': old },
    { told: `renamed a.md -> b.md (0 replacements)\n\n${moved('a.md', 'b.md')}` },
  ),
  change(
    'applies the edits of a file one after the other, and adds at its ends',
    { 'a.md': 'one\ntwo' },
    call([
      {
        path: './a.md',
        edits: [
          { old_string: 'two', new_string: 'TWO' },
          { old_string: 'o', new_string: '0', replace_all: true, case_insensitive: true },
          { at: 'start', new_string: 'zero\n' },
          { at: 'end', new_string: 'three\n' },
        ],
      },
    ]),
    result(
      [{ path: './a.md', kind: 'edited', edits_applied: 4, total_replacements: 5 }],
      1,
      edits(
        'a.md',
        '@@ -1,2 +1,4 @@',
        '-one',
        '-two',
        '\\ No newline at end of file',
        '+zero',
        '+0ne',
        '+TW0',
        '+three',
      ),
    ),
    { 'a.md': 'zero\n0ne\nTW0\nthree\n' },
  ),
  change(
    'finds only whole words where it is told to',
    { 'a.md': 'id idx\n' },
    call([{ path: 'a.md', edits: [{ old_string: 'id', new_string: 'key', whole_word: true }] }]),
    result(
      [{ path: 'a.md', kind: 'edited', edits_applied: 1, total_replacements: 1 }],
      1,
      edits('a.md', '@@ -1,1 +1,1 @@', '-id idx', '+key idx'),
    ),
    { 'a.md': 'key idx\n' },
  ),
  change(
    'takes a change that deletes nothing for what else it does',
    {},
    call([write('a.md', 'x\n', { delete: false })]),
    result([{ path: 'a.md', kind: 'created' }], 1, made('a.md', '@@ -0,0 +1,1 @@', '+x')),
    { 'a.md': 'x\n' },
  ),
  change(
    'makes several files in one new directory',
    {},
    call([write('n/a.md', ''), write('n/m/b.md', 'b')]),
    result(
      [
        { path: 'n/a.md', kind: 'created' },
        { path: 'n/m/b.md', kind: 'created' },
      ],
      2,
      diff('diff --git a/n/a.md b/n/a.md', 'new file mode 100644') +
        made('n/m/b.md', '@@ -0,0 +1,1 @@', '+b', '\\ No newline at end of file'),
    ),
    { 'n/a.md': '', 'n/m/b.md': 'b' },
  ),
  change(
    'writes bytes that are not text, and shows none of them',
    { 'b.bin': bytes },
    call([write('a.bin', '//4ACg==', { encoding: 'base64' }), write('b.bin', 'b\n', { expected_hash: '*' })]),
    result(
      [
        { path: 'a.bin', kind: 'created' },
        { path: 'b.bin', kind: 'replaced' },
      ],
      2,
      diff('Binary files a/a.bin and b/a.bin differ', 'Binary files a/b.bin and b/b.bin differ'),
    ),
    { 'a.bin': bytes, 'b.bin': 'b\n' },
  ),
  change(
    'makes the changes of files that have the expected hash',
    { 'a.md': old, 'b.md': old, 'c.md': old },
    call([
      edit('a.md', 'one', '1', { expected_hash: hash }),
      write('b.md', 'b\n', { expected_hash: hash }),
      remove('c.md', { expected_hash: hash }),
    ]),
    result(
      [edited('a.md'), { path: 'b.md', kind: 'replaced' }, { path: 'c.md', kind: 'deleted' }],
      3,
      edits('a.md', '@@ -1,2 +1,2 @@', '-one', '+1', ' two') +
        edits('b.md', '@@ -1,2 +1,1 @@', '-one', '-two', '+b') +
        gone('c.md', '@@ -1,2 +0,0 @@', '-one', '-two'),
    ),
    { 'a.md': '1\ntwo\n', 'b.md': 'b\n' },
  ),
  change(
    'tells the new hash of each text where it is asked for',
    { 'a.md': 'ONE\ntwo\n', 'b.md': 'b\n' },
    call([edit('a.md', 'ONE', 'one'), write('c.md', old), remove('b.md')], { return_hash: true }),
    result(
      [edited('a.md', { hash }), { path: 'c.md', kind: 'created', hash }, { path: 'b.md', kind: 'deleted' }],
      3,
      edits('a.md', '@@ -1,2 +1,2 @@', '-ONE', '+one', ' two') +
        made('c.md', '@@ -0,0 +1,2 @@', '+one', '+two') +
        gone('b.md', '@@ -1,1 +0,0 @@', '-b'),
    ),
    { 'a.md': old, 'c.md': old },
  ),
  change(
    'reports in a dry run what it would do, hashes included, and makes nothing',
    { 'a.md': 'ONE\ntwo\n', 'b.md': 'b\n' },
    call([edit('a.md', 'ONE', 'one'), write('n/c.md', old), rename('b.md', 'm/b.md')], {
      dry_run: true,
      return_hash: false,
    }),
    result(
      [edited('a.md'), { path: 'n/c.md', kind: 'created' }, { path: 'b.md', kind: 'renamed', new_path: 'm/b.md' }],
      3,
      edits('a.md', '@@ -1,2 +1,2 @@', '-ONE', '+one', ' two') +
        made('n/c.md', '@@ -0,0 +1,2 @@', '+one', '+two') +
        moved('b.md', 'm/b.md'),
      { dry_run: true },
    ),
    { 'a.md': 'ONE\ntwo\n', 'b.md': 'b\n' },
    {
      check: (directory) => {
        madeNothing(directory);
        assert.equal(existsSync(join(directory, 'n')), false);
        assert.equal(existsSync(join(directory, 'm')), false);
      },
    },
  ),
  change(
    'tells in a dry run the hash that a text would have',
    { 'a.md': 'ONE\ntwo\n' },
    call([edit('a.md', 'ONE', 'one')], { dry_run: true, return_hash: true }),
    result([edited('a.md', { hash })], 1, edits('a.md', '@@ -1,2 +1,2 @@', '-ONE', '+one', ' two'), { dry_run: true }),
    { 'a.md': 'ONE\ntwo\n' },
    { check: madeNothing },
  ),
  change(
    'succeeds without writing where nothing changes',
    { 'a.md': old, 'b.md': old },
    call([edit('a.md', 'one', 'one'), write('b.md', old, { expected_hash: hash })]),
    result(
      [
        { path: 'a.md', kind: 'edited', edits_applied: 1, total_replacements: 0 },
        { path: 'b.md', kind: 'replaced' },
      ],
      0,
      '',
    ),
    { 'a.md': old, 'b.md': old },
    { told: 'edited a.md (0 replacements)\nreplaced b.md' },
  ),
  change(
    'counts only files that change',
    { 'a.md': old, 'b.md': old },
    call([edit('a.md', 'one', 'one'), edit('b.md', 'one', '1')]),
    result(
      [{ path: 'a.md', kind: 'edited', edits_applied: 1, total_replacements: 0 }, edited('b.md')],
      1,
      edits('b.md', '@@ -1,2 +1,2 @@', '-one', '+1', ' two'),
    ),
    { 'a.md': old, 'b.md': '1\ntwo\n' },
  ),
  {
    title: 'edits the target of a link, and deletes and renames links themselves',
    before: { 'd/a.md': old, 'd/b.md': old },
    make: { to: linkTo('d/a.md'), 'd/old': linkTo('b.md'), gone: linkTo('d/b.md') },
    call: call([edit('to', 'one', '1'), rename('d/old', 'd/new'), remove('gone')]),
    result: {
      ...result(
        [edited('to'), { path: 'd/old', kind: 'renamed', new_path: 'd/new' }, { path: 'gone', kind: 'deleted' }],
        3,
        edits('d/a.md', '@@ -1,2 +1,2 @@', '-one', '+1', ' two') +
          moved('d/old', 'd/new') +
          diff(
            'diff --git a/gone b/gone',
            'deleted file mode 120000',
            '--- a/gone',
            '+++ /dev/null',
            '@@ -1,1 +0,0 @@',
            '-d/b.md',
            '\\ No newline at end of file',
          ),
      ),
    },
    after: { 'd/a.md': '1\ntwo\n', 'd/b.md': old },
    check: (directory) => {
      assert.equal(readlinkSync(join(directory, 'to')), 'd/a.md');
      assert.equal(readlinkSync(join(directory, 'd/new')), 'b.md');
      assert.equal(lstatSync(join(directory, 'gone'), { throwIfNoEntry: false }), undefined);
    },
  },
  {
    title: 'says which file has two kinds of line endings now',
    before: { 'a.md': 'one\r\ntwo\r\n', 'b.md': old },
    call: call([edit('b.md', 'one', '1'), edit('a.md', 'one\r\n', 'one\n')]),
    result: {
      ...result(
        [
          edited('b.md'),
          edited('a.md', {
            notice:
              'The file now mixes line endings: it had only \\r\\n, and line 1 ends with \\n. Send every line ending of this file as \\r\\n.',
          }),
        ],
        2,
        edits('b.md', '@@ -1,2 +1,2 @@', '-one', '+1', ' two') +
          edits('a.md', '@@ -1,2 +1,2 @@', '-one\r', '+one', ' two\r'),
      ),
    },
    after: { 'a.md': 'one\ntwo\r\n', 'b.md': '1\ntwo\n' },
  },
  {
    title: 'takes the line breaks of a model as the file has them',
    before: { 'a.md': 'one\r\ntwo\r\n' },
    call: call([edit('a.md', 'one\ntwo', '1\n2')]),
    error: failed(
      1,
      'string_not_found',
      'a.md',
      /^Change 1 of 1 \(a\.md\) failed: Edit 1 of 1 failed: String not found/,
    ),
    forgiven: {
      result: { ...result([edited('a.md')], 1, edits('a.md', '@@ -1,2 +1,2 @@', '-one\r', '-two\r', '+1\r', '+2\r')) },
      after: { 'a.md': '1\r\n2\r\n' },
      told: `edited a.md (1 replacement)\na.md (line breaks taken as \\r\\n, as in the file)\n\n${edits('a.md', '@@ -1,2 +1,2 @@', '-one\r', '-two\r', '+1\r', '+2\r')}`,
    },
  },
];

const failures: readonly Case[] = [
  refusal(
    'makes none if an edit finds nothing, and says which',
    { 'a.md': old, 'b.md': old },
    call([edit('a.md', 'one', '1'), edit('b.md', 'three', '3')]),
    failed(
      2,
      'string_not_found',
      'b.md',
      /^Change 2 of 2 \(b\.md\) failed: Edit 1 of 1 failed: String not found: "three"/,
    ),
  ),
  refusal(
    'makes none if a text is there twice',
    { 'a.md': 'x\nx\n' },
    call([write('n/b.md', ''), edit('a.md', 'x', 'y')]),
    failed(
      2,
      'string_not_unique',
      'a.md',
      /^Change 2 of 2 \(a\.md\) failed: Edit 1 of 1 failed: Found 2 matches at lines 1, 2\. /,
    ),
  ),
  refusal(
    'makes none if a file to edit is missing, and offers the name that was meant',
    { 'notes.md': old },
    call([write('n/b.md', ''), edit('note.md', 'one', '1')]),
    failed(
      2,
      'file_not_found',
      'note.md',
      'Change 2 of 2 (note.md) failed: File not found: note.md. Check that file exists.',
      {
        details: /'notes\.md'.* To make this file, send its content in change 2 in place of edits\.$/,
      },
    ),
  ),
  refusal(
    'makes none if a file to delete is missing',
    { 'a.md': old },
    call([edit('a.md', 'one', '1'), remove('b.md')]),
    failed(2, 'file_not_found', 'b.md', 'Change 2 of 2 (b.md) failed: File not found: b.md'),
  ),
  refusal(
    'makes none if a file to rename is missing',
    { 'a.md': old },
    call([rename('b.md', 'n/c.md'), remove('a.md')]),
    failed(1, 'file_not_found', 'b.md', 'Change 1 of 2 (b.md) failed: File not found: b.md'),
  ),
  refusal(
    'replaces no file that the caller may not have seen, and tells its hash',
    { 'a.md': old },
    call([write('b.md', 'b'), write('a.md', 'new')]),
    failed(2, 'file_exists', 'a.md', 'Change 2 of 2 (a.md) failed: File already exists: a.md', {
      details: new RegExp(hash),
      data: { current_hash: hash },
    }),
  ),
  refusal(
    'renames onto no file, and names that',
    { 'a.md': old, 'b.md': 'b' },
    call([rename('a.md', 'b.md')]),
    failed(1, 'file_exists', 'b.md', 'Change 1 of 1 (a.md) failed: File already exists: b.md'),
  ),
  refusal(
    'renames no file onto itself',
    { 'a.md': old },
    call([rename('a.md', './a.md')]),
    failed(1, 'file_exists', './a.md', 'Change 1 of 1 (a.md) failed: File already exists: ./a.md'),
  ),
  ...(
    [
      ['edited', edit('a.md', 'one', '1', { expected_hash: '00' })],
      ['replaced', write('a.md', 'x', { expected_hash: '00' })],
      ['deleted', remove('a.md', { expected_hash: '00' })],
    ] as const
  ).map(([what, wrong]) =>
    refusal(
      `makes none if another version is to be ${what}`,
      { 'a.md': old, 'b.md': old },
      call([edit('b.md', 'one', '1'), wrong]),
      failed(2, 'conflict', 'a.md', "Change 2 of 2 (a.md) failed: File 'a.md' has changed", {
        status: 412,
        data: { current_hash: hash },
      }),
    ),
  ),
  ...(
    [
      [
        'edited',
        edit('a.md', 'one', '1', { expected_hash: hash }),
        /send its content in change 1 in place of edits, without expected_hash\.$/,
      ],
      [
        'replaced',
        write('a.md', 'x', { expected_hash: '*' }),
        / To make this file, leave expected_hash out of change 1\.$/,
      ],
      ['deleted', remove('a.md', { expected_hash: hash }), /^(?!.*To make)/],
    ] as const
  ).map(([what, wrong, details]) =>
    refusal(
      `makes none if a version that is gone is to be ${what}`,
      {},
      call([wrong]),
      failed(1, 'conflict', 'a.md', "Change 1 of 1 (a.md) failed: File 'a.md' has changed", {
        status: 412,
        details,
      }),
    ),
  ),
  refusal(
    'edits no bytes that are not text',
    { 'a.bin': bytes },
    call([edit('a.bin', 'a', 'b')]),
    failed(
      1,
      'binary_file',
      'a.bin',
      /^Change 1 of 1 \(a\.bin\) failed: Cannot perform text operation on binary file\. Check its encoding: /,
    ),
  ),
  ...(
    [
      ['edits', edit('d', 'a', 'b')],
      ['writes', write('d', 'x')],
      ['deletes', remove('d')],
      ['renames', rename('d', 'e')],
    ] as const
  ).map(([does, wrong]): Case => ({
    title: `${does} no directory`,
    before: { 'a.md': old },
    make: { d: aDirectory },
    call: call([edit('a.md', 'one', '1'), wrong]),
    error: failed(2, 'is_directory', 'd', /^Change 2 of 2 \(d\) failed: Path is a directory: d/),
  })),
  {
    title: 'makes no directory where a file is',
    before: { n: 'x' },
    call: call([write('m/b.md', ''), write('n/a.md', 'x')]),
    error: failed(2, 'not_a_directory', 'n/a.md', 'Change 2 of 2 (n/a.md) failed: Not a directory: n/a.md'),
    check: (directory) => {
      assert.equal(existsSync(join(directory, 'm')), false);
    },
  },
  refusal(
    'judges a change against what was there before the call',
    { n: 'x' },
    call([remove('n'), write('n/a.md', 'x')]),
    failed(2, 'not_a_directory', 'n/a.md', 'Change 2 of 2 (n/a.md) failed: Not a directory: n/a.md'),
  ),
  refusal(
    'tells the first failure of the request',
    { 'a.md': old },
    call([edit('a.md', 'three', '3'), write('../b.md', ''), remove('c.md')]),
    failed(1, 'string_not_found', 'a.md', /^Change 1 of 3 \(a\.md\) failed: /),
  ),
];

/** A file is named by two changes. */
const twice: readonly Case[] = (
  [
    ['exactly', 'a.md'],
    ['with a dot', './a.md'],
    ['by a detour', 'd/../a.md'],
    ['through a link to it', 'link'],
    ['through a link to its directory', 'here/a.md'],
    ['with another separator', 'd\\..\\a.md'],
  ] as const
).map(([how, path]) => ({
  title: `takes no file twice, named ${how}`,
  before: { 'a.md': old, 'd/x.md': '' },
  make: { link: linkTo('a.md'), here: linkTo('.') },
  call: call([edit('a.md', 'one', '1'), edit(path, 'two', '2')]),
  error: failed(
    2,
    'invalid_params',
    path,
    `Change 2 of 2 (${path}) failed: Invalid params: '${path}' names the same file as change 1 ('a.md')`,
  ),
}));

const conflicts: readonly Case[] = [
  ...twice,
  refusal(
    'takes no file twice, as a new name',
    { 'a.md': old, 'b.md': 'b' },
    call([remove('a.md'), rename('b.md', './a.md')]),
    failed(
      2,
      'invalid_params',
      './a.md',
      "Change 2 of 2 (b.md) failed: Invalid params: './a.md' names the same file as change 1 ('a.md')",
    ),
  ),
  refusal(
    'takes no file twice, as two new names',
    { 'a.md': old, 'b.md': 'b' },
    call([rename('a.md', 'c.md'), rename('b.md', 'c.md')]),
    failed(
      2,
      'invalid_params',
      'c.md',
      "Change 2 of 2 (b.md) failed: Invalid params: 'c.md' names the same file as the rename_to of change 1 ('c.md')",
    ),
  ),
  refusal(
    'makes no file where another change needs a directory',
    {},
    call([write('n/a.md', 'x'), write('n', 'x')]),
    failed(2, 'invalid_params', 'n', /^Change 2 of 2 \(n\) failed: .* needs a directory there \(see change 1\)$/),
  ),
  refusal(
    'needs no directory where another change makes a file',
    { 'b.md': 'b' },
    call([write('n', 'x'), rename('b.md', 'n/m/b.md')]),
    failed(2, 'invalid_params', 'n/m/b.md', /^Change 2 of 2 \(b\.md\) failed: .* \(see change 1\)$/),
  ),
];

const paths: readonly Case[] = [
  refusal(
    'leaves the directory by no absolute path',
    { 'a.md': old },
    call([edit('a.md', 'one', '1'), write('/etc/x.md', 'x')]),
    failed(2, 'path_security', '/etc/x.md', 'Change 2 of 2 (/etc/x.md) failed: Path escapes base directory'),
  ),
  refusal(
    'leaves it by no new name',
    { 'a.md': old },
    call([rename('a.md', '../a.md')]),
    failed(1, 'path_security', '../a.md', 'Change 1 of 1 (a.md) failed: Path escapes base directory'),
  ),
  {
    title: 'leaves it through no link',
    before: { 'a.md': old },
    make: { out: linkTo('/tmp') },
    call: call([edit('a.md', 'one', '1'), write('out/x.md', 'x')]),
    error: failed(2, 'path_security', 'out/x.md', 'Change 2 of 2 (out/x.md) failed: Path escapes base directory'),
  },
  refusal(
    'does not enter the reserved directory',
    {},
    call([write('.file-editor/x', 'x')]),
    failed(
      1,
      'path_security',
      '.file-editor/x',
      "Change 1 of 1 (.file-editor/x) failed: '.file-editor' is reserved for the server",
    ),
  ),
  refusal(
    'shows a path with a control character on one line',
    {},
    call([write('a\0\nb', 'x')]),
    failed(
      1,
      'invalid_params',
      'a\0\nb',
      `Change 1 of 1 (a\\u0000\\nb) failed: Invalid params: /path holds a NUL character`,
    ),
  ),
  refusal(
    'takes no path that is too long',
    {},
    call([write(`${'n/'.repeat(2_100)}a`, 'x')]),
    failed(
      1,
      'invalid_params',
      `${'n/'.repeat(2_100)}a`.slice(0, 4_096),
      /^Change 1 of 1 \((?:n\/){2048}…\) failed: Invalid/,
    ),
  ),
];

const parameters: readonly Case[] = [
  refusal('does not do nothing', {}, call([]), invalid('/changes must be an array of 1 to 100 items')),
  refusal(
    'makes at most 100 changes',
    {},
    call(Array.from({ length: 101 }, (_, index) => write(String(index), ''))),
    invalid('/changes must hold at most 100 items'),
  ),
  refusal(
    'does one thing to a path, not none',
    { 'a.md': old },
    call([edit('a.md', 'one', '1'), { path: 'b.md' }]),
    invalid('/changes/1 must have edits, content, delete or rename_to', { path: 'b.md' }),
  ),
  refusal(
    'does one thing to a path, not two',
    { 'a.md': old },
    call([edit('a.md', 'one', '1', { delete: true })]),
    invalid('/changes/0 must have only one of edits and delete', { path: 'a.md' }),
  ),
  refusal(
    'does not move a file whose edits fail',
    { 'a.md': old },
    call([edit('a.md', 'three', '3', { rename_to: 'n/b.md' })]),
    failed(1, 'string_not_found', 'a.md', /^Change 1 of 1 \(a\.md\) failed: /),
  ),
  refusal(
    'does not edit a file that cannot be moved',
    { 'a.md': old, 'b.md': 'b' },
    call([edit('a.md', 'one', '1', { rename_to: 'b.md' })]),
    failed(1, 'file_exists', 'b.md', 'Change 1 of 1 (a.md) failed: File already exists: b.md'),
  ),
  refusal(
    'moves no file with a new content that has not been seen',
    { 'a.md': old },
    call([write('a.md', 'new', { rename_to: 'b.md' })]),
    failed(1, 'file_exists', 'a.md', 'Change 1 of 1 (a.md) failed: File already exists: a.md', {
      data: { current_hash: hash },
    }),
  ),
  ...[edit('a.md', 'one', '1'), write('a.md', 'new')].map((given, index) =>
    refusal(
      `does not move ${['and edit', 'and replace'][index] ?? ''} a file that has another hash`,
      { 'a.md': old },
      call([{ ...given, rename_to: 'b.md', expected_hash: '0123456789abcdef' }]),
      failed(1, 'conflict', 'a.md', "Change 1 of 1 (a.md) failed: File 'a.md' has changed", {
        status: 412,
        data: { current_hash: hash },
      }),
    ),
  ),
  refusal(
    'does not move and edit what is not there, and does not say how to make it',
    {},
    call([edit('a.md', 'one', '1', { rename_to: 'b.md' })]),
    failed(1, 'file_not_found', 'a.md', /^Change 1 of 1 \(a\.md\) failed: File not found: a\.md/, {
      details: /^(?!.*To make this file)/,
    }),
  ),
  refusal(
    'does not move and edit what is not there any more',
    {},
    call([edit('a.md', 'one', '1', { rename_to: 'b.md', expected_hash: hash })]),
    failed(1, 'conflict', 'a.md', "Change 1 of 1 (a.md) failed: File 'a.md' has changed", { status: 412 }),
  ),
  {
    ...refusal(
      'does not move and edit a link in one change',
      { 'a.md': old },
      call([edit('link', 'one', '1', { rename_to: 'b.md' })]),
      failed(1, 'invalid_params', 'link', "Change 1 of 1 (link) failed: Invalid params: 'link' is a link"),
    ),
    make: { link: linkTo('a.md') },
  },
  refusal(
    'expects no version of a file that it renames',
    { 'a.md': old },
    call([{ ...rename('a.md', 'b.md'), expected_hash: hash }]),
    invalid('/changes/0/expected_hash must not be beside rename_to', { path: 'a.md' }),
  ),
  refusal(
    'takes no encoding without content',
    { 'a.md': old },
    call([remove('a.md', { encoding: 'base64' })]),
    invalid('/changes/0/encoding must not be without content', { path: 'a.md' }),
  ),
  refusal(
    'takes only edits that say what or where',
    { 'a.md': old },
    call([{ path: 'a.md', edits: [{ new_string: 'x' }] }]),
    invalid('/changes/0/edits/0 must have old_string or at', { path: 'a.md' }),
  ),
  refusal(
    'takes no text that is not well-formed',
    { 'a.md': old },
    call([edit('a.md', 'one', '1'), write('b.md', '\ud800')]),
    failed(2, 'invalid_encoding', 'b.md', 'Change 2 of 2 (b.md) failed: Content does not match specified encoding', {
      details: /^content of change 2 must be well-formed/,
    }),
  ),
  refusal(
    'takes no base64 that is none',
    { 'a.md': old },
    call([edit('a.md', 'one', '1'), write('b.md', 'a', { encoding: 'base64' })]),
    failed(2, 'invalid_encoding', 'b.md', 'Change 2 of 2 (b.md) failed: Content does not match specified encoding'),
  ),
  {
    title: 'reads and writes at most four times as much as a file may have',
    options: lowLimits,
    before: large,
    call: call(Object.keys(large).map((path) => edit(path, 'a', 'b'))),
    error: failed(3, 'file_too_large', 'f3', /^Change 3 of 5 \(f3\) failed: /),
  },
  {
    title: 'makes no text with more lines than a file may have',
    options: lowLimits,
    before: { 'a.md': 'one\n' },
    call: call([edit('a.md', 'one', '1'), write('b.md', '1\n2\n3\n')]),
    error: failed(2, 'file_too_large', 'b.md', 'Change 2 of 2 (b.md) failed: File has 3 lines, exceeds maximum 2'),
  },
];

export const applyChangesCases: readonly Case[] = withOptions(pathTools, [
  ...successes,
  ...failures,
  ...conflicts,
  ...paths,
  ...parameters,
]);
