import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it, test } from 'node:test';
import fc from '../../fast-check.js';
import type { TextEdit } from '../../../src/core/operations.js';
import { applyReplacements } from '../../../workers/text/edit/replacements.js';
import { unifiedDiff } from '../../../workers/text/edit/unified-diff.js';
import { mostDiffBytes } from '../../../workers/text/edit/window-hunks.js';
import { wholeOf } from '../../../workers/text/scattered-text.js';
import { needs } from '../../needs.js';

const folder = mkdtempSync(join(tmpdir(), 'diff-'));
after(() => rmSync(folder, { recursive: true }));

interface Changed {
  readonly path: string;
  readonly old: string;
  readonly edits: readonly TextEdit[];
}

function diffOf({ path, old, edits }: Changed): { diff: string; bytes: Buffer } {
  const before = Buffer.from(old);
  const { text, edited } = applyReplacements(before, edits, true);
  return { diff: edited === undefined ? '' : unifiedDiff(path, before, edited), bytes: wholeOf(text) };
}

/** The results of `git apply` for all diffs, in one call because each starts a process. */
function applied(changed: readonly Changed[]): Buffer[] {
  for (const { path, old } of changed) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), old);
  }
  const patch = join(folder, 'patch');
  writeFileSync(patch, changed.map((one) => diffOf(one).diff).join(''));
  execFileSync('git', ['apply', '--whitespace=nowarn', patch], { cwd: folder, stdio: 'pipe' });
  return changed.map(({ path }) => readFileSync(join(folder, path)));
}

function assertApplies(changed: readonly Changed[]): void {
  const results = applied(changed);
  for (const [index, one] of changed.entries()) {
    const { diff, bytes } = diffOf(one);
    if (results[index]?.equals(bytes) === true) continue;
    assert.equal(results[index]?.toString(), bytes.toString(), JSON.stringify([one, diff]));
  }
}

const replace = (old_string: string, new_string: string): TextEdit => ({ old_string, new_string });

describe('the diff of an edit', () => {
  it('is a unified diff with three lines of context', () => {
    const { diff } = diffOf({ path: 'notes/a.md', old: '1\n2\n3\n4\n5\n6\n7\n8\n9\n', edits: [replace('5', 'five')] });
    assert.equal(diff, '--- a/notes/a.md\n+++ b/notes/a.md\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n');
  });

  it('has as much context after a change as before it, even if those lines could count as new', () => {
    const old = 'h\n1\n2\n3\nX\n\n\nend\nend2\nend3\nend4\n';
    const { diff } = diffOf({ path: 'a', old, edits: [replace('X', '\n\nY')] });
    assert.equal(diff, '--- a/a\n+++ b/a\n@@ -2,7 +2,9 @@\n 1\n 2\n 3\n-X\n+\n+\n+Y\n \n \n end\n');
  });

  it('is empty if nothing changes, even if one edit undoes another', () => {
    assert.equal(diffOf({ path: 'a', old: 'a\n', edits: [replace('a', 'a')] }).diff, '');
    assert.equal(diffOf({ path: 'a', old: 'a\n', edits: [replace('a', 'b'), replace('b', 'a')] }).diff, '');
  });

  it('shows only the net difference, even if much of a large text was changed and changed back', () => {
    const lines = Array.from({ length: 60_000 }, (_, index) =>
      index % 10 === 0 ? 'a line of that\n' : 'a line of this\n',
    );
    const old = `${lines.join('')}the end\n`;
    const edits = [replace('that', 'THAT'), replace('THAT', 'that'), replace('end', 'END')];
    const { diff } = diffOf({ path: 'a', old, edits });
    assert.match(diff, /@@ -59998,4 \+59998,4 @@\n( a line of this\n){3}-the end\n\+the END\n$/);
  });

  it('shows text that is added at the start and the end', () => {
    const { diff } = diffOf({ path: 'a', old: '1\n2', edits: [{ at: 'start', new_string: '0\n' }] });
    assert.equal(diff, '--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n+0\n 1\n 2\n\\ No newline at end of file\n');
    const atEnd = diffOf({ path: 'a', old: '1\n2', edits: [{ at: 'end', new_string: '3\n' }] }).diff;
    assert.equal(atEnd, '--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n 1\n-2\n\\ No newline at end of file\n+2\n+3\n');
    const onlyText = diffOf({ path: 'a', old: '', edits: [{ at: 'end', new_string: '1\n' }] }).diff;
    assert.equal(onlyText, '--- a/a\n+++ b/a\n@@ -0,0 +1,1 @@\n+1\n');
  });

  it('leaves out unchanged lines of a replaced block', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const block = lines.join('\n');
    const { diff } = diffOf({ path: 'a', old: `${block}\n`, edits: [replace(block, block.replace('line 9', 'nine'))] });
    assert.match(diff, /^@@ -7,7 \+7,7 @@$/m);
    assert.equal(diff.match(/^[-+](?![-+])/gm)?.length, 2);
  });

  it('has a hunk for each change, and one for changes close together', () => {
    const old = Array.from({ length: 40 }, (_, index) => `line ${index};\n`).join('');
    const { diff } = diffOf({
      path: 'a',
      old,
      edits: [replace('line 3;', 'x'), replace('line 8;', 'y'), replace('line 30;', 'z\nz')],
    });
    assert.deepEqual(diff.match(/^@@.*$/gm), ['@@ -1,12 +1,12 @@', '@@ -28,7 +28,8 @@']);
  });
});

