import { mostLeftOut, type LeftOut, type Skipped } from '../../src/core/search-part.js';

/** Files that a search should have covered but left out: how many, and the first ones. */
export class NotSearched {
  readonly counts: Record<Skipped, number> = { binary: 0, too_large: 0, unreadable: 0 };
  readonly first: LeftOut[] = [];

  add(path: string, why: Skipped): void {
    this.counts[why] += 1;
    if (this.first.length < mostLeftOut) this.first.push({ path, why });
  }
}
