import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import fc from '../fast-check.js';
import type { Reason } from '../../src/core/errors.js';
import type { Params } from '../../src/core/operations.js';
import { emptyDirectory, withDirectory, writeFinished } from '../directory.js';
import { StorageScene } from './storage-scene.js';

type Changed = Params['apply_changes']['changes'][number];
type Given = Changed & { readonly path: string };
type Files = ReadonlyMap<string, string>;

/** A naive model: changes of files in memory, each judged against the files before the call. */
function modelled(before: Files, changes: readonly Changed[]): Files | Reason {
  const after = new Map(before);
  const named = new Set<string>();
  const needed = new Set<string>();
  const directories = new Set([...before.keys()].flatMap(above));
  for (const change of changes) {
    const { path: at } = change;
    if (at === undefined) {
      const refused = editAll(before, after, named, change);
      if (refused !== undefined) return refused;
      continue;
    }
    const given = { ...change, path: at };
    if (above(given.path).some((each) => before.has(each))) return 'not_a_directory';
    const creates = given.content !== undefined && given.expected_hash === undefined && !before.has(given.path);
    const moved = given.rename_to === given.path ? undefined : given.rename_to;
    const made = creates ? given.path : moved;
    const parents = made === undefined ? [] : above(made).filter((each) => !directories.has(each));
    // What is moved onto itself is told so.
    for (const name of new Set([given.path, given.rename_to])) {
      if (name === undefined) continue;
      if (above(name).some((each) => before.has(each))) return 'not_a_directory';
      if (named.has(name) || needed.has(name)) return 'invalid_params';
      if (name === made && parents.some((each) => named.has(each))) return 'invalid_params';
      named.add(name);
    }
    for (const each of parents) needed.add(each);
    const refused = refusal(before, directories, given);
    if (refused !== undefined) return refused;
    const text = before.get(given.path) ?? '';
    if (given.edits !== undefined) after.set(given.path, edited(text, given.edits) ?? text);
    if (given.content !== undefined) after.set(given.path, String(given.content));
    if (given.delete === true) after.delete(given.path);
    if (given.rename_to !== undefined) {
      after.set(given.rename_to, after.get(given.path) ?? text);
      after.delete(given.path);
    }
  }
  return after;
}

/** The only edit of a change in all files that match. @returns why that is refused */
function editAll(
  before: Files,
  after: Map<string, string>,
  named: Set<string>,
  { glob, edits = [] }: Pick<Changed, 'glob' | 'edits'>,
): Reason | undefined {
  let applies = false;
  for (const [name, text] of [...before].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if ((glob === 'd/**' && !name.startsWith('d/')) || !text.includes('x')) continue;
    const now = edited(text, edits);
    if (now === undefined) return 'string_not_unique';
    applies = true;
    if (now === text) continue;
    if (named.has(name)) return 'invalid_params';
    named.add(name);
    after.set(name, now);
  }
  return applies ? undefined : 'string_not_found';
}

/** Why a change alone would be refused. */
function refusal(before: Files, directories: ReadonlySet<string>, given: Given): Reason | undefined {
  const { path, edits, content, rename_to, expected_hash } = given;
  const text = before.get(path);
  if (directories.has(path)) return 'is_directory';
  if (content !== undefined && rename_to === undefined) {
    if (text === undefined) return expected_hash === undefined ? undefined : 'conflict';
    return expected_hash === undefined ? 'file_exists' : undefined;
  }
  if (text === undefined) return expected_hash === undefined ? 'file_not_found' : 'conflict';
  if (rename_to !== undefined && (before.has(rename_to) || directories.has(rename_to))) return 'file_exists';
  if (content !== undefined && expected_hash === undefined) return 'file_exists';
  if (edits === undefined || edited(text, edits) !== undefined) return undefined;
  return text.includes('x') ? 'string_not_unique' : 'string_not_found';
}

/** Undefined if its only edit does not match exactly once. */
function edited(text: string, [edit]: NonNullable<Given['edits']>): string | undefined {
  const parts = text.split(edit?.old_string ?? '');
  return parts.length === 2 ? parts.join(edit?.new_string) : undefined;
}

/** The directories above a path. */
function above(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

const path = fc.constantFrom('a', 'b', 'c', 'd', 'd/a', 'd/b', 'e/a', 'e/f/a', 'b/a', 'c/a/b');
const text = fc.constantFrom('', 'x', 'yx\n', 'xx', 'y\r\nz');
const change: fc.Arbitrary<Changed> = fc.oneof(
  fc
    .tuple(fc.constantFrom('?', 'd/**'), fc.constantFrom('x', 'y', 'xx'))
    .map(([glob, new_string]) => ({ glob, edits: [{ old_string: 'x', new_string }] })),
  fc.tuple(path, text).map(([at, new_string]) => ({ path: at, edits: [{ old_string: 'x', new_string }] })),
  fc.tuple(path, text).map(([at, content]) => ({ path: at, content })),
  fc.tuple(path, text).map(([at, content]) => ({ path: at, content, expected_hash: '*' })),
  path.map((at) => ({ path: at, delete: true })),
  fc.tuple(path, path).map(([at, rename_to]) => ({ path: at, rename_to })),
  fc
    .tuple(path, path, text)
    .map(([at, rename_to, new_string]) => ({ path: at, rename_to, edits: [{ old_string: 'x', new_string }] })),
  fc.tuple(path, path, text).map(([at, rename_to, content]) => ({ path: at, rename_to, content, expected_hash: '*' })),
);

/** Files of which none is in another. */
const files = fc.dictionary(path, text, { maxKeys: 5 }).map((all): Files => {
  const names = Object.keys(all);
  return new Map(Object.entries(all).filter(([name]) => !names.some((each) => above(each).includes(name))));
});

it('changes of several files are those of a naive model, or none, on 400 random sets', async () => {
  await withDirectory({}, async (directory) => {
    await fc.assert(
      fc.asyncProperty(files, fc.array(change, { minLength: 1, maxLength: 4 }), async (before, changes) => {
        emptyDirectory(directory);
        for (const [name, content] of before) {
          mkdirSync(dirname(join(directory, name)), { recursive: true });
          writeFinished(join(directory, name), content);
        }
        const expected = modelled(before, changes);
        const scene = new StorageScene(directory);
        const dry = await scene.call('apply_changes', { changes, dry_run: true });
        assert.deepEqual(filesIn(directory), before);
        const outcome = await scene.call('apply_changes', { changes });
        scene.workspace.close();
        assert.equal(dry.ok, outcome.ok);
        if (typeof expected === 'string') {
          assert.equal(outcome.ok ? 'done' : outcome.data?.reason, expected);
          assert.deepEqual(filesIn(directory), before);
          return;
        }
        assert.ok(outcome.ok, JSON.stringify(outcome));
        assert.deepEqual(filesIn(directory), expected);
        const differing = [...before.keys(), ...expected.keys()].filter(
          (name) => before.get(name) !== expected.get(name),
        );
        const renames = changes.filter(({ rename_to }) => rename_to !== undefined).length;
        assert.equal(outcome.result['files_changed'], new Set(differing).size - renames);
      }),
      { numRuns: 400 },
    );
  });
});

function filesIn(directory: string): Files {
  const found = readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .filter((name) => !name.startsWith('.file-editor/'));
  return new Map(found.sort().map((name) => [name, readFileSync(join(directory, name), 'utf8')]));
}