describe('git applies the diff', { skip: needs.git }, () => {
  const cases: readonly (readonly [name: string, old: string, edits: readonly TextEdit[], path?: string])[] = [
    ['of a text without a final newline', 'a\nb', [replace('b', 'c')]],
    ['that removes the final newline', 'a\nb\n', [replace('b\n', 'b')]],
    ['that adds one', 'a\nb', [replace('b', 'b\n')]],
    ['that leaves nothing', 'a\nb\n', [replace('a\nb\n', '')]],
    ['of lines that end in \\r\\n', 'a\r\nb\r\nc\r\n', [replace('b', 'x')]],
    ['that changes line endings', 'a\r\nb\r\nc\n', [replace('\r\n', '\n')]],
    ['of lone \\r within a line', 'a\rb\rc\nd\n', [replace('b', 'x')]],
    ['of a byte order mark and NUL', '\uFEFFa\0b\nc\n', [replace('c', 'd')]],
    ['that joins and splits lines', 'a\nb\nc\nd\n', [replace('b\nc', 'bc'), replace('d', 'd\ne\nf')]],
    ['of lines that look like a diff', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n', [replace('-a', '+a')]],
    ['of a path with spaces, quotes and other letters', 'a\n', [replace('a', 'b')], 'dir with space/é "quoted"\t.txt'],
    ['of many lines that all differ', 'old line\n'.repeat(1_000), [replace('old', 'new')]],
    [
      'that takes one of several equal lines',
      'a\n'.repeat(20),
      [replace('a\na\na\na\na\na\na\na\na\na\na\na\n', 'a\n')],
    ],
    [
      'of lines like those after them',
      'if (a) {\n  x();\n}\n}\n}\nif (b) {\n  y();\n}\n}\n}\nend();\n',
      [replace('x();\n}\n}\n}\nif (b) {\n  y', 'z')],
    ],
    ['of lines like those after them, removed', 'baab\nab\nab\nab\nab\nc', [replace('aab\n', '')]],
    [
      'of those in the middle of others',
      `${'same\n'.repeat(9)}${'old line\n'.repeat(500)}same\nlast`,
      [replace('old', 'new')],
    ],
  ];
  for (const [name, old, edits, path = 'file.txt'] of cases) it(name, () => assertApplies([{ path, old, edits }]));

  it('of a thousand edits, up to the cut', () => {
    const old = Array.from({ length: 20_000 }, (_, index) => `line number ${index};\n`).join('');
    const edits = Array.from({ length: 1_000 }, (_, index) => replace(`number ${index * 20};`, `number ${index},\n`));
    const one = { path: 'many.txt', old, edits };
    const { diff } = diffOf(one);
    assert.match(diff, /\n… and more changes: the diff is cut, since all of it is longer than 65536 bytes\.\n$/);
    const size = Buffer.byteLength(diff);
    assert.ok(size > mostDiffBytes * 0.9 && size < mostDiffBytes + 8_192, `${size} bytes`);
    const [result = Buffer.alloc(0)] = applied([one]);
    const shown = diff.match(/^@@/gm)?.length ?? 0;
    const { text } = applyReplacements(Buffer.from(old), edits.slice(0, shown));
    assert.equal(result.toString(), wholeOf(text).toString());
  });

  for (const [name, lines, every] of [
    ['near each other', 4_000, 3],
    ['in every line', 4_000, 1],
    ['in every line of a large text', 40_000, 1],
  ] as const) {
    it(`of changes ${name}, up to the cut`, () => {
      const old = Array.from({ length: lines }, (_, index) => `line ${index} ${index % every === 0 ? 'a' : 'b'};\n`);
      const one = { path: 'dense.txt', old: old.join(''), edits: [replace(' a;', ' changed;')] };
      const { diff } = diffOf(one);
      assert.match(diff, /\n… and more changes, possibly also to the lines shown unchanged .*\n$/);
      const result = applied([one])[0]?.toString().split('\n') ?? [];
      const changed = result.filter((line) => line.endsWith(' changed;')).length;
      assert.ok(Buffer.byteLength(diff) > mostDiffBytes / 2, `only ${changed} changes are shown`);
      // Exactly the first ones.
      const expected = old.map((line, index) => (index < changed * every ? line.replace(' a;', ' changed;') : line));
      assert.equal(result.join('\n'), expected.join(''));
    });
  }

  it('of long removed blocks close together, up to the cut', () => {
    const block = Array.from(
      { length: 10 },
      (_, index) => `// line ${index} of a comment that is removed everywhere\n`,
    ).join('');
    const old = Array.from({ length: 400 }, (_, index) => `${block}line ${index}\n`).join('');
    const one = { path: 'blocks.txt', old, edits: [replace(block, '')] };
    const { diff } = diffOf(one);
    assert.match(diff, /\n… and more changes/);
    assert.ok(Buffer.byteLength(diff) > mostDiffBytes * 0.8, `${Buffer.byteLength(diff)} bytes`);
    const result = applied([one])[0]?.toString() ?? '';
    // Exactly the first ones.
    const kept = result.split(block).length - 1;
    let [expected, removed] = [old, 400 - kept];
    for (; removed > 0; removed--) expected = expected.replace(block, '');
    assert.equal(result, expected);
  });

  it('only a note remains if the first change is too long', () => {
    const { diff } = diffOf({ path: 'a', old: `${'x'.repeat(2 ** 20)}y\n`, edits: [replace('y', 'z')] });
    assert.equal(diff, '… the diff is left out, since all of it is longer than 65536 bytes.\n');
  });
});

const anything = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      ' ',
      '-',
      '+',
      '@@',
      '\n',
      '\n',
      '\n',
      '\r\n',
      '\r',
      '\t',
      'é',
      '😀',
      '\uFEFF',
      '\\',
      '\0',
    ),
    { maxLength: 60 },
  )
  .map((units) => units.join(''));
