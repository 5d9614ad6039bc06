import type { Place } from './open-file.js';
import { Anchor } from './anchor.js';
import type { Root } from './root.js';

/** A directory at or below the root, held open. */
export class Directory {
  private constructor(
    readonly anchor: Anchor,
    /** Its real path below the root; '' is the root. */
    readonly relative: string,
  ) {}

  /** Held like any other: it may be given up as the root while an operation still has something to remove in it. */
  static root({ anchor }: Root): Directory {
    anchor.hold();
    return new Directory(anchor, '');
  }

  /** @throws the system error, as Anchor.open */
  static open(path: string, relative: string): Directory {
    return new Directory(Anchor.open(path), relative);
  }

  /** Where a name in it is. */
  place(name: string): Place {
    const { base } = this.anchor;
    return { relative: this.relativeOf(name), path: this.anchor.path(name), directory: base, parent: this.relative };
  }

  relativeOf(name: string): string {
    return this.relative === '' ? name : `${this.relative}/${name}`;
  }

  close(): void {
    this.anchor.close();
  }
}
