import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import fc from '../../fast-check.js';
import type { TextEdit } from '../../../src/core/operations.js';
import { applyReplacements } from '../../../workers/text/edit/replacements.js';
import { diffOfChanges } from '../../../workers/text/edit/diff-of-changes.js';
import type { FileChange } from '../../../workers/text/edit/diff-of-file.js';
import { wholeOf } from '../../../workers/text/scattered-text.js';
import { executableMode, gitApplied, linkMode, plainMode, type Tree, type TreeFile } from './git-apply.js';

/** Parts of names that git quotes, or that look like a part of a diff. */
const oddPart = fc.constantFrom(
  ...[
    'a',
    'b',
    'a b',
    ' a',
    'a ',
    ' ',
    'é',
    '日本',
    'a"b',
    '\\',
    '\t',
    'a\nb',
    '\r',
    '\u2028',
    '\u00a0',
    '\x7f',
    '\x01',
  ],
  ...['--- a', '+++ b', '@@ -1 +1 @@', 'b b', 'a b b', 'dev', 'null', '...', '-', 'a\t2026-01-01', '{a,b}', '*'],
);
/** Names of directories differ from names of files, so that none is in the way of another. */
const path = fc
  .tuple(fc.array(oddPart, { maxLength: 2 }), oddPart)
  .map(([folders, name]) => [...folders.map((folder) => `d${folder}`), `${name}f`].join('/'));
const endingPath = fc.tuple(path, fc.constantFrom('', ' ', '\t', '"')).map(([name, end]) => name + end);

const anything = [
  'a',
  'b',
  ' ',
  '-',
  '+',
  '@@',
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
  '\u2028',
];
const repetitive = ['a', 'b\n', '}\n', '\n', 'a\nb\n'];
const blocks = ['if (a) {\n  b();\n}\n', 'if (a) {\n  c();\n}\n', '}\n', '\n'];
const text = fc
  .constantFrom(anything, repetitive, blocks)
  .chain((units) => fc.array(fc.constantFrom(...units), { maxLength: 40 }))
  .map((units) => units.join(''));
/** A text like another one. */
const changedText = (old: string): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.nat(old.length), fc.nat(12), fc.nat(old.length), fc.oneof(text, fc.constant(''))), {
      maxLength: 3,
    })
    .map((splices) =>
      splices
        .reduce((now, [at, removed, from, added]) => {
          const inserted = added === '' ? now.slice(from, from + 12) : added;
          return now.slice(0, at) + inserted + now.slice(at + removed);
        }, old)
        .toWellFormed(),
    );
const binary = fc.constantFrom('ff', '80', '00ff0a', 'c0800a610a').map((hex) => Buffer.from(hex, 'hex'));
const bytesOf = fc.oneof(
  { weight: 9, arbitrary: text.map((one) => Buffer.from(one)) },
  { weight: 1, arbitrary: binary },
);

interface Case {
  readonly old: TreeFile;
  readonly kind: 'same' | 'edited' | 'replaced' | 'deleted' | 'renamed' | 'created';
  /** Whether an edited or replaced file is also renamed. */
  readonly moves: boolean;
  readonly content: Buffer;
  readonly edits: readonly TextEdit[];
}

const oldFile: fc.Arbitrary<TreeFile> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ bytes: bytesOf, mode: fc.constantFrom(plainMode, executableMode) }) },
  {
    weight: 1,
    arbitrary: fc.record({ bytes: path.map((one) => Buffer.from(one)), mode: fc.constant(linkMode) }),
  },
);
const oneCase: fc.Arbitrary<Case> = oldFile.chain((old) => {
  const was = isUtf8(old.bytes) ? old.bytes.toString() : '';
  const content = fc.oneof(
    bytesOf,
    changedText(was).map((one) => Buffer.from(one)),
  );
  const piece = fc
    .tuple(fc.nat(was.length), fc.integer({ min: 1, max: 8 }))
    .map(([start, length]) => was.slice(start, start + length).toWellFormed());
  const edits = fc.array(fc.record({ old_string: piece, new_string: fc.oneof(text, piece) }), { maxLength: 3 });
  // A link is changed as a name: what is written goes to the file that it leads to.
  const kind =
    old.mode === linkMode
      ? fc.constantFrom('deleted', 'renamed', 'same')
      : fc.constantFrom('same', 'edited', 'replaced', 'replaced', 'deleted', 'renamed', 'created');
  return fc.record({ old: fc.constant(old), kind, moves: fc.boolean(), content, edits });
});
const paths = fc.uniqueArray(endingPath, { minLength: 12, maxLength: 12 });
const changeSet = fc.record({ paths, cases: fc.array(oneCase, { minLength: 1, maxLength: 6 }) });

