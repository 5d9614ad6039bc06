import assert from 'node:assert/strict';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statfsSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Client } from '../../reliability/client.js';
import { withServer } from '../../reliability/server.js';
import { withDisk } from '../../reliability/small-disk.js';
import type { Figures } from './figures.js';
import { sameTree, treeOf, type Tree } from './tree.js';

const page = 4096;
const line = 'a line of text\n';
const long = `${line.repeat(5500)}the end\n`;
const short = line.repeat(800);

const before: Tree = {
  f: null,
  'f/a.txt': long,
  'f/b.txt': short,
  'f/c.txt': 'c\n',
  'f/d.txt': 'd\n',
};
const changes = [
  { path: 'f/a.txt', edits: [{ old_string: 'the end', new_string: 'THE END' }] },
  { path: 'f/new/deep/e.txt', content: short },
  { path: 'f/b.txt', content: `${short}more\n`, expected_hash: '*' },
  { path: 'f/c.txt', delete: true },
  { path: 'f/d.txt', rename_to: 'f/moved/d.txt' },
];
const after: Tree = {
  f: null,
  'f/a.txt': long.replace('the end', 'THE END'),
  'f/b.txt': `${short}more\n`,
  'f/moved': null,
  'f/moved/d.txt': 'd\n',
  'f/new': null,
  'f/new/deep': null,
  'f/new/deep/e.txt': short,
};

/** What may run out, with levels from none to more than enough. */
const resources = [
  { of: 'pages', levels: 40, leave: leavePages },
  { of: 'inodes', levels: 24, leave: leaveInodes },
] as const;

/**
 * Change several files on a disk with every amount of free space around what the changes need.
 * @throws AssertionError if only some are made, or anything is left behind, or they fail with room for them
 */
export async function changeOnFullDisk(): Promise<Figures> {
  const figures: Record<string, number> = {};
  await withDisk(async (disk) => {
    await withServer('http', disk, { workers: 1, toolset: 'all' }, async (server) => {
      const client = server.connect();
      reset(disk);
      // Makes the lock files.
      assert.equal((await client.call('apply_changes', { changes })).kind, 'done');
      for (const { of, levels, leave } of resources) {
        let refused = 0;
        for (let level = 0; level < levels; level++) {
          reset(disk);
          const free = leave(disk, level);
          const isDone = await changeOnce(disk, client, `${String(level)} ${of}`);
          if (!isDone) refused++;
          free();
          if (!isDone) {
            const again = await client.call('apply_changes', { changes });
            assert.equal(again.kind, 'done', `with room again: ${JSON.stringify(again)}`);
            assert.ok(sameTree(treeOf(disk, 'f'), after));
          }
        }
        assert.ok(refused > 0 && refused < levels, `${String(refused)} levels of ${of} are too few`);
        figures[`amounts of ${of}`] = levels;
        figures[`of these too few ${of}`] = refused;
      }
    });
  }, 'size=512k,nr_inodes=128');
  return { ...figures, 'partly changed, or left over': 0 };
}

/** @returns whether there was room */
async function changeOnce(disk: string, client: Client, level: string): Promise<boolean> {
  const reply = await client.call('apply_changes', { changes });
  const isDone = reply.kind === 'done';
  if (!isDone) {
    assert.ok(reply.kind === 'refused', level);
    const { errno, reason, applied } = reply.data;
    assert.deepEqual(
      [errno, reason, applied],
      ['ENOSPC', 'disk_full', undefined],
      `${level}: ${JSON.stringify(reply)}`,
    );
  }
  const tree = treeOf(disk, 'f');
  const names = Object.entries(tree).map(([path, text]) => `${path} ${String(text?.length)}`);
  assert.ok(sameTree(tree, isDone ? after : before), `${level}, ${reply.kind}: ${names.join(', ')}`);
  const left = readdirSync(join(disk, '.file-editor')).filter((name) => !/\.lock$|^\.gitignore$/.test(name));
  assert.deepEqual(left, [], level);
  return isDone;
}

function reset(disk: string): void {
  rmSync(join(disk, 'f'), { recursive: true, force: true });
  for (const [path, text] of Object.entries(before)) {
    mkdirSync(join(disk, text === null ? path : dirname(path)), { recursive: true });
    if (text !== null) writeFileSync(join(disk, path), text);
  }
}

/** @returns how to have room again */
function leavePages(disk: string, count: number): () => void {
  const filler = join(disk, '.filler');
  const fd = openSync(filler, 'w');
  try {
    for (let more = statfsSync(disk).bfree - count; more > 0; more--) writeSync(fd, Buffer.alloc(page));
  } finally {
    closeSync(fd);
  }
  return () => {
    rmSync(filler);
  };
}

/** @returns how to have room again */
function leaveInodes(disk: string, count: number): () => void {
  const fillers = Array.from({ length: statfsSync(disk).ffree - count }, (_, i) => join(disk, `.filler-${String(i)}`));
  for (const filler of fillers) writeFileSync(filler, '');
  return () => {
    for (const filler of fillers) rmSync(filler);
  };
}
