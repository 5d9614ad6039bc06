import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Params } from '../../src/core/operations.js';
import { Tasks } from '../../workers/tasks.js';
import { withDirectory } from '../directory.js';
import { killedAt } from '../killed.js';
import { StorageScene } from '../operations/storage-scene.js';
import { setupOf } from '../workspace.js';

type Files = Readonly<Record<string, string>>;

interface Kind {
  readonly title: string;
  readonly changes: Params['apply_changes']['changes'];
  readonly after: Files;
}

const old: Files = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n', 'd/e.txt': 'four\n' };

const kinds: readonly Kind[] = [
  {
    title: 'edits of two files',
    changes: [
      { path: 'a.txt', edits: [{ old_string: 'one', new_string: 'ONE' }] },
      { path: 'd/e.txt', edits: [{ old_string: 'four', new_string: 'FOUR' }] },
    ],
    after: { ...old, 'a.txt': 'ONE\n', 'd/e.txt': 'FOUR\n' },
  },
  {
    title: 'new files in new directories',
    changes: [
      { path: 'n/m/f.txt', content: 'new\n' },
      { path: 'n/g.txt', content: 'new too\n' },
    ],
    after: { ...old, 'n/m/f.txt': 'new\n', 'n/g.txt': 'new too\n' },
  },
  {
    title: 'a file that is moved and edited',
    changes: [
      { path: 'b.txt', rename_to: 'k/l/b.txt', edits: [{ old_string: 'two', new_string: 'TWO' }] },
      { path: 'a.txt', rename_to: 'n.txt', content: 'whole\n', expected_hash: '*' },
    ],
    after: { 'c.txt': 'three\n', 'd/e.txt': 'four\n', 'k/l/b.txt': 'TWO\n', 'n.txt': 'whole\n' },
  },
  {
    title: 'the same edits in all files',
    changes: [{ glob: '**/*.txt', edits: [{ at: 'end', new_string: '.' }] }],
    after: Object.fromEntries(Object.entries(old).map(([name, text]) => [name, `${text}.`])),
  },
  {
    title: 'changes of every kind',
    changes: [
      { path: 'a.txt', edits: [{ old_string: 'one', new_string: 'ONE' }] },
      { path: 'n/f.txt', content: 'new\n' },
      { path: 'b.txt', rename_to: 'k/b.txt' },
      { path: 'c.txt', delete: true },
      { path: 'd/e.txt', content: 'whole\n', expected_hash: '*' },
    ],
    after: { 'a.txt': 'ONE\n', 'n/f.txt': 'new\n', 'k/b.txt': 'two\n', 'd/e.txt': 'whole\n' },
  },
];

describe('a process that is killed while it changes several files', () => {
  for (const { title, changes, after } of kinds) {
    it(`has made all changes or none after the next start, wherever it was: ${title}`, async () => {
      const outcomes = await atEveryCall(async (directory, nth) => {
        const killed = await killedAt(nth, directory, () => apply(directory, changes));
        start(directory);
        return { killed, outcome: outcomeIn(directory, after) };
      });
      assert.deepEqual(outcomes, new Set(['old', 'new']));
    });

    it(`has made all changes or none after the next write, wherever it was: ${title}`, async () => {
      const outcomes = await atEveryCall(async (directory, nth) => {
        const killed = await killedAt(nth, directory, () => apply(directory, changes));
        const scene = new StorageScene(directory);
        const written = await scene.call('create', { path: 'other.txt', content: '' });
        assert.ok(written.ok);
        scene.workspace.close();
        return { killed, outcome: outcomeIn(directory, { ...after, 'other.txt': '' }, { ...old, 'other.txt': '' }) };
      });
      assert.deepEqual(outcomes, new Set(['old', 'new']));
    });
  }

  it('has made all changes or none, even if those that finish them are killed too', async () => {
    const [{ changes, after } = assert.fail()] = kinds.slice(-1);
    for (const first of [60, 70, 80, 90, 100, 110, 120, 130, 140]) {
      await atEveryCall(async (directory, nth) => {
        await killedAt(first, directory, () => apply(directory, changes));
        const killed = await killedAt(nth, directory, () => {
          start(directory);
        });
        start(directory);
        return { killed, outcome: outcomeIn(directory, after) };
      });
    }
  });
});

/** @param work returns the call in which a process was killed; undefined if it ended before. @returns all outcomes */
async function atEveryCall(
  work: (directory: string, nth: number) => Promise<{ killed: string | undefined; outcome: string }>,
): Promise<ReadonlySet<string>> {
  const outcomes = new Set<string>();
  for (let nth = 1; ; nth++) {
    const { killed, outcome } = await withDirectory(old, (directory) => work(directory, nth));
    assert.notEqual(outcome, 'mixed', `killed at call ${String(nth)}, ${String(killed)}`);
    outcomes.add(outcome);
    if (killed === undefined) return outcomes;
  }
}

async function apply(directory: string, changes: Kind['changes']): Promise<void> {
  const scene = new StorageScene(directory, { durability: 'full' });
  await scene.call('apply_changes', { changes });
  scene.workspace.close();
}

/** As a server does before it reports that it is ready. */
function start(directory: string): void {
  const tasks = new Tasks(setupOf(directory, { durability: 'full' }));
  tasks.sweep();
  tasks.close();
}

function outcomeIn(directory: string, made: Files, unmade = old): string {
  const found = filesIn(directory);
  const left = readdirOrNothing(join(directory, '.file-editor')).filter(
    (name) => name !== '.gitignore' && !name.endsWith('.lock'),
  );
  assert.deepEqual(left, []);
  if (JSON.stringify(found) === JSON.stringify(sorted(made))) return 'new';
  return JSON.stringify(found) === JSON.stringify(sorted(unmade)) ? 'old' : 'mixed';
}

/** Files by path, and directories that hold none as `null`. */
function filesIn(directory: string): unknown {
  const found: Record<string, string | null> = {};
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name).slice(directory.length + 1);
    if (path.startsWith('.file-editor')) continue;
    if (entry.isFile()) found[path] = readFileSync(join(directory, path), 'utf8');
    else if (!entry.isDirectory() || readdirSync(join(directory, path)).length === 0) found[path] = null;
  }
  return sorted(found);
}

function sorted(files: Readonly<Record<string, string | null>>): unknown {
  return Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
}

function readdirOrNothing(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
