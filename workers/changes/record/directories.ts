import { lstat } from '../../disk/calls.js';
import { placeIn, type Anchor } from '../../disk/paths/anchor.js';
import type { Place } from '../../disk/paths/open-file.js';
import { openReal } from '../../disk/paths/parent.js';
import { isSameEntry, type Move } from './record.js';

/** Limit on directories held open at once, however many a record names: a synced one takes two descriptors. */
const mostOpen = 16;

/** The directories of changes of several files, each opened from its parent without following links. */
export class Directories {
  /** By path, least recently used first. */
  readonly #open = new Map<string, Anchor>();
  readonly #used = new Set<string>();

  /**
   * @param root the working directory, held open by the owner
   * @param moves of directories: a path in one leads to where that is now
   */
  constructor(
    private readonly root: { readonly anchor: Anchor },
    private readonly moves: readonly Move[],
  ) {}

  /**
   * The place of a path below the working directory. Only the last few places can be used.
   * @returns undefined if its directory is missing or has been replaced
   * @throws the system error of a shortage, and any other that says nothing about the directory
   */
  placeOf(path: string, moves = this.moves): Place | undefined {
    const [parent, name] = split(path);
    const directory = this.#openAt(parent, moves);
    return directory === undefined ? undefined : placeIn(directory, parent, name);
  }

  /** The directories of all places requested so far, in batches. */
  *inBatches(): Generator<readonly Anchor[]> {
    const paths = [...this.#used];
    for (let start = 0; start < paths.length; start += mostOpen) {
      const batch = paths.slice(start, start + mostOpen);
      const opened = batch.map((path) => this.#openAt(path));
      yield opened.filter((each) => each !== undefined);
    }
  }

  close(): void {
    for (const each of this.#open.values()) each.close();
    this.#open.clear();
  }

  #openAt(path: string, moves = this.moves): Anchor | undefined {
    const now = this.#whereNow(path, moves);
    const directory = this.#open.get(now) ?? this.#openFrom(now === '' ? [] : now.split('/'));
    if (directory === undefined) return undefined;
    this.#open.delete(now);
    this.#open.set(now, directory);
    this.#used.add(path);
    const [oldest] = this.#open;
    if (this.#open.size > mostOpen && oldest !== undefined) {
      oldest[1].close();
      this.#open.delete(oldest[0]);
    }
    return directory;
  }

  /** Where a directory of this path is, now that it or one above it may have been moved. */
  #whereNow(path: string, moves: readonly Move[]): string {
    for (const move of moves) {
      if (path !== move.path && !path.startsWith(`${move.path}/`)) continue;
      const others = moves.filter((each) => each !== move);
      const place = this.placeOf(move.to, others);
      if (place === undefined || !isSameEntry(move.entry, lstat(place.path))) continue;
      return this.#whereNow(move.to + path.slice(move.path.length), others);
    }
    return path;
  }

  /** Opens from the parent if that is open: thousands of directories may be nested. */
  #openFrom(names: readonly string[]): Anchor | undefined {
    const above = names.length === 0 ? undefined : this.#open.get(names.slice(0, -1).join('/'));
    if (above === undefined) return openReal(this.root, names) ?? undefined;
    return openReal({ anchor: above }, names.slice(-1)) ?? undefined;
  }
}

/** The parent of a path, '' for the working directory; and its name. */
function split(path: string): [string, string] {
  const end = path.lastIndexOf('/');
  return [path.slice(0, Math.max(0, end)), path.slice(end + 1)];
}
