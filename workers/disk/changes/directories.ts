import { placeIn, type Anchor } from '../paths/anchor.js';
import type { Place } from '../paths/open-file.js';
import { openReal } from '../paths/parent.js';

/** Held open at the same time, however many directories a record names: each takes two descriptors if it is synced. */
const mostOpen = 16;

/** The directories that changes of several files are made in, each opened from the one above it, no link followed. */
export class Directories {
  /** By path; the one that was used last comes last. */
  readonly #open = new Map<string, Anchor>();
  readonly #used = new Set<string>();

  /** @param root the working directory, held open by the owner */
  constructor(private readonly root: { readonly anchor: Anchor }) {}

  /**
   * The place of a path below the working directory. Only the last few places can be used.
   * @returns undefined if its directory is not there, or something else has taken its place
   * @throws the system error of a shortage, and any other that says nothing about the directory
   */
  placeOf(path: string): Place | undefined {
    const names = path.split('/');
    const name = names.pop() ?? '';
    const parent = names.join('/');
    const directory = this.#openParent(parent, names);
    return directory === undefined ? undefined : placeIn(directory, parent, name);
  }

  /** All directories of the places that were asked for, some at a time. */
  *inBatches(): Generator<readonly Anchor[]> {
    const paths = [...this.#used];
    for (let start = 0; start < paths.length; start += mostOpen) {
      const batch = paths.slice(start, start + mostOpen);
      const opened = batch.map((path) => this.#openParent(path, path === '' ? [] : path.split('/')));
      yield opened.filter((each) => each !== undefined);
    }
  }

  close(): void {
    for (const each of this.#open.values()) each.close();
    this.#open.clear();
  }

  #openParent(path: string, names: readonly string[]): Anchor | undefined {
    const directory = this.#open.get(path) ?? this.#openFrom(names);
    if (directory === undefined) return undefined;
    this.#open.delete(path);
    this.#open.set(path, directory);
    this.#used.add(path);
    const [oldest] = this.#open;
    if (this.#open.size > mostOpen && oldest !== undefined) {
      oldest[1].close();
      this.#open.delete(oldest[0]);
    }
    return directory;
  }

  /** Of two thousand directories in one another, each is opened from the one above it. */
  #openFrom(names: readonly string[]): Anchor | undefined {
    const above = names.length === 0 ? undefined : this.#open.get(names.slice(0, -1).join('/'));
    if (above === undefined) return openReal(this.root, names) ?? undefined;
    return openReal({ anchor: above }, names.slice(-1)) ?? undefined;
  }
}
