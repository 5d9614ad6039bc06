/** The same edits in all files that match (spec 17), in changes of apply_changes. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, type ExpectedError, type Files, linkTo, pathTools, withOptions } from './case.js';

type Edit = Readonly<Record<string, unknown>>;

const replace = (old_string: string, new_string: string, more: object = {}): Edit => ({
  old_string,
  new_string,
  ...more,
});
const inAll = (glob: string, ...edits: readonly Edit[]): object => ({ glob, edits });
const call = (changes: readonly object[], more: object = {}): Case['call'] => ['apply_changes', { changes, ...more }];

const edited = (path: string, edits_applied: number, total_replacements: number, more: object = {}): object => ({
  path,
  kind: 'edited',
  edits_applied,
  total_replacements,
  ...more,
});

/** The diff of a file of one line. */
const line = (path: string, old: string, now: string): string =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,1 +1,1 @@\n-${old}\n+${now}\n`;

const result = (changes: readonly object[], diff: string, more: object = {}): Readonly<Record<string, unknown>> => ({
  success: true,
  changes,
  files_changed: changes.length,
  diff,
  dry_run: false,
  ...more,
});

const refused = (reason: string, message: string | RegExp, more: Partial<ExpectedError> = {}): ExpectedError => ({
  code: reason === 'invalid_params' ? -32602 : -32001,
  status: reason === 'permission_denied' ? 403 : 400,
  message,
  ...more,
  data: { reason, change: 1, ...more.data },
});

const before: Files = {
  'a.md': 'one\n',
  'b.md': 'zero\n',
  'd/c.md': 'one two\n',
  'd/d.txt': 'one\n',
};

const successes: readonly Case[] = [
  {
    title: 'edits all files that match, but those that do not have the text',
    before,
    call: call([inAll('*.md', replace('one', '1'), replace('two', '2'))]),
    result: result(
      [edited('a.md', 1, 1), edited('d/c.md', 2, 2)],
      line('a.md', 'one', '1') + line('d/c.md', 'one two', '1 2'),
    ),
    after: { ...before, 'a.md': '1\n', 'd/c.md': '1 2\n' },
    told: `edited a.md (1 replacement)\nedited d/c.md (2 replacements)\n\n${
      line('a.md', 'one', '1') + line('d/c.md', 'one two', '1 2')
    }`,
  },
  {
    title: 'tells all that it would edit',
    before,
    call: call([inAll('d/**', replace('one', '1'))], { dry_run: true, return_hash: true }),
    result: result(
      [edited('d/c.md', 1, 1, { hash: 'd3dfba7a329f6b04' }), edited('d/d.txt', 1, 1, { hash: '2ef3a1a12238c2e5' })],
      line('d/c.md', 'one two', '1 two') + line('d/d.txt', 'one', '1'),
      { dry_run: true },
    ),
    check: (directory) => {
      assert.equal(existsSync(join(directory, '.file-editor')), false, 'not even a lock');
    },
  },
  {
    title: 'matches each edit against the result of those before it, also where one was passed over',
    before: { a: 'one\n', b: 'two\n' },
    call: call([inAll('?', replace('one', 'two'), replace('two', 'three'))]),
    result: result([edited('a', 2, 2), edited('b', 1, 1)], line('a', 'one', 'three') + line('b', 'two', 'three')),
    after: { a: 'three\n', b: 'three\n' },
  },
  {
    title: 'adds text at the start of every file',
    before: { 'a.ts': 'a\n', 'b.ts': 'b\n' },
    call: call([inAll('*.ts', { at: 'start', new_string: '// ' })]),
    result: result([edited('a.ts', 1, 1), edited('b.ts', 1, 1)], line('a.ts', 'a', '// a') + line('b.ts', 'b', '// b')),
    after: { 'a.ts': '// a\n', 'b.ts': '// b\n' },
  },
  {
    title: 'passes over bytes that are not text, links, and what is hidden or ignored',
    before: {
      '.gitignore': 'ignored\n',
      '.hidden/a.md': 'one\n',
      '.b.md': 'one\n',
      'c.md': Uint8Array.of(0xff, 111, 110, 101),
      'd.md': 'one\n',
      'ignored/e.md': 'one\n',
    },
    make: { 'link.md': linkTo('d.md') },
    call: call([inAll('*.md', replace('one', '1'))]),
    result: result([edited('d.md', 1, 1)], line('d.md', 'one', '1')),
    after: {
      '.gitignore': 'ignored\n',
      '.hidden/a.md': 'one\n',
      '.b.md': 'one\n',
      'c.md': Uint8Array.of(0xff, 111, 110, 101),
      'd.md': '1\n',
      'ignored/e.md': 'one\n',
    },
  },
  {
    title: 'edits hidden files whose dot is written',
    before: { '.github/a.yml': 'one\n', 'b.yml': 'one\n' },
    call: call([inAll('.github/*.yml', replace('one', '1'))]),
    result: result([edited('.github/a.yml', 1, 1)], line('.github/a.yml', 'one', '1')),
    after: { '.github/a.yml': '1\n', 'b.yml': 'one\n' },
  },
  {
    title: 'makes other changes with those of globs, in the order of the request, all of them or none',
    before,
    call: call([
      { path: 'b.md', rename_to: 'e.md' },
      inAll('d/**', replace('one', '1')),
      { path: 'f.md', content: 'f\n' },
      inAll('a.*', replace('one', 'I')),
    ]),
    result: (): Readonly<Record<string, unknown>> => ({
      success: true,
      changes: [
        { path: 'b.md', kind: 'renamed', new_path: 'e.md' },
        edited('d/c.md', 1, 1),
        edited('d/d.txt', 1, 1),
        { path: 'f.md', kind: 'created' },
        edited('a.md', 1, 1),
      ],
      files_changed: 5,
      diff:
        'diff --git a/b.md b/e.md\nsimilarity index 100%\nrename from b.md\nrename to e.md\n' +
        line('d/c.md', 'one two', '1 two') +
        line('d/d.txt', 'one', '1') +
        'diff --git a/f.md b/f.md\nnew file mode 100644\n--- /dev/null\n+++ b/f.md\n@@ -0,0 +1,1 @@\n+f\n' +
        line('a.md', 'one', 'I'),
      dry_run: false,
    }),
    after: { 'a.md': 'I\n', 'd/c.md': '1 two\n', 'd/d.txt': '1\n', 'e.md': 'zero\n', 'f.md': 'f\n' },
  },
  {
    title: 'may name a file that its glob leaves as it is',
    before,
    call: call([inAll('*.md', replace('two', '2')), { path: 'a.md', edits: [replace('one', '1')] }]),
    result: result(
      [edited('d/c.md', 1, 1), edited('a.md', 1, 1)],
      line('d/c.md', 'one two', 'one 2') + line('a.md', 'one', '1'),
    ),
    after: { ...before, 'a.md': '1\n', 'd/c.md': 'one 2\n' },
  },
  {
    title: 'changes nothing where a text is replaced by itself, which is no failure',
    before,
    call: call([inAll('**', replace('one', 'one', { replace_all: true }))]),
    result: result([], ''),
    told: 'No file changes.',
  },
];

const refusals: readonly Case[] = [
  {
    title: 'refuses an edit that applies in none of the files',
    before,
    call: call([inAll('*.md', replace('one', '1'), replace('three', '3'))]),
    error: refused(
      'string_not_found',
      'Change 1 of 1 (*.md) failed: Edit 2 of 2 failed: String not found: "three". No text file that matches *.md has it.',
      { details: /^Nothing was written\. Correct edit 2/ },
    ),
  },
  {
    title: 'refuses a glob that matches no file, and says what would match',
    before: { ...before, '.e.rs': 'one\n' },
    call: call([inAll('*.rs', replace('one', '1'))]),
    error: refused('string_not_found', "Change 1 of 1 (*.rs) failed: No file matches '*.rs'", {
      details:
        /1 file would match with hidden: true\. Hidden and ignored files are left out here: name those by path\.$/,
    }),
  },
  {
    title: 'refuses a glob that was meant otherwise',
    before,
    call: call([inAll('*.md,*.txt', replace('one', '1'))]),
    error: refused('invalid_params', /^Change 1 of 1 \(\*\.md,\*\.txt\) failed: Invalid params: \/glob /, {
      details: /Send \{\*\.md,\*\.txt\}/,
    }),
  },
  {
    title: 'names the file in which an edit is ambiguous, and changes none',
    before: { a: 'one\n', b: 'one one\n' },
    call: call([inAll('*', replace('one', '1'))]),
    error: refused('string_not_unique', /^Change 1 of 1 \(b\) failed: Edit 1 of 1 failed: Found 2 matches/, {
      data: { path: 'b' },
    }),
  },
  {
    title: 'names no file twice, by path and by glob',
    before,
    call: call([inAll('*.md', replace('one', '1')), { path: 'd/./c.md', edits: [replace('two', '2')] }]),
    error: refused(
      'invalid_params',
      "Change 2 of 2 (d/./c.md) failed: Invalid params: 'd/./c.md' names the same file as change 1 ('d/c.md')",
      { data: { path: 'd/./c.md', change: 2 } },
    ),
  },
  {
    title: 'names no file twice, by two globs',
    before,
    call: call([inAll('*.md', replace('one', '1')), inAll('d/**', replace('one', '2'))]),
    error: refused(
      'invalid_params',
      "Change 2 of 2 (d/c.md) failed: Invalid params: 'd/c.md' names the same file as change 1 ('d/c.md')",
      { data: { path: 'd/c.md', change: 2 } },
    ),
  },
  {
    title: 'changes at most 1,000 files, and says how many there are',
    before: Object.fromEntries(Array.from({ length: 1002 }, (_, index) => [`d${index % 7}/${index}`, 'x'])),
    call: call([{ path: 'new', content: '' }, inAll('**', replace('x', 'y'))]),
    error: refused(
      'invalid_params',
      'Change 2 of 2 (**) failed: Invalid params: 1003 files would be changed, at most 1000 are in one call',
      { data: { change: 2 } },
    ),
  },
  ...[
    { member: 'path', value: 'a.md', path: 'a.md' },
    { member: 'expected_hash', value: '*' },
    { member: 'rename_to', value: 'x', path: 'x' },
  ].map(({ member, value, path }): Case => ({
    title: `takes no ${member} beside a glob`,
    before,
    call: call([{ ...inAll('*.md', replace('one', '1')), [member]: value }]),
    error: {
      code: -32602,
      status: 400,
      message: `Invalid params: /changes/0/${member} must not be beside glob`,
      data: { reason: 'invalid_params', ...(path === undefined ? {} : { path }) },
    },
  })),
];

export const changesByGlobCases: readonly Case[] = withOptions(pathTools, [...successes, ...refusals]);
