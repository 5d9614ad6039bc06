import { placeIn, type Anchor } from '../../disk/paths/anchor.js';
import type { Place } from '../../disk/paths/open-file.js';
import { openReal } from '../../disk/paths/parent.js';

/** Limit on directories held open at once, however many a record names: a synced one takes two descriptors. */
const mostOpen = 16;

/** The directories of changes of several files, each opened from its parent without following links. */
export class Directories {
  /** By path, least recently used first. */
  readonly #open = new Map<string, Anchor>();
  readonly #used = new Set<string>();

  /** @param root the working directory, held open by the owner */
  constructor(private readonly root: { readonly anchor: Anchor }) {}

  /**
   * The place of a path below the working directory. Only the last few places can be used.
   * @returns undefined if its directory is missing or has been replaced
   * @throws the system error of a shortage, and any other that says nothing about the directory
   */
  placeOf(path: string): Place | undefined {
    const names = path.split('/');
    const name = names.pop() ?? '';
    const parent = names.join('/');
    const directory = this.#openParent(parent, names);
    return directory === undefined ? undefined : placeIn(directory, parent, name);
  }

  /** The directories of all places requested so far, in batches. */
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

  /** Opens from the parent if that is open: thousands of directories may be nested. */
  #openFrom(names: readonly string[]): Anchor | undefined {
    const above = names.length === 0 ? undefined : this.#open.get(names.slice(0, -1).join('/'));
    if (above === undefined) return openReal(this.root, names) ?? undefined;
    return openReal({ anchor: above }, names.slice(-1)) ?? undefined;
  }
}
