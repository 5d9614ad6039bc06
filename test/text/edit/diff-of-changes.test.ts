import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyReplacements } from '../../../workers/text/edit/replacements.js';
import { diffOfChanges } from '../../../workers/text/edit/diff-of-changes.js';
import type { FileChange } from '../../../workers/text/edit/diff-of-file.js';
import type { EditedText } from '../../../workers/text/edit/edited-text.js';
import { mostDiffBytes } from '../../../workers/text/edit/window-hunks.js';
import { needs } from '../../needs.js';
import { executableMode, gitApplied, linkMode, plainMode, type Tree, type TreeFile } from './git-apply.js';

type Content = string | Buffer;

const bytesOf = (content: Content): Buffer => Buffer.from(content);
const file = (content: Content, mode = plainMode): TreeFile => ({ bytes: bytesOf(content), mode });

function created(path: string, content: Content, mode = plainMode): FileChange {
  return { oldPath: undefined, newPath: path, mode, new: bytesOf(content) };
}
function deleted(path: string, content: Content, mode = plainMode): FileChange {
  return { oldPath: path, newPath: undefined, mode, old: bytesOf(content) };
}
function replaced(path: string, old: Content, content: Content, mode = plainMode): FileChange {
  return { oldPath: path, newPath: path, mode, old: bytesOf(old), new: bytesOf(content) };
}
function renamed(path: string, to: string, mode = plainMode): FileChange {
  return { oldPath: path, newPath: to, mode };
}
function edited(path: string, content: string, old_string: string, new_string: string): FileChange {
  const old = bytesOf(content);
  return { oldPath: path, newPath: path, mode: plainMode, old, new: editedText(old, old_string, new_string) };
}
function editedText(old: Buffer, old_string: string, new_string: string): EditedText {
  const { edited: text } = applyReplacements(old, [{ old_string, new_string }], true);
  assert.ok(text !== undefined);
  return text;
}

describe('the diff of several files', () => {
  it('has edited, replaced, new, deleted and renamed files, as git writes them', () => {
    const diff = diffOfChanges([
      edited('src/a.ts', 'one\ntwo\n', 'two', 'three'),
      replaced('run', '#!/bin/sh\n', '#!/bin/bash\n', executableMode),
      created('new/b.sh', 'x\n', executableMode),
      deleted('old.txt', 'gone'),
      renamed('c', 'new/c'),
    ]);
    const lines = [
      'diff --git a/src/a.ts b/src/a.ts',
      '--- a/src/a.ts',
      '+++ b/src/a.ts',
      '@@ -1,2 +1,2 @@',
      ' one',
      '-two',
      '+three',
      'diff --git a/run b/run',
      '--- a/run',
      '+++ b/run',
      '@@ -1,1 +1,1 @@',
      '-#!/bin/sh',
      '+#!/bin/bash',
      'diff --git a/new/b.sh b/new/b.sh',
      'new file mode 100755',
      '--- /dev/null',
      '+++ b/new/b.sh',
      '@@ -0,0 +1,1 @@',
      '+x',
      'diff --git a/old.txt b/old.txt',
      'deleted file mode 100644',
      '--- a/old.txt',
      '+++ /dev/null',
      '@@ -1,1 +0,0 @@',
      '-gone',
      '\\ No newline at end of file',
      'diff --git a/c b/new/c',
      'similarity index 100%',
      'rename from c',
      'rename to new/c',
      '',
    ];
    assert.deepEqual(diff.split('\n'), lines);
  });

  it('leaves out what does not change, and is empty if nothing does', () => {
    assert.equal(diffOfChanges([replaced('a', 'same\n', 'same\n'), replaced('b', '\xff', '\xff')]), '');
    const diff = diffOfChanges([replaced('a', '1\n', '1\n'), created('b', '1\n')]);
    assert.match(diff, /^diff --git a\/b b\/b\n/);
    assert.equal(diffOfChanges([]), '');
  });

  it('writes names as git does', () => {
    const names = (path: string): string[] => diffOfChanges([replaced(path, '', '1\n')]).split('\n', 3);
    assert.deepEqual(names('a b/c'), ['diff --git a/a b/c b/a b/c', '--- a/a b/c\t', '+++ b/a b/c\t']);
    const odd = String.raw`\"\\\t\n\001\177é`;
    assert.deepEqual(names('"\\\t\n\x01\x7fé'), [
      `diff --git "a/${odd}" "b/${odd}"`,
      `--- "a/${odd}"`,
      `+++ "b/${odd}"`,
    ]);
    assert.match(diffOfChanges([renamed('é', 'a\tb')]), /rename from é\nrename to "a\\tb"\n/);
  });

  it('says of bytes that are not text that they differ', () => {
    const bytes = Buffer.from([0xff, 0]);
    const line = 'Binary files a/x and b/x differ\n';
    assert.equal(diffOfChanges([replaced('x', bytes, 'text\n')]), line);
    assert.equal(diffOfChanges([replaced('x', 'text\n', bytes)]), line);
    assert.equal(diffOfChanges([created('x', bytes)]), line);
    assert.equal(diffOfChanges([deleted('x', bytes)]), line);
    assert.equal(diffOfChanges([replaced('"', '', bytes)]), 'Binary files "a/\\"" and "b/\\"" differ\n');
  });
});

