/** The changes that the commits of a git repository made to its files, as reported by `git log` and `git cat-file`. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** One change of one file by one commit. Lines are git's: they end at `\n` only. */
export interface FileChange {
  readonly commit: string;
  /** As git writes it, which is quoted for odd names. */
  readonly path: string;
  /** Ids of the blobs; null where there was or is no file. */
  readonly before: string | null;
  readonly after: string | null;
  /** Not a link and not a submodule. */
  readonly regular: boolean;
  readonly hunks: readonly Hunk[];
}

/** Lines from `start`, 1-based; after line `start` if `count` is 0. */
export interface Hunk {
  readonly old: { readonly start: number; readonly count: number };
  readonly new: { readonly start: number; readonly count: number };
}

/** Why the history of this directory cannot be read; undefined if it can. */
export function missingHistory(repository: string): string | undefined {
  try {
    git(repository, 'rev-parse', '--verify', 'HEAD');
    const prefix = git(repository, 'rev-parse', '--show-prefix').trim();
    return prefix === '' ? undefined : `${repository} is only a part of a git repository`;
  } catch {
    return `${repository} has no git history`;
  }
}

/** Whether older commits are missing; the oldest available one then counts as the first. */
export function isShallow(repository: string): boolean {
  return git(repository, 'rev-parse', '--is-shallow-repository').trim() === 'true';
}

function git(repository: string, ...args: string[]): string {
  return execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Plain hunks without context, regardless of the user's configuration. */
const logFlags =
  '--reverse --topo-order --no-merges --format=%x00%H --patch --unified=0 --inter-hunk-context=0 --full-index --text ' +
  '--no-prefix --no-renames --no-color --no-ext-diff --no-textconv --no-show-signature --submodule=short';

/** Every change of every commit that is not a merge, oldest first. @throws if git fails */
export async function changesOf(repository: string): Promise<FileChange[]> {
  const log = spawn('git', ['-C', repository, '-c', 'log.showRoot=true', 'log', ...logFlags.split(' '), 'HEAD'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended: Promise<unknown[]> = once(log, 'close');
  const changes: { -readonly [Key in keyof FileChange]: FileChange[Key] }[] = [];
  let hunks: Hunk[] = [];
  let commit = '';
  // Hunk lines may look like headers, so they are counted.
  let body = 0;
  for await (const line of linesOf(log.stdout)) {
    const change = changes.at(-1);
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    const ids = /^index ([0-9a-f]+)\.\.([0-9a-f]+)(?: (\d+))?$/.exec(line);
    if (body > 0) {
      if (!line.startsWith('\\')) body--;
    } else if (line.startsWith('\0')) {
      commit = line.slice(1);
    } else if (line.startsWith('diff --git ')) {
      const both = line.slice('diff --git '.length);
      const path = both.slice(0, (both.length - 1) / 2);
      changes.push({ commit, path, before: null, after: null, regular: true, hunks: (hunks = []) });
    } else if (change !== undefined && ids !== null) {
      change.before = blobId(ids[1]);
      change.after = blobId(ids[2]);
      if (ids[3] !== undefined) change.regular &&= isRegular(ids[3]);
    } else if (change !== undefined && /^(new file|deleted file|old|new) mode /.test(line)) {
      change.regular &&= isRegular(line.slice(line.lastIndexOf(' ') + 1));
    } else if (hunk !== null) {
      const [start = 0, count = 1, newStart = 0, newCount = 1] = hunk
        .slice(1)
        .map((number: string | undefined) => (number === undefined ? undefined : Number(number)));
      hunks.push({ old: { start, count }, new: { start: newStart, count: newCount } });
      body = count + newCount;
    }
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`git log ended with ${String(code)}`);
  return changes;
}

const isRegular = (mode: string): boolean => mode.startsWith('100');
const blobId = (id: string | undefined): string | null => (id === undefined || /^0+$/.test(id) ? null : id);

/** Lines as latin1, to preserve any byte. readline would split a line at `\r`. */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  stream.setEncoding('latin1');
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** The contents of a repository's blobs. */
export interface Blobs {
  /** The bytes of this blob. Calls may overlap. */
  read(id: string): Promise<Buffer>;
  close(): void;
}

export function openBlobs(repository: string): Blobs {
  const reader = spawn('git', ['-C', repository, 'cat-file', '--batch'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting: ((bytes: Buffer) => void)[] = [];
  let chunks: Buffer[] = [];
  let held = 0;
  // Length of the incoming answer, including its header and final newline; 0 until known.
  let expected = 0;
  reader.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    held += chunk.length;
    while (held > 0 && held >= expected) {
      const all = Buffer.concat(chunks, held);
      chunks = [all];
      const header = all.indexOf('\n') + 1;
      if (header === 0) return;
      expected = header + Number(/ (\d+)\n$/.exec(all.toString('latin1', 0, header))?.[1]) + 1;
      if (Number.isNaN(expected)) throw new Error(`git cat-file: ${all.toString('latin1', 0, header)}`);
      if (held < expected) return;
      waiting.shift()?.(Buffer.from(all.subarray(header, expected - 1)));
      chunks = [all.subarray(expected)];
      held -= expected;
      expected = 0;
    }
  });
  return {
    read: (id) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        reader.stdin.write(`${id}\n`);
      }),
    close: () => reader.stdin.end(),
  };
}
