import type { Anchor } from '../disk/paths/anchor.js';
import { nameInLine, parseLine, type RecordedChange, type FileEntry } from './recorded-change.js';
import { bytesOf, linesIn, linesOf, segmentsIn, type Segment } from './segments.js';

/**
 * So many paths are looked up one at a time in the older part of the log; then all of it is learned. After 100,000
 * changes, the first edit takes 32 ms, and took 400 when all was learned at once
 * (`npm run bench -- --only="first edit"`).
 */
const mostLookups = 16;

/** What the records say of each path that they name: this shows whether others have changed it since. */
export class KnownFiles {
  /** The hash of its bytes; null if nothing is there, undefined if nobody knows. */
  readonly #hashes = new Map<string, string | null | undefined>();
  #lookups = 0;

  /** @param from where the part of the log begins that has been learned; what is older is looked up */
  constructor(
    private readonly directory: Anchor,
    private from: number,
  ) {}

  /** Learn what a change has left, in the order of the log. */
  learn({ files }: Pick<RecordedChange, 'files'>): void {
    for (const { path, new_path, kind, after, directory } of files) {
      if (directory === true && new_path !== undefined) this.#move(`${path}/`, `${new_path}/`);
      else if (kind === 'deleted') this.#hashes.set(path, null);
      else if (after !== undefined) this.#hashes.set(new_path ?? path, after.hash);
      // Of links and directories nothing is known.
      else this.#hashes.set(new_path ?? path, undefined);
      if (new_path !== undefined) this.#hashes.set(path, null);
    }
  }

  /** The files of a record, which also say whether they were not what the record before had left. */
  compared(files: readonly FileEntry[]): FileEntry[] {
    return files.map((entry) => {
      const { path, before, directory, link } = entry;
      if (!this.#hashes.has(path) && this.from > 0) this.#lookUp(path);
      const known = this.#hashes.get(path);
      const isAsLeft = known === undefined || known === (before?.hash ?? null);
      return isAsLeft || directory === true || link !== undefined ? entry : { ...entry, changed_outside: true };
    });
  }

  /** Find out what the older part of the log says of a path. */
  #lookUp(path: string): void {
    this.#lookups += 1;
    const name = Buffer.concat([nameInLine(path), Buffer.from('"')]);
    for (const segment of this.#older().toReversed()) {
      const bytes = bytesOf(this.directory, segment);
      // A directory that was moved has taken its files along.
      if (this.#lookups > mostLookups || bytes.includes('"directory":true')) {
        this.#learnOlder();
        return;
      }
      if (!bytes.includes(name)) continue;
      const line = [...linesIn(bytes, segment.start)].findLast((each) => each.bytes.includes(name));
      const change = line && parseLine(line);
      if (change === undefined) continue;
      this.#hashes.set(path, leftAt(change, path));
      return;
    }
    this.#hashes.set(path, undefined);
  }

  #older(): Segment[] {
    return segmentsIn(this.directory).filter(({ start }) => start < this.from);
  }

  #learnOlder(): void {
    const newer = [...this.#hashes];
    const older = this.#older();
    this.from = 0;
    this.#hashes.clear();
    for (const segment of older) {
      for (const line of linesOf(this.directory, segment)) {
        const change = parseLine(line);
        if (change !== undefined) this.learn(change);
      }
    }
    for (const [path, hash] of newer) this.#hashes.set(path, hash);
  }

  #move(from: string, to: string): void {
    if (this.from > 0) this.#learnOlder();
    for (const [path, hash] of [...this.#hashes]) {
      if (!path.startsWith(from)) continue;
      this.#hashes.delete(path);
      this.#hashes.set(to + path.slice(from.length), hash);
    }
  }
}

function leftAt({ files }: RecordedChange, path: string): string | null | undefined {
  const entry = files.findLast((each) => each.path === path || each.new_path === path);
  return entry === undefined || entry.kind === 'deleted' || (entry.new_path ?? path) !== path
    ? null
    : entry.after?.hash;
}
