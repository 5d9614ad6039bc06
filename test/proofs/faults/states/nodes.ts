/** The nodes of a model, and the inode numbers that they have in the traced directory. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Disk, Node } from './effects.js';

export class Nodes {
  #made = 0;
  /** The numbers that are known, of nodes by their ids. */
  readonly numbers = new Map<string, number>();

  make(kind: Node['kind'], target?: string): Node {
    this.#made += 1;
    return { id: this.#made, kind, ...(target === undefined ? {} : { target }) };
  }

  /** A directory as it is now. */
  scan(directory: string): Disk {
    const entries = new Map<number, Map<string, Node>>();
    const bytes = new Map<number, Buffer>();
    const look = (path: string): Node => {
      const stats = lstatSync(path, { bigint: true });
      const kind = stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : 'link';
      const node = this.make(kind, kind === 'link' ? readlinkSync(path) : undefined);
      this.numbers.set(String(stats.ino), node.id);
      if (kind === 'file') bytes.set(node.id, readFileSync(path));
      if (kind === 'directory') {
        entries.set(node.id, new Map(readdirSync(path).map((name) => [name, look(join(path, name))])));
      }
      return node;
    };
    return { root: look(directory), entries, bytes };
  }

  /** Learn a number from a call that has shown it. */
  number(args: string, { id }: Node): void {
    const [, number] = /stx?_ino=(\d+)/.exec(args) ?? [];
    if (number !== undefined) this.numbers.set(number, id);
  }
}
