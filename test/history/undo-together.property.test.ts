/** Spec 18: a lone caller takes its last changes back in one call, whatever they were, and then takes that back. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from '../fast-check.js';
import { withDirectory } from '../directory.js';
import { killedAt } from '../killed.js';
import { everythingIn, HistoryScene, inScene } from './scene.js';

type Command =
  | { readonly do: 'create' | 'write'; readonly path: string; readonly content: string }
  | { readonly do: 'delete'; readonly path: string }
  | { readonly do: 'rename'; readonly path: string; readonly to: string };

const path = fc.constantFrom('a', 'b', 'd/a', 'd/b');
const anyPath = fc.constantFrom('a', 'b', 'd/a', 'd', 'd/e', 'e', 'e/d', 'f', 'f/g', 'empty', 'link');
const inAnyDirectory = fc.constantFrom('a', 'd/a', 'd/b', 'd/e/a', 'e/a', 'e/d/a', 'f/g/a', 'empty/a');
const content = fc.constantFrom('one\n', 'two\n');

const ofFiles: readonly fc.Arbitrary<Command>[] = [
  fc.record({ do: fc.constant('create' as const), path, content }),
  fc.record({ do: fc.constant('write' as const), path, content }),
  fc.record({ do: fc.constant('delete' as const), path }),
  fc.record({ do: fc.constant('rename' as const), path, to: path }),
];
const ofAll: readonly fc.Arbitrary<Command>[] = [
  ...ofFiles,
  fc.record({ do: fc.constant('write' as const), path: inAnyDirectory, content }),
  fc.record({ do: fc.constant('delete' as const), path: anyPath }),
  fc.record({ do: fc.constant('rename' as const), path: anyPath, to: anyPath }),
];

/** @returns whether it has changed something */
async function carryOut(scene: HistoryScene, given: Command): Promise<boolean> {
  const answer = await (given.do === 'rename'
    ? scene.call('rename', { old_path: given.path, new_path: given.to })
    : given.do === 'delete'
      ? scene.call('delete', { path: given.path })
      : given.do === 'create'
        ? scene.call('create', { path: given.path, content: given.content })
        : scene.call('write', { path: given.path, content: given.content, expected_hash: '*' }));
  return answer.ok === true && answer.result['change_id'] !== undefined;
}

const placeholder = '.file-editor/moving/here';

const filesIn = (tree: Readonly<Record<string, unknown>>): unknown[] =>
  Object.entries(tree).filter(([, what]) => Array.isArray(what));

/**
 * Make changes, take the last ones back, and that again.
 * @param mayRefuse whether it may refuse to take them back together; one by one always works
 */
function goesBack(commands: readonly Command[], nth: number, mayRefuse: boolean): Promise<void> {
  return withDirectory({ a: 'one\n', 'd/a': 'in d\n' }, async (directory) => {
    const scene = new HistoryScene(directory);
    const tree = (): Record<string, unknown> => everythingIn(directory);
    chmodSync(join(directory, 'a'), 0o750);
    mkdirSync(join(directory, 'empty'));
    chmodSync(join(directory, 'empty'), 0o710);
    symlinkSync('a', join(directory, 'link'));
    const trees = [tree()];
    for (const command of commands) if (await carryOut(scene, command)) trees.push(tree());
    const last = 1 + (nth % Math.max(1, trees.length - 1));
    if (trees.length > 1) {
      const answer = await scene.call('undo', { last });
      if (answer.ok === true) {
        assert.deepEqual(tree(), trees.at(-1 - last));
        await scene.done('undo', { changes: [String(answer.result['change_id'])] });
        assert.deepEqual(filesIn(tree()), filesIn(trees.at(-1) ?? {}));
      } else {
        assert.ok(mayRefuse, JSON.stringify(answer));
        assert.deepEqual(tree(), trees.at(-1), 'nothing is changed');
        for (let times = 0; times < last; times++) await scene.done('undo', { last: 1 });
        assert.deepEqual(tree(), trees.at(-1 - last));
      }
    }
    scene.close();
  });
}

test('an undo of several changes of files puts back what was there', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...ofFiles), { maxLength: 8 }), fc.nat(8), (commands, nth) =>
      goesBack(commands, nth, false),
    ),
    { numRuns: 150 },
  ));

test('an undo of changes of links and directories too puts all back, or nothing', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...ofAll), { maxLength: 8 }), fc.nat(8), (commands, nth) =>
      goesBack(commands, nth, true),
    ),
    { numRuns: 150 },
  ));

/** Make changes, and be killed while they are taken back; be killed again while that is finished. */
function isWhole(commands: readonly Command[], first: number, second: number): Promise<void> {
  return withDirectory({ a: 'one\n', 'd/a': 'in d\n', 'd/e/a': 'in e\n' }, async (directory) => {
    // A rename that is killed leaves a placeholder, which says that nothing is there.
    const tree = (): Record<string, unknown> =>
      Object.fromEntries(Object.entries(everythingIn(directory)).filter(([, what]) => what !== placeholder));
    const trees = [tree()];
    await inScene(directory, async (scene) => {
      for (const command of commands) if (await carryOut(scene, command)) trees.push(tree());
    });
    await killedAt(first, directory, () => inScene(directory, (scene) => scene.call('undo', { last: trees.length })));
    await killedAt(second, directory, () => inScene(directory, (scene) => scene.start()));
    const next = new HistoryScene(directory);
    next.start();
    const made = next.log.find(({ operation }) => operation === 'undo');
    const [before, after] = [trees.at(-1), trees[0]];
    // What changes a single entry may be made, and missing in the history.
    const isMade = made !== undefined || isDeepStrictEqual(tree(), after);
    assert.deepEqual(tree(), isMade ? after : before);
    if (made !== undefined) {
      await next.done('undo', { changes: [made.id] });
      assert.deepEqual(filesIn(tree()), filesIn(trees.at(-1) ?? {}));
    }
    next.close();
  });
}

test('an undo that is killed is made as a whole by the next server, or not at all', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(...ofAll), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 600 }),
      fc.integer({ min: 1, max: 300 }),
      isWhole,
    ),
    { numRuns: 150 },
  ));