/** The tree before, the changes, and what git must make of it: all but the bytes that are not text. */
function made({ paths, cases }: { readonly paths: readonly string[]; readonly cases: readonly Case[] }): {
  readonly old: Tree;
  readonly changes: readonly FileChange[];
  readonly expected: Tree;
} {
  const old = new Map<string, TreeFile>();
  const expected = new Map<string, TreeFile>();
  const changes: FileChange[] = [];
  for (const [index, { kind, moves, content, edits, ...file }] of cases.entries()) {
    const [name = '', other = ''] = paths.slice(2 * index);
    const { bytes, mode } = file.old;
    const change = { oldPath: name, newPath: name, mode };
    if (kind === 'created') {
      changes.push({ ...change, oldPath: undefined, new: content });
      if (isUtf8(content)) expected.set(name, { bytes: content, mode });
      continue;
    }
    old.set(name, file.old);
    if (kind === 'renamed') {
      changes.push({ ...change, newPath: other });
      expected.set(other, file.old);
    } else if (kind === 'deleted') {
      changes.push({ ...change, newPath: undefined, old: bytes });
      if (!isUtf8(bytes)) expected.set(name, file.old);
    } else if (kind === 'replaced') {
      changes.push({ ...change, newPath: moves ? other : name, old: bytes, new: content });
      if (isUtf8(bytes) && isUtf8(content)) expected.set(moves ? other : name, { bytes: content, mode });
      else expected.set(name, file.old);
    } else {
      const { text: now, edited } = kind === 'edited' ? editedBy(bytes, edits) : { text: bytes, edited: undefined };
      const isMoved = moves && edited !== undefined;
      changes.push({ ...change, newPath: isMoved ? other : name, old: bytes, new: edited ?? bytes });
      expected.set(isMoved ? other : name, { bytes: now, mode });
    }
  }
  return { old, changes, expected };
}

function editedBy(
  bytes: Buffer,
  edits: readonly TextEdit[],
): { text: Buffer; edited: ReturnType<typeof applyReplacements>['edited'] } {
  const matching: TextEdit[] = [];
  for (const edit of isUtf8(bytes) ? edits : []) {
    try {
      applyReplacements(bytes, [...matching, edit], true);
      matching.push(edit);
    } catch {
      // It has nothing to replace.
    }
  }
  if (matching.length === 0) return { text: bytes, edited: undefined };
  const { text, edited } = applyReplacements(bytes, matching, true);
  return { text: wholeOf(text), edited };
}

const asText = (tree: Tree): string[] =>
  [...tree].map(([name, { bytes, mode }]) => JSON.stringify([name, mode.toString(8), bytes.toString('latin1')])).sort();
const hasHunk = (diff: string): boolean => diff.includes('diff --git');

for (const [index, numRuns] of [
  [false, 200],
  [true, 30],
] as const) {
  test(`git makes the new tree of the old one${index ? ', and of its index' : ''}: ${numRuns} change sets`, () => {
    fc.assert(
      fc.property(changeSet, (set) => {
        const { old, changes, expected } = made(set);
        const diff = diffOfChanges(changes);
        // Without a file to change, git says that there is no patch.
        const result = hasHunk(diff) ? gitApplied(old, diff, index) : old;
        assert.deepEqual(asText(result), asText(expected), diff);
      }),
      { numRuns, seed: 35 },
    );
  });
}
