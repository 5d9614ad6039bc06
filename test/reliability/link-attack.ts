/**
 * Another program swaps directories, files and links as fast as it can while calls of every tool resolve paths through
 * them. Files outside hold a secret: no answer may reveal it, and none may change (spec 5.5, 11).
 */
import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Client } from './client.js';
import type { Random } from './random.js';

/** Part of the text of outside files and of one name. No request contains it. */
const secret = 'S3CRET';
/** In the text of files inside and outside, for edits that search. */
const common = 'common';
/** Line count of each outside file, all of which a search would find: no inside file has as many. */
const outsideLines = 777;
const outsideText = `${common} ${secret}\n`.repeat(outsideLines);

export const insideFiles = { 'inside/f.txt': common, 'inside/sub/g.txt': common };
export const outsideFiles = { 'f.txt': outsideText, 'sub/g.txt': outsideText, [`sub/${secret}.txt`]: outsideText };

/** Alternates between an inside link, an outside link, nothing, and the real directory or file. */
const swapped = [
  ['way', ''],
  ['file', '/f.txt'],
  ['inside/sub', '/sub'],
] as const;

/** First-level names lead through two of them. */
const names = ['file', 'way'];
const paths = [
  'way/f.txt',
  'way/sub/g.txt',
  'file',
  'inside/sub/g.txt',
  'way/new/deep.txt',
  'inside/sub/new',
  'way',
  '',
];

type Attempt = readonly [operation: string, params: Readonly<Record<string, unknown>>];

/** One call of each tool; `number` makes new names. */
function attemptsOn(name: string, path: string, number: number): readonly Attempt[] {
  const edits = [{ old_string: common, new_string: `${common}.` }];
  // Only a few names, so moved files are moved again or get in the way.
  const moved = `moved/${String(number % 50)}`;
  return [
    ['list_files', {}],
    ['read_file', { name }],
    ['read_file', { name, start_line: 1, end_line: 1, return_hash: true }],
    ['edit_file', { name, append: 'x', create_if_missing: true }],
    ['edit_file', { name, edits: [{ line: 1, operation: 'replace', content: common }], return_hash: true }],
    ['view', { path }],
    ['view', { files: [{ path: 'inside/f.txt' }, { path }, { path: `${path}/f.txt`, end_line: 1 }] }],
    ['create', { path, content: 'x', encoding: 'utf-8' }],
    ['write', { path, content: common }],
    ['write', { path, content: common, expected_hash: '*' }],
    ['str_replace', { path, old_str: common, new_str: `${common}.` }],
    ['str_replace', { path, old_str: 'not to be found', new_str: 'x' }],
    ['insert', { path, insert_line: 1, new_str: 'x' }],
    ['apply_edits', { path, edits, replace_all: true }],
    ['apply_edits', { path, edits: [{ old_string: 'commonly', new_string: 'x' }] }],
    ['apply_edits', { path, edits, replace_all: true, dry_run: true }],
    ['glob', { pattern: '**', path }],
    ['glob', { pattern: '**/*.txt', path, sort: 'modified' }],
    ['grep', { pattern: common, path, context: 1, ignored: true }],
    ['grep', { pattern: '', path, mode: 'files', return_hash: true }],
    ['grep', { pattern: 'not to be found|.', path, glob: '*.txt', limit: 10_000 }],
    ['delete', { path }],
    ['rename', { old_path: path, new_path: moved }],
    ['rename', { old_path: 'inside/f.txt', new_path: path }],
    ['rename', { old_path: moved, new_path: path }],
    ['delete', { path: moved }],
    ['apply_changes', { changes: [{ path, edits: [{ ...edits[0], replace_all: true }] }, put(`${moved}-a/b/c.txt`)] }],
    ['apply_changes', { changes: [put(`way/new/${String(number)}.txt`), { path, delete: true }] }],
    ['apply_changes', { changes: [{ path: 'inside/f.txt', rename_to: path }, put(`inside/sub/new/${moved}`)] }],
    [
      'apply_changes',
      {
        changes: [
          { path: moved, rename_to: path },
          { ...put('inside/sub/g.txt'), expected_hash: '*' },
        ],
      },
    ],
    ['apply_changes', { changes: [{ path, rename_to: moved, edits: [{ ...edits[0], replace_all: true }] }] }],
    ['apply_changes', { changes: [{ path: moved, rename_to: path, content: common, expected_hash: '*' }] }],
    ['apply_changes', { changes: [{ path, rename_to: moved }, put(`way/sub/${String(number)}.txt`)] }],
  ];
}

