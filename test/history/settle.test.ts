/** Spec 18: after a loss of power, the history tells of no change that is not made. */
import assert from 'node:assert/strict';
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { HistoryReader } from '../../workers/history/reader.js';
import { settle } from '../../workers/history/settle.js';
import { withDirectory } from '../directory.js';
import { workspaceOf } from '../workspace.js';
import { HistoryScene, keptIn, logIn } from './scene.js';

const edit = (
  path: string,
  old_string: string,
  new_string: string,
): { path: string; edits: { old_string: string; new_string: string }[] } => ({
  path,
  edits: [{ old_string, new_string }],
});

function settleIn(directory: string, bootedAt: number): readonly string[] {
  const { root } = workspaceOf(directory);
  root.refresh();
  const notices: { message: string }[] = [];
  const reader = HistoryReader.open(root, notices);
  assert.ok(reader);
  settle(reader, root, notices, bootedAt);
  reader.close();
  root.close();
  return notices.map(({ message }) => message);
}

/** Runs calls, loses what `lose` takes away, and starts after that. @returns the ids before, and those left */
async function afterLoss(
  run: (scene: HistoryScene) => Promise<unknown>,
  lose: (directory: string) => void,
  bootedAt = Date.now() + 60_000,
  prepare: (directory: string) => void = () => undefined,
): Promise<{ all: string[]; left: string[]; told: readonly string[] }> {
  return withDirectory({ 'a.txt': 'one\n', 'b.txt': 'b\n' }, async (directory) => {
    prepare(directory);
    const scene = new HistoryScene(directory);
    await scene.change('create', { path: 'early.txt', content: '' });
    await run(scene);
    const all = logIn(directory).map(({ id }) => id);
    lose(directory);
    const told = settleIn(directory, bootedAt);
    const left = logIn(directory).map(({ id }) => id);
    // The next line is where it would have been.
    await scene.change('create', { path: 'late.txt', content: '' });
    scene.close();
    return { all, left, told };
  });
}

const keptOf = (directory: string): string =>
  join(directory, '.file-editor/history/kept', keptIn(directory).at(-1) ?? '');

describe('a start after a loss of power', () => {
  it('voids the line of an edit whose rename is lost', async () => {
    const { all, left, told } = await afterLoss(
      (scene) => scene.change('apply_edits', edit('a.txt', 'one', 'two')),
      (directory) => {
        rmSync(join(directory, 'a.txt'));
        linkSync(keptOf(directory), join(directory, 'a.txt'));
      },
    );
    assert.deepEqual(left, all.slice(0, 1));
    assert.match(told[0] ?? '', /no longer tells of changes \(1\)/);
  });

  it('voids all lines that were committed together with it', async () => {
    const { all, left } = await afterLoss(
      (scene) => scene.together('apply_edits', [edit('a.txt', 'one', 'two'), edit('a.txt', 'two', 'three')]),
      (directory) => {
        rmSync(join(directory, 'a.txt'));
        linkSync(keptOf(directory), join(directory, 'a.txt'));
      },
    );
    assert.equal(all.length, 3);
    assert.deepEqual(left, all.slice(0, 1));
  });

  it('voids the lines of a new file, a deletion and a rename that are lost', async () => {
    const { all, left } = await afterLoss(
      async (scene) => {
        await scene.change('create', { path: 'n.txt', content: 'n' });
        await scene.change('delete', { path: 'b.txt' });
        await scene.change('rename', { old_path: 'a.txt', new_path: 'c.txt' });
      },
      (directory) => {
        rmSync(join(directory, 'n.txt'));
        linkSync(keptOf(directory), join(directory, 'b.txt'));
        renameSync(join(directory, 'c.txt'), join(directory, 'a.txt'));
      },
    );
    assert.equal(all.length, 4);
    assert.deepEqual(left, all.slice(0, 1));
  });

  it('voids the line of an edit of which the kept file is lost, made or not', async () => {
    for (const isMade of [true, false]) {
      const { all, left } = await afterLoss(
        (scene) => scene.change('apply_edits', edit('a.txt', 'one', 'two')),
        (directory) => {
          if (!isMade) writeFileSync(join(directory, 'a.txt'), 'one\n');
          rmSync(keptOf(directory));
        },
      );
      assert.deepEqual(left, all.slice(0, 1));
    }
  });

  it('voids the line of a deletion of a directory or a link that is lost', async () => {
    const { all, left } = await afterLoss(
      async (scene) => {
        await scene.change('delete', { path: 'd' });
        await scene.change('delete', { path: 'l' });
      },
      (directory) => {
        mkdirSync(join(directory, 'd'));
        symlinkSync('a.txt', join(directory, 'l'));
      },
      undefined,
      (directory) => {
        mkdirSync(join(directory, 'd'));
        symlinkSync('a.txt', join(directory, 'l'));
      },
    );
    assert.equal(all.length, 3);
    assert.deepEqual(left, all.slice(0, 1));
  });

  it('voids the line of a rename that is lost, but not its placeholder', async () => {
    const { all, left } = await afterLoss(
      (scene) => scene.change('rename', { old_path: 'a.txt', new_path: 'c.txt' }),
      (directory) => {
        renameSync(join(directory, 'c.txt'), join(directory, 'a.txt'));
        symlinkSync('.file-editor/moving/here', join(directory, 'c.txt'));
      },
    );
    assert.deepEqual(left, all.slice(0, 1));
  });

  it('keeps the lines of changes that others went on with', async () => {
    const { all, left, told } = await afterLoss(
      async (scene) => {
        await scene.change('create', { path: 'n.txt', content: 'n' });
        await scene.change('delete', { path: 'n.txt' });
        await scene.change('apply_edits', edit('a.txt', 'one', 'two'));
        await scene.change('apply_edits', edit('a.txt', 'two', 'three'));
      },
      () => undefined,
    );
    assert.deepEqual(left, all);
    assert.deepEqual(told, []);
  });

  it('voids nothing as long as the machine runs: a missing file was removed by another program', async () => {
    const { all, left } = await afterLoss(
      (scene) => scene.change('create', { path: 'n.txt', content: 'n' }),
      (directory) => {
        rmSync(join(directory, 'n.txt'));
      },
      Date.now() - 60_000,
    );
    assert.deepEqual(left, all);
  });
});
