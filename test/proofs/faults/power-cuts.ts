import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tasks } from '../../../workers/tasks.js';
import { withDirectory } from '../../directory.js';
import { setupOf } from '../../workspace.js';
import type { Random } from '../../reliability/random.js';
import { startServer } from '../../reliability/server.js';
import { cannotMount } from '../../reliability/small-disk.js';
import { mountFile, run, unmount } from './fuse-file.js';
import { LoggedDisk } from './logged-disk.js';
import { Slot } from './slot.js';
import { filesOf, sameTree, treeOf, type Tree } from './tree.js';

export interface Sort {
  readonly durability: 'full' | 'file' | 'none';
  /** Mount options; with auto_da_alloc, the default, ext4 itself flushes a file's data before its rename. */
  readonly mount: 'auto_da_alloc' | 'noauto_da_alloc';
}

/** Findings after the cuts. */
export interface Cuts {
  readonly cuts: number;
  readonly writes: number;
  /** Cuts that lost an acknowledged write. `full` promises none. */
  lost: number;
  /** Cuts that left a file empty or mixed. All but `none` promise none. */
  torn: number;
  /** Cuts after which files, each of them whole, were not as they were after any call. */
  mixed: number;
  readonly examples: string[];
}

const clients = 4;
/** By all clients; each cycles through thirteen kinds of writes. */
const rounds = 3;
const diskBytes = 16_777_216;

/** Why power cuts cannot be simulated; false if they can. */
export function cannotCut(): string | false {
  const refused = cannotMount();
  if (refused !== false) return refused;
  if (!existsSync('/dev/fuse')) return 'needs /dev/fuse';
  if (spawnSync('mkfs.ext4', ['-V']).status !== 0) return 'needs mkfs.ext4';
  return spawnSync('losetup', ['-f']).status === 0 ? false : 'needs loop devices';
}

/**
 * Let clients write to a logging disk, and check its content after simulated power cuts at random moments, once the
 * file system has replayed its journal.
 */
export async function cutPower(sort: Sort, cuts: number, random: Random): Promise<Cuts> {
  return withDirectory({ 'disk.img': '', 'mnt/x': '', 'cut/x': '' }, async (directory) => {
    const disk = new LoggedDisk(await emptyDisk(join(directory, 'empty.img')));
    const slots = Array.from({ length: clients }, (_, i) => new Slot(`s${String(i)}`));
    const takeAway = await mountFile(join(directory, 'disk.img'), disk);
    const mounted = join(directory, 'mnt');
    const options = `loop,commit=1,${sort.mount}`;
    let writes = 0;
    let positions: number[];
    try {
      await run('mount', ['-o', options, join(directory, 'disk.img'), mounted]);
      try {
        const from = disk.position;
        writes = await write(mounted, sort, slots, () => disk.position);
        positions = Array.from({ length: cuts }, () => random.between(from, disk.position)).sort((a, b) => a - b);
      } finally {
        await unmount(mounted);
      }
    } finally {
      await takeAway();
    }
    const found: Cuts = { cuts, writes, lost: 0, torn: 0, mixed: 0, examples: [] };
    let index = 0;
    for (const image of disk.images(positions, random)) {
      const position = positions[index++] ?? 0;
      writeFileSync(join(directory, 'cut.img'), image);
      await run('mount', ['-o', `loop,${sort.mount}`, join(directory, 'cut.img'), join(directory, 'cut')]);
      try {
        // Changes of several files are whole once a server has started.
        startIn(join(directory, 'cut'), sort);
        look(slots, (slot) => filesOf(treeOf(join(directory, 'cut'), slot.name)), position, found);
      } finally {
        await unmount(join(directory, 'cut'));
      }
    }
    return found;
  });
}

async function emptyDisk(path: string): Promise<Buffer> {
  writeFileSync(path, Buffer.alloc(diskBytes));
  // All background work is done.
  await run('mkfs.ext4', ['-q', '-F', '-b', '4096', '-E', 'lazy_itable_init=0,lazy_journal_init=0', path]);
  return readFileSync(path);
}

/** @returns number of acknowledged calls */
async function write(
  directory: string,
  { durability }: Sort,
  slots: readonly Slot[],
  position: () => number,
): Promise<number> {
  const server = await startServer('http', directory, { durability, toolset: 'all' });
  try {
    const work = async (slot: Slot): Promise<number> => {
      const client = server.connect();
      let writes = 0;
      for (let round = 0; round < rounds; round++) writes += await slot.work(client, position);
      client.close();
      return writes;
    };
    const writes = await Promise.all(slots.map(work));
    assert.equal(await server.process.stop(), 0);
    return writes.reduce((sum, each) => sum + each, 0);
  } finally {
    await server.kill();
  }
}

/** Do what the start of a server does. */
function startIn(directory: string, { durability }: Sort): void {
  const tasks = new Tasks(setupOf(directory, { durability }));
  try {
    const [swept] = tasks.sweep();
    assert.equal(swept?.ok, true, JSON.stringify(swept));
  } finally {
    tasks.close();
  }
}

function look(slots: readonly Slot[], read: (slot: Slot) => Tree, position: number, found: Cuts): void {
  const seen = slots.map((slot) => ({ slot, files: read(slot), expected: slot.expectedAt(position) }));
  const isTorn = seen.some(({ slot, files }) => Object.entries(files).some(([path, text]) => !slot.hasHad(path, text)));
  const wrong = seen.filter(({ files, expected }) => !expected.some((each) => sameTree(each, files)));
  if (isTorn) found.torn++;
  if (wrong.length > 0 && !isTorn) found.lost++;
  if (!isTorn && wrong.some(({ slot, files }) => !slot.hasBeen(files))) found.mixed++;
  for (const { slot, files, expected } of wrong) {
    found.examples.push(
      `${slot.name} at ${String(position)}: ${shown(files)}, expected ${expected.map(shown).join(' or ')}`,
    );
  }
}

function shown(tree: Tree): string {
  return JSON.stringify(tree, (_, text: unknown) => (typeof text === 'string' ? text.slice(0, 40) : text));
}

/** Whether the findings break a promise. */
export function isBroken({ durability }: Sort, { lost, torn, mixed }: Cuts): boolean {
  return (durability === 'full' && lost + mixed > 0) || (durability !== 'none' && torn > 0);
}
