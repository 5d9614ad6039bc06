/** What `--history` costs beside the time of an edit: reading a long log, and disk. */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Notice } from '../../src/core/errors.js';
import { historyName, reservedName } from '../../src/core/names/reserved-name.js';
import { Reserved } from '../../workers/disk/lock/reserved.js';
import { Root } from '../../workers/disk/paths/root.js';
import { History } from '../../workers/history/history.js';
import type { NewChange } from '../../workers/history/recorded-change.js';
import { fileName, fileText, files, kilobyte, megabyte } from '../files.js';
import type { Quantities, Subject } from '../figures.js';
import { median } from '../statistics.js';
import { talkSubject, type Talking } from './stdio.js';
import { ownDialect } from './stdio-dialects.js';

const withHistory = ownDialect('--toolset=all', '--history');
const unsynced = ownDialect('--toolset=all', '--durability=none', '--history');

const manyChanges = 100_000;
/** Lines of the log that are written at once. */
const batch = 1_000;
const loggedPaths = 5_000;
const pageLength = 50;

/** The directory with the long log is made once: what edits add to it is little. */
const logged = { files: files(1, kilobyte) };

/** The last of many changes: the first answer of a server, and the next ones. */
export const lastChanges = afterManyChanges(async ({ talk }) => {
  const ask = async (): Promise<number> => {
    const asked = performance.now();
    const answer = await talk.ask({ method: 'history', params: {} });
    const ms = performance.now() - asked;
    const { result } = JSON.parse(answer.toString()) as { readonly result: { readonly changes: readonly unknown[] } };
    if (result.changes.length !== pageLength) throw new Error(`not ${String(pageLength)} changes: ${String(answer)}`);
    return ms;
  };
  const first = await ask();
  const times: number[] = [];
  while (times.length < pageLength) times.push(await ask());
  return { first, p50: median(times) };
});

/** The first edit of a server, which learns from the log what every file was. */
export const firstEdit = afterManyChanges(async ({ talk, directory }) => {
  const change = { name: fileName(0), line: 1, from: '', to: `Edited at ${String(Date.now())}` };
  const asked = performance.now();
  await talk.ask(withHistory.edit(directory, [change]));
  return { first: performance.now() - asked };
});

/** By a server that has just been started where many changes are recorded. */
function afterManyChanges(measure: (talking: Talking) => Promise<Quantities>): Subject {
  const subject = talkSubject(withHistory, logged, measure);
  return {
    ...subject,
    observe: (bench) =>
      bench.directories.lend(logged, (directory) => {
        recordMany(directory);
        return subject.observe(bench);
      }),
  };
}

/** Write the log as a server does, but without making the changes. */
function recordMany(directory: string): void {
  if (existsSync(join(directory, reservedName, historyName))) return;
  const root = new Root(directory);
  root.refresh();
  const notices: Notice[] = [];
  const history = new History(root, new Reserved(root), { durability: 'none' });
  try {
    for (let made = 0; made < manyChanges; made += batch) {
      history.append(
        Array.from({ length: batch }, (_, index) => recordOf(made + index)),
        notices,
      );
    }
  } finally {
    history.close();
  }
}

/** An edit of a line; the files take turns. */
function recordOf(index: number): NewChange {
  const version = Math.floor(index / loggedPaths);
  const place = index % loggedPaths;
  const content = (number: number) => ({ hash: String(number).padStart(16, '0'), size: kilobyte });
  const entry = {
    path: `src/folder-${String(place % 100)}/${fileName(place)}`,
    kind: 'edited' as const,
    before: content(version),
    after: content(version + 1),
    put: [[480, 540, fileText(60)] as const],
    kept: `${'0'.repeat(16)}-${index.toString(36)}`,
  };
  return { caller: 'agent-7', operation: 'apply_changes', files: [entry] };
}

/** Megabytes on disk of the log and of what is kept, after edits of a file of 10 KB; and what copies would take. */
export function diskOfEdits(count: number): { own: Subject; copies: Subject } {
  const bytes = 10 * kilobyte;
  return {
    own: talkSubject(unsynced, { files: [bytes], writes: true }, async ({ talk, directory }) => {
      for (let made = 1; made <= count; made++) {
        const change = { name: fileName(0), line: 80, from: '', to: `Edit ${String(made)}` };
        await talk.ask(unsynced.edit(directory, [change]));
      }
      return { mb: bytesOnDisk(join(directory, reservedName, historyName)) / megabyte };
    }),
    copies: { name: 'a copy for each edit', observe: () => Promise.resolve({ mb: (count * bytes) / megabyte }) },
  };
}

function bytesOnDisk(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.reduce((sum, name) => sum + lstatSync(join(folder, name)).blocks * 512, 0);
}
