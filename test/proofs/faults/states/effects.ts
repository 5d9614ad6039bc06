/** What system calls do to a file system, as far as a loss of power may take it away again. */

/** A file, a directory or a link, by whatever names. */
export interface Node {
  readonly id: number;
  readonly kind: 'file' | 'directory' | 'link';
  /** Of a link. */
  readonly target?: string;
}

interface Name {
  readonly directory: Node;
  readonly name: string;
}

export type Effect =
  /** A name is given to a node, or is removed. On disk once its directory has been synced. */
  | ({ readonly kind: 'entry'; readonly node: Node | undefined } & Name)
  /** One effect, on disk once the directory of the new name has been synced. */
  | { readonly kind: 'rename'; readonly node: Node; readonly from: Name; readonly to: Name }
  /** Bytes of a file. On disk once the file has been synced, which says nothing of its names. */
  | { readonly kind: 'bytes'; readonly node: Node; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'length'; readonly node: Node; readonly length: number };

/** In the order in which they happened. */
export type Moment =
  | { readonly effect: Effect }
  /** The sync of a file or a directory has ended, of which so many effects had happened when it began. */
  | { readonly synced: Node; readonly covered: number }
  /** So many calls have been answered. */
  | { readonly answered: number };

/** A tree of files that is on disk. */
export interface Disk {
  readonly root: Node;
  /** By the ids of directories. */
  readonly entries: ReadonlyMap<number, ReadonlyMap<string, Node>>;
  /** By the ids of files. */
  readonly bytes: ReadonlyMap<number, Buffer>;
}

export interface Timeline {
  readonly before: Disk;
  readonly moments: readonly Moment[];
}

/** Whether the sync of a node puts an effect on disk. */
export function isSyncedWith(effect: Effect, { id }: Node): boolean {
  switch (effect.kind) {
    case 'entry':
      return effect.directory.id === id;
    case 'rename':
      return effect.to.directory.id === id;
    case 'bytes':
    case 'length':
      return effect.node.id === id;
  }
}

/** A copy of the entries of a disk, to which effects can be applied. */
export class Entries {
  readonly #of = new Map<number, Map<string, Node>>();

  constructor(entries: Disk['entries']) {
    for (const [id, names] of entries) this.#of.set(id, new Map(names));
  }

  in({ id }: Node): Map<string, Node> {
    const names = this.#of.get(id) ?? new Map<string, Node>();
    this.#of.set(id, names);
    return names;
  }

  /** Other effects than those of entries do nothing. */
  apply(effect: Effect): void {
    if (effect.kind === 'entry') {
      const names = this.in(effect.directory);
      if (effect.node === undefined) names.delete(effect.name);
      else names.set(effect.name, effect.node);
    } else if (effect.kind === 'rename') {
      const { node, from, to } = effect;
      const names = this.in(from.directory);
      if (names.get(from.name) === node) names.delete(from.name);
      this.in(to.directory).set(to.name, node);
    }
  }

  get all(): ReadonlyMap<number, ReadonlyMap<string, Node>> {
    return this.#of;
  }
}

/** The bytes of a file after an effect. */
export function bytesAfter(bytes: Buffer, effect: Effect): Buffer {
  if (effect.kind === 'length') {
    return Buffer.concat([bytes.subarray(0, effect.length), Buffer.alloc(Math.max(0, effect.length - bytes.length))]);
  }
  if (effect.kind !== 'bytes') return bytes;
  const { at, bytes: written } = effect;
  const after = Buffer.alloc(Math.max(bytes.length, at + written.length));
  bytes.copy(after);
  written.copy(after, at);
  return after;
}