describe('git applies the diff of several files', { skip: needs.git }, () => {
  const bytes = Buffer.from([0xff, 0, 0xfe]);
  const cases: readonly (readonly [name: string, old: readonly (readonly [string, TreeFile])[], FileChange[], Tree])[] =
    [
      [
        'with modes',
        [
          ['run', file('a\n', executableMode)],
          ['old', file('a\n', executableMode)],
          ['moved', file('a\n', executableMode)],
        ],
        [
          replaced('run', 'a\n', 'b\n', executableMode),
          deleted('old', 'a\n', executableMode),
          renamed('moved', 'deep/er/moved', executableMode),
          created('new', 'a\n', executableMode),
        ],
        new Map([
          ['run', file('b\n', executableMode)],
          ['deep/er/moved', file('a\n', executableMode)],
          ['new', file('a\n', executableMode)],
        ]),
      ],
      [
        'with empty files',
        [
          ['a', file('')],
          ['b', file('1\n')],
          ['c', file('')],
          ['d', file('')],
        ],
        [
          replaced('a', '', '1'),
          replaced('b', '1\n', ''),
          deleted('c', ''),
          renamed('d', 'e'),
          created('f g', ''),
          created('h', '', executableMode),
        ],
        new Map([
          ['a', file('1')],
          ['b', file('')],
          ['e', file('')],
          ['f g', file('')],
          ['h', file('', executableMode)],
        ]),
      ],
      [
        'with links',
        [
          ['a', file('1\n')],
          ['deleted link', file('a', linkMode)],
          ['renamed', file('no where', linkMode)],
        ],
        [deleted('deleted link', 'a', linkMode), renamed('renamed', 'b/renamed', linkMode)],
        new Map([
          ['a', file('1\n')],
          ['b/renamed', file('no where', linkMode)],
        ]),
      ],
      [
        'that passes over bytes that are not text, wherever they stand',
        [
          ['a', file(bytes)],
          ['b', file(bytes)],
          ['c', file('')],
          ['d', file('1\n')],
        ],
        [
          replaced('a', bytes, 'text\n'),
          renamed('b', 'moved'),
          replaced('a', bytes, 'text\n'),
          deleted('c', ''),
          deleted('a', bytes),
          created('e', ''),
          created('x', bytes),
          created('y', bytes),
          replaced('d', '1\n', '2'),
          created('z', bytes),
        ],
        new Map([
          ['a', file(bytes)],
          ['moved', file(bytes)],
          ['e', file('')],
          ['d', file('2')],
        ]),
      ],
      [
        'with NUL, a byte order mark and every kind of line break',
        [['a', file('\uFEFFa\0b\r\nc\rd\u2028e\u0085f\n\0\n')]],
        [replaced('a', '\uFEFFa\0b\r\nc\rd\u2028e\u0085f\n\0\n', '\uFEFFa\0B\r\nc\rd\u2028E\u0085f\n\0\n\r')],
        new Map([['a', file('\uFEFFa\0B\r\nc\rd\u2028E\u0085f\n\0\n\r')]]),
      ],
    ];
  for (const [name, old, changes, expected] of cases) {
    for (const index of [false, true]) {
      it(`${name}${index ? ', and its index' : ''}`, () => {
        assert.deepEqual(sorted(gitApplied(new Map(old), diffOfChanges(changes), index)), sorted(expected));
      });
    }
  }
});

function sorted(tree: Tree): [string, TreeFile][] {
  return [...tree].sort(([a], [b]) => (a < b ? -1 : 1));
}

