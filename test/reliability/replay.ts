/** Replays the history of a git repository through a server, change by change. */
import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LineEdit } from '../../src/core/operations.js';
import type { Client } from './client.js';
import { changesOf, openBlobs, type Blobs, type FileChange } from './git-history.js';
import { inCalls, isPlain, textChange } from './line-changes.js';

export interface Replayed {
  commits: number;
  /** Changes whose results matched git's. */
  changes: number;
  calls: number;
  /** Files written directly, since the previous change was skipped or made on another branch. */
  restored: number;
  removed: number;
  /** Changes that no line edit can express, by reason. */
  readonly skipped: Map<string, number>;
}

interface Lane {
  readonly directory: string;
  readonly client: Client;
  readonly blobs: Blobs;
  readonly sum: Replayed;
}

const largestText = 1_048_576;
const largestCall = 1000;
/** Files replayed concurrently. */
const lanes = 32;

/**
 * Replay every change of the repository on files of `directory`, which the client's server serves.
 * @throws AssertionError for the first file that differs from git's
 */
export async function replay(repository: string, directory: string, client: Client): Promise<Replayed> {
  const histories = new Map<string, FileChange[]>();
  const commits = new Set<string>();
  for (const change of await changesOf(repository)) {
    commits.add(change.commit);
    const history = histories.get(change.path) ?? [];
    histories.set(change.path, history);
    history.push(change);
  }
  const blobs = openBlobs(repository);
  const sum: Replayed = { commits: commits.size, changes: 0, calls: 0, restored: 0, removed: 0, skipped: new Map() };
  const names = flatNames([...histories.keys()]);
  const files = histories.entries();
  const lane = async (): Promise<void> => {
    for (const [path, history] of files) {
      await replayFile(names.get(path) ?? '', history, { directory, client, blobs, sum });
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
  } finally {
    blobs.close();
  }
  return sum;
}

/** `src/call/call.ts` becomes `src__call.ts`; a number comes before names that would be refused or exist already. */
function flatNames(paths: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const path of paths) {
    let name = path.replaceAll('/', '__').replace(/[^a-zA-Z0-9._-]/g, '-');
    // Device names and trailing dots are refused; two spellings may denote one file.
    if (
      name.length > 200 ||
      /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)|\.$|^\.file-editor$/i.test(name) ||
      taken.has(name.toLowerCase())
    ) {
      name = `${String(names.size)}-${name.slice(-200)}-`;
    }
    taken.add(name.toLowerCase());
    names.set(path, name);
  }
  return names;
}

async function replayFile(name: string, history: readonly FileChange[], lane: Lane): Promise<void> {
  const { directory, blobs, sum } = lane;
  const file = join(directory, name);
  let current: string | null = null;
  for (const change of history) {
    // Only its mode changed.
    if (change.before === change.after) continue;
    if (change.regular && change.before !== current) {
      sum.restored++;
      if (change.before === null) rmSync(file, { force: true });
      else writeFileSync(file, await blobs.read(change.before));
      current = change.before;
    }
    if (change.regular && change.after === null) {
      rmSync(file);
      sum.removed++;
      current = null;
      continue;
    }
    const skipped = await replayChange(name, change, lane);
    if (skipped === undefined) {
      current = change.after;
      sum.changes++;
    } else {
      sum.skipped.set(skipped, (sum.skipped.get(skipped) ?? 0) + 1);
    }
  }
}

/** @returns the reason if it was skipped */
async function replayChange(
  name: string,
  change: FileChange,
  { directory, client, blobs, sum }: Lane,
): Promise<string | undefined> {
  if (!change.regular || change.after === null) return 'not a regular file';
  const before = change.before === null ? Buffer.alloc(0) : await blobs.read(change.before);
  const after = await blobs.read(change.after);
  if (!isUtf8(before) || !isUtf8(after)) return 'not UTF-8';
  if (Math.max(before.length, after.length) > largestText) return 'larger than 1 MB';

  const about = `${change.commit} ${change.path}`;
  const [old, now] = [before.toString(), after.toString()];
  const { edits, linesModified, totalLines, expected } = textChange(old, now, change.hunks);
  if (expected !== now) {
    assert.ok(!isPlain(old, now), `${about}: a plain change was not turned into edits`);
    return difference(expected, now);
  }

  // The first of several calls may delete the last line; only a single call preserves a missing final separator.
  if (edits.length > largestCall && !/[\r\n]$/.test(old)) return 'final newline';

  const calls: { edits?: LineEdit[]; append?: string; create_if_missing?: boolean }[] =
    change.before === null
      ? [{ append: now, create_if_missing: true }]
      : inCalls(edits, largestCall).map((part) => ({ edits: part }));
  const replies = await Promise.all(calls.map((call) => client.call('edit_file', { name, ...call })));
  sum.calls += calls.length;
  let modified = 0;
  for (const reply of replies) {
    assert.ok(reply.kind === 'done', `${about}: ${JSON.stringify(reply)}`);
    assert.equal(reply.result['file_created'], change.before === null, about);
    modified += Number(reply.result['lines_modified']);
  }
  assert.equal(modified, linesModified, about);
  const last = replies.at(-1);
  if (last?.kind === 'done') assert.equal(last.result['new_total_lines'], totalLines, about);
  const written = readFileSync(join(directory, name));
  if (!written.equals(after)) {
    assert.equal(JSON.stringify(written.toString()), JSON.stringify(now), about);
    assert.fail(`${about}: the bytes differ`);
  }
  return undefined;
}

/** What line edits cannot reproduce of `wanted`; the line texts are equal. */
function difference(made: string, wanted: string): string {
  if (made.startsWith('\uFEFF') !== wanted.startsWith('\uFEFF')) return 'byte order mark';
  const withoutEnd = (text: string): string => text.replace(/(\r\n|\n|\r)$/, '');
  return withoutEnd(made) === withoutEnd(wanted) ? 'final newline' : 'separators';
}
