/** Spec 18: undo against a small model, with two callers and a plain merge of lines. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from '../fast-check.js';
import { withDirectory } from '../directory.js';
import { HistoryScene } from './scene.js';

const callers = ['anna', 'bert'] as const;
const paths = ['a.txt', 'b.txt'] as const;
const lines = 6;

type Caller = (typeof callers)[number];
/** Lines of each file; undefined if it is not there. */
type Files = Readonly<Record<string, readonly string[] | undefined>>;

/** One change of one file, as the model knows it. */
interface Change {
  readonly id: string;
  readonly caller: Caller;
  readonly path: string;
  readonly before: readonly string[] | undefined;
  readonly after: readonly string[] | undefined;
  undone: boolean;
}

const caller = fc.constantFrom(...callers);
const path = fc.constantFrom(...paths);
const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('edit' as const), caller, path, line: fc.nat(lines - 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), caller, path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('create' as const), caller, path }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('undo' as const), caller, nth: fc.nat(20) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('undo last' as const), caller, last: fc.integer({ min: 1, max: 3 }) }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer Each> ? Each : never;

const same = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean => a?.join() === b?.join();

/** @returns the files without a change; undefined if it cannot be told apart from what came later */
function without(files: Files, { path: at, before, after }: Change): Files | undefined {
  const now = files[at];
  if (same(now, after)) return { ...files, [at]: before };
  if (now === undefined || before === undefined || after === undefined) return undefined;
  const isMine = (line: number): boolean => before[line] !== after[line];
  const isLater = (line: number): boolean => now[line] !== after[line];
  const all = after.map((_, line) => line);
  if (all.some((line) => isLater(line) && [line - 1, line, line + 1].some(isMine))) return undefined;
  return { ...files, [at]: now.map((text, line) => (isMine(line) ? (before[line] ?? '') : text)) };
}

function textOf(text: readonly string[] | undefined): string | undefined {
  return text?.map((line) => `${line}\n`).join('');
}

class Model {
  files: Files = { 'a.txt': Array.from({ length: lines }, (_, line) => `line ${line}`), 'b.txt': undefined };
  readonly changes: Change[] = [];
  #made = 0;

  constructor(
    private readonly scene: HistoryScene,
    private readonly directory: string,
  ) {}

  async run(given: Command): Promise<void> {
    if (given.do === 'undo' || given.do === 'undo last') await this.#undo(given);
    else await this.#change(given);
    for (const each of paths) {
      const at = join(this.directory, each);
      assert.equal(existsSync(at) ? readFileSync(at, 'utf8') : undefined, textOf(this.files[each]), each);
    }
  }

  async #change({ path: at, caller: by, ...given }: Extract<Command, { readonly path: string }>): Promise<void> {
    const before = this.files[at];
    const fresh = `text ${String(++this.#made)}`;
    if ((given.do === 'create') !== (before === undefined)) return;
    const after =
      given.do === 'delete'
        ? undefined
        : given.do === 'create'
          ? Array.from({ length: lines }, (_, line) => `${fresh} ${String(line)}`)
          : before?.map((text, line) => (line === given.line ? fresh : text));
    const id =
      given.do === 'delete'
        ? await this.scene.change('delete', { path: at }, by)
        : given.do === 'create'
          ? await this.scene.change('create', { path: at, content: textOf(after) ?? '' }, by)
          : await this.scene.change(
              'apply_edits',
              { path: at, edits: [{ old_string: `${before?.[given.line] ?? ''}\n`, new_string: `${fresh}\n` }] },
              by,
            );
    this.changes.push({ id, caller: by, path: at, before, after, undone: false });
    this.files = { ...this.files, [at]: after };
  }

  async #undo(given: Extract<Command, { readonly do: 'undo' | 'undo last' }>): Promise<void> {
    const { caller: by } = given;
    const own = this.changes.filter((each) => each.caller === by && !each.undone).toReversed();
    const one = given.do === 'undo' ? this.changes[given.nth % Math.max(1, this.changes.length)] : undefined;
    const chosen = given.do === 'undo last' ? own.slice(0, given.last) : one === undefined ? [] : [one];
    const params = given.do === 'undo last' ? { last: given.last } : { changes: chosen.map(({ id }) => id) };
    if (given.do === 'undo' && chosen.length === 0) return;
    const answer = await this.scene.call('undo', params, by);
    let files: Files | undefined = this.files;
    for (const each of chosen) files = files === undefined || each.undone ? undefined : without(files, each);
    if (files === undefined || chosen.length === 0) {
      assert.ok(answer.ok === false, `${JSON.stringify(params)} is refused`);
      assert.equal(answer.kind, chosen.length === 0 ? 'not_in_history' : 'undo_conflict');
      return;
    }
    assert.ok(answer.ok === true, JSON.stringify(answer));
    assert.deepEqual(
      answer.result['undone'],
      chosen.map(({ id }) => id),
    );
    this.files = files;
    // Without an effect it is no change, and nothing is undone.
    if (answer.result['change_id'] !== undefined) for (const each of chosen) each.undone = true;
  }
}

test('undo leaves what a plain merge leaves, and refuses what it cannot tell apart', () =>
  fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 3, maxLength: 25 }), (commands) =>
      withDirectory({}, async (directory) => {
        const scene = new HistoryScene(directory);
        try {
          const model = new Model(scene, directory);
          const first = textOf(model.files['a.txt']) ?? '';
          await scene.change('create', { path: 'a.txt', content: first }, 'nobody');
          for (const each of commands) await model.run(each);
        } finally {
          scene.close();
        }
      }),
    ),
    { numRuns: 120 },
  ));