function put(path: string): { readonly path: string; readonly content: string } {
  return { path, content: common };
}

export interface AttackReport {
  readonly attempts: number;
  /** Number of calls that succeeded despite the attack. */
  readonly done: number;
  /** Turns of the attacker. */
  readonly swaps: number;
}

/**
 * Attack until this many calls have been answered.
 * @param outside a directory with `outsideFiles`, which no call may reach; `directory` holds `insideFiles`
 * @throws AssertionError if a byte of an outside file was revealed or changed
 */
export async function attackLinks(
  clients: readonly Client[],
  { directory, outside, attempts, random }: { directory: string; outside: string; attempts: number; random: Random },
): Promise<AttackReport> {
  const before = snapshot(outside);
  const state = new Int32Array(new SharedArrayBuffer(8));
  const attacker = startAttacker(directory, outside, state);
  let begun = 0;
  let done = 0;

  async function lane(client: Client): Promise<void> {
    while (begun < attempts) {
      const number = begun++;
      const [operation, params] = random.pick(attemptsOn(random.pick(names), random.pick(paths), number));
      const reply = await client.call(operation, params);
      const shown = JSON.stringify(reply);
      const isOutside = new RegExp(`${secret}|(?:lines|count)":${String(outsideLines)}\\b`);
      assert.doesNotMatch(shown, isOutside, operation);
      assert.ok(reply.kind !== 'unanswered', `${operation}: ${shown}`);
      assert.ok(reply.kind === 'done' || reply.code !== -32603, `${operation}: ${shown}`);
      if (reply.kind === 'done') done++;
      if (number % 20 === 0) restore(directory);
    }
  }

  // Several in parallel, since the attacker occupies a processor throughout.
  try {
    await Promise.all(clients.flatMap((client) => Array.from({ length: 8 }, () => lane(client))));
  } finally {
    Atomics.store(state, 0, 1);
    await new Promise((resolve) => attacker.once('exit', resolve));
  }
  assert.deepEqual(snapshot(outside), before);
  return { attempts: begun, done, swaps: Atomics.load(state, 1) };
}

function startAttacker(directory: string, outside: string, state: Int32Array): Worker {
  return new Worker(
    `const { workerData: { directory, outside, state, swapped } } = require('node:worker_threads');
     const fs = require('node:fs');
     const quietly = (step) => { try { step(); } catch {} };
     for (let i = 0; Atomics.load(state, 0) === 0; i++) {
       Atomics.store(state, 1, i);
       for (const [name, target] of swapped) {
         const at = directory + '/' + name;
         quietly(() => fs.symlinkSync(i % 2 ? outside + target : directory + '/inside' + target, at + '.next'));
         if (i % 5 === 0) quietly(() => fs.renameSync(at, at + '.away'));
         quietly(() => fs.renameSync(at + '.next', at));
         if (i % 7 === 0) { quietly(() => fs.unlinkSync(at)); quietly(() => fs.renameSync(at + '.away', at)); }
       }
     }`,
    { eval: true, workerData: { directory, outside, state, swapped } },
  );
}

/** Restore what calls have deleted, moved or changed, as far as concurrent calls allow. */
function restore(directory: string): void {
  const file = join(directory, 'inside/f.txt');
  try {
    mkdirSync(join(directory, 'inside'), { recursive: true });
    // Another entry, even a directory, may have been moved to its place.
    rmSync(file, { recursive: true, force: true });
    writeFileSync(file, common);
  } catch (error) {
    assert.ok(error instanceof Error && 'code' in error, String(error));
  }
}

function snapshot(directory: string): unknown {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const stats = lstatSync(join(directory, name));
      return [name, stats.ino, stats.isFile() ? readFileSync(join(directory, name), 'utf8') : ''];
    });
}
