/** Spec 18: a process killed at any system call leaves a history that tells only of what is there. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { OperationName, Params } from '../../src/core/operations.js';
import { hashOf } from '../../workers/text/text-file.js';
import { withDirectory } from '../directory.js';
import { killedAt } from '../killed.js';
import { HistoryScene, inScene, keptIn, logIn } from './scene.js';

const files = { 'a.txt': 'one\n', 'b.txt': 'b\n', 'd/c.txt': 'c\n' };

type Call = { readonly [Name in OperationName]: readonly [Name, Params[Name]] }[OperationName];

interface Kind {
  readonly title: string;
  /** Made before. */
  readonly earlier?: readonly Call[];
  /** What that leaves; by default, `files`. */
  readonly before?: Readonly<Record<string, string>>;
  readonly call: Call;
  /** Hashes of what it leaves. */
  readonly after: Readonly<Record<string, string | undefined>>;
  readonly isSet?: true;
}

const kinds: readonly Kind[] = [
  {
    title: 'an edit',
    call: ['apply_edits', { path: 'a.txt', edits: [{ old_string: 'one', new_string: 'two' }] }],
    after: { 'a.txt': 'two\n' },
  },
  { title: 'a new file', call: ['create', { path: 'n/m.txt', content: 'new' }], after: { 'n/m.txt': 'new' } },
  { title: 'a deletion', call: ['delete', { path: 'b.txt' }], after: { 'b.txt': undefined } },
  {
    title: 'a rename',
    call: ['rename', { old_path: 'b.txt', new_path: 'n/b.txt' }],
    after: { 'b.txt': undefined, 'n/b.txt': 'b\n' },
  },
  {
    title: 'several changes',
    call: [
      'apply_changes',
      {
        changes: [
          { path: 'a.txt', edits: [{ old_string: 'one', new_string: 'two' }] },
          { path: 'b.txt', rename_to: 'n/b.txt', edits: [{ old_string: 'b', new_string: 'B' }] },
          { path: 'd/c.txt', delete: true },
          { path: 'n/m.txt', content: 'new' },
        ],
      },
    ],
    after: { 'a.txt': 'two\n', 'b.txt': undefined, 'n/b.txt': 'B\n', 'd/c.txt': undefined, 'n/m.txt': 'new' },
    isSet: true,
  },
  {
    title: 'an undo of edits in directories that were moved since',
    earlier: [
      ['write', { path: 'd/c.txt', content: 'C\n', expected_hash: '*' }],
      ['create', { path: 'd/new.txt', content: 'new' }],
      ['rename', { old_path: 'd', new_path: 'e/f' }],
      ['rename', { old_path: 'b.txt', new_path: 'e/f/b.txt' }],
      ['rename', { old_path: 'e', new_path: 'g' }],
    ],
    before: { 'a.txt': 'one\n', 'g/f/b.txt': 'b\n', 'g/f/c.txt': 'C\n', 'g/f/new.txt': 'new' },
    call: ['undo', { last: 5 }],
    after: { 'b.txt': 'b\n', 'd/c.txt': 'c\n', 'd/new.txt': undefined, 'g/f/b.txt': undefined },
    isSet: true,
  },
];

const textAt = (directory: string, path: string): string | undefined =>
  existsSync(join(directory, path)) ? readFileSync(join(directory, path), 'utf8') : undefined;

async function run(scene: HistoryScene, [operation, params]: Call): Promise<void> {
  await scene.call(operation, params);
}

describe('a process that is killed while it makes a change', () => {
  for (const { title, earlier = [], before = files, call, after, isSet } of kinds) {
    it(`leaves a history of what is there, which can be undone: ${title}`, async () => {
      const seen = new Set<string>();
      const state: { killed: string | undefined } = { killed: '' };
      for (let nth = 1; state.killed !== undefined; nth++) {
        await withDirectory(files, async (directory) => {
          await inScene(directory, async (scene) => {
            for (const each of earlier) await run(scene, each);
          });
          state.killed = await killedAt(nth, directory, () => inScene(directory, (scene) => run(scene, call)));
          const scene = new HistoryScene(directory, { durability: 'full' });
          scene.start();
          // Whoever writes next finishes what was decided.
          await scene.change('create', { path: 'next.txt', content: '' });
          const isMade = Object.entries(after).every(([path, text]) => textAt(directory, path) === text);
          const [told, ...others] = logIn(directory)
            .filter(({ operation }) => operation === call[0])
            .filter(({ files: [file] }) => file?.path !== 'next.txt');
          const { killed } = state;
          const at = `killed at ${String(nth)}, ${String(killed)}`;
          assert.deepEqual(others, [], at);
          if (told !== undefined) assert.ok(isMade, `told and not made, ${at}`);
          if (isMade && (isSet === true || killed === undefined)) assert.ok(told, `made and not told, ${at}`);
          seen.add(`${isMade ? 'made' : 'not made'}, ${told === undefined ? 'not told' : 'told'}`);
          if (told !== undefined) {
            const kept = told.files.flatMap((each) => (each.kept === undefined ? [] : [each.kept]));
            assert.ok(
              kept.every((name) => keptIn(directory).includes(name)),
              at,
            );
            await scene.done('undo', { changes: [told.id] });
            for (const [path, text] of Object.entries(before)) assert.equal(textAt(directory, path), text, at);
          }
          scene.close();
        });
      }
      assert.ok(seen.has('made, told') && seen.has('not made, not told'), [...seen].join('; '));
    });
  }

  it('tells of what was left by the hash of its bytes', () =>
    withDirectory(files, async (directory) => {
      const scene = new HistoryScene(directory);
      await scene.change('apply_edits', { path: 'a.txt', edits: [{ old_string: 'one', new_string: 'two' }] });
      scene.close();
      assert.equal(logIn(directory)[0]?.files[0]?.after?.hash, hashOf(Buffer.from('two\n')));
    }));
});