/** Text after a change may also occur in it. */
const repetitive = fc
  .array(fc.constantFrom('a', 'b\n', '}\n', '\n', 'a\nb\n'), { minLength: 10, maxLength: 60 })
  .map((units) => units.join(''));

for (const [what, text] of [
  ['random texts', anything],
  ['texts of equal lines', repetitive],
] as const) {
  test(`git turns the old bytes into exactly the new ones, for 300 ${what} and edits`, { skip: needs.git }, () => {
    gitMakesTheNewBytes(text);
  });
}

function gitMakesTheNewBytes(text: fc.Arbitrary<string>): void {
  const request = text.chain((old) => {
    const string = fc
      .tuple(fc.nat(old.length), fc.integer({ min: 1, max: 8 }))
      .map(([start, length]) => old.slice(start, start + length).toWellFormed());
    const replaced = fc.record({ old_string: string, new_string: fc.oneof(text, string) });
    const added = fc.record({ at: fc.constantFrom('start', 'end'), new_string: text });
    const edit = fc.oneof({ weight: 4, arbitrary: replaced }, { weight: 1, arbitrary: added });
    const edits = fc.array(edit, { minLength: 1, maxLength: 4 });
    return fc.record({ old: fc.constant(old), edits });
  });
  let count = 0;
  const all: Changed[] = [];
  for (const { old, edits } of fc.sample(request, { numRuns: 900, seed: 11 })) {
    const matching: TextEdit[] = [];
    for (const edit of edits) {
      try {
        applyReplacements(Buffer.from(old), [...matching, edit], true);
        matching.push(edit);
      } catch {
        // It has nothing to replace.
      }
    }
    const one = { path: `random/${count}.txt`, old, edits: matching };
    if (matching.length === 0) continue;
    const { diff } = diffOf(one);
    // Only the complete diff makes the new bytes.
    if (diff === '' || diff.includes(' the diff is ')) continue;
    all.push(one);
    count += 1;
  }
  assert.ok(count > 300, `only ${count} have changed anything`);
  assertApplies(all);
}