describe('a diff that is too long', () => {
  const line = `${'x'.repeat(99)}\n`;
  const header = diffOfChanges([created('0', '')]).length;
  /** A new file whose diff has exactly this many bytes. */
  const taking = (path: string, bytes: number): FileChange => {
    const content = (filler: number): string => `${line.repeat(99)}${'y'.repeat(filler)}\n`;
    return created(path, content(bytes - diffOfChanges([created(path, content(0))]).length));
  };
  const noteAfter = (diff: string): string => diff.slice(diff.lastIndexOf('\n', diff.length - 2) + 1);

  it('is not cut up to 65,536 bytes', () => {
    const files = [created('0', ''), taking('1', 40_000), taking('2', mostDiffBytes - 40_000 - header)];
    const diff = diffOfChanges(files);
    assert.equal(Buffer.byteLength(diff), mostDiffBytes);
    assert.doesNotMatch(diff, /…/);
  });

  it('is cut at the end of a file, and the rest is counted', () => {
    const files = [
      taking('1', 40_000),
      taking('2', 40_000),
      created('3', ''),
      replaced('4', 'a', 'a'),
      renamed('5', '6'),
    ];
    const diff = diffOfChanges(files);
    assert.equal(
      diff,
      `${diffOfChanges(files.slice(0, 1))}… and 3 more files: the diff is cut, since all of it is longer than 65536 bytes.\n`,
    );
    const one = diffOfChanges(files.slice(0, 2));
    assert.equal(noteAfter(one), '… and 1 more file: the diff is cut, since all of it is longer than 65536 bytes.\n');
  });

  it('has room for the note', () => {
    const files = [taking('1', 40_000), taking('2', mostDiffBytes - 40_000 - 10), created('3', 'x')];
    const diff = diffOfChanges(files);
    assert.ok(Buffer.byteLength(diff) <= mostDiffBytes);
    assert.match(noteAfter(diff), /^… and 2 more files: /);
  });

  it('is left out if the first file does not fit', () => {
    const note = '… the diff is left out, since all of it is longer than 65536 bytes.\n';
    assert.equal(diffOfChanges([taking('1', 70_000), created('2', '')]), note);
  });

  it('is cut at a deleted file that was not read', () => {
    const unread: FileChange = { oldPath: 'b', newPath: undefined, mode: plainMode };
    const reason = 'since a deleted file is too large to be shown, or cannot be read.\n';
    const diff = diffOfChanges([created('a', ''), unread, created('c', '')]);
    assert.equal(noteAfter(diff), `… and 2 more files: the diff is cut, ${reason}`);
    assert.equal(diffOfChanges([unread]), `… the diff is left out, ${reason}`);
  });

  it('does not compare texts that would take too long, and says so', () => {
    const long = 'same\n'.repeat(100_000);
    const note = '… the diff is left out, since the texts that differ are too large to be compared.\n';
    assert.equal(diffOfChanges([replaced('a', `1${long}`, `${long}2`)]), note);
    const short = 'a\nb\n'.repeat(60_000);
    const files = Array.from({ length: 7 }, (_, index) => replaced(String(index), `1\n${short}2`, `3\n${short}4`));
    const diff = diffOfChanges(files);
    assert.equal(
      noteAfter(diff),
      '… and 3 more files: the diff is cut, since the texts that differ are too large to be compared.\n',
    );
  });

  it('is applied by git up to the cut, after whatever comes before the note', { skip: needs.git }, () => {
    const large = taking('large', 70_000);
    const lasts: readonly (readonly [FileChange, Tree])[] = [
      [replaced('a', 'a\n', 'b'), new Map([['a', file('b')]])],
      [renamed('a', 'b'), new Map([['b', file('a\n')]])],
      [
        created('b', ''),
        new Map([
          ['a', file('a\n')],
          ['b', file('')],
        ]),
      ],
      [deleted('a', 'a\n'), new Map()],
    ];
    for (const [last, expected] of lasts) {
      const diff = diffOfChanges([last, large]);
      assert.match(diff, /\n… and 1 more file: /);
      assert.deepEqual(sorted(gitApplied(new Map([['a', file('a\n')]]), diff)), sorted(expected));
    }
  });

  it('has a few changes of a long text that is replaced as a whole', { skip: needs.git }, () => {
    const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index} of a long text\n`);
    const text = lines.join('');
    const other = lines.toSpliced(39_000, 1, 'new\n').toSpliced(20_000, 5).toSpliced(9, 0, 'new\n').join('');
    const diff = diffOfChanges([replaced('long', text, other)]);
    assert.deepEqual(diff.match(/^@@.*@@$/gm), [
      '@@ -7,6 +7,7 @@',
      '@@ -19998,11 +19999,6 @@',
      '@@ -38998,7 +38994,7 @@',
    ]);
    const [[, result] = []] = gitApplied(new Map([['long', file(text)]]), diff);
    assert.equal(result?.bytes.toString(), other);
  });
});
