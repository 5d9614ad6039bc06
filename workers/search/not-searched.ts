import { mostLeftOut, type LeftOut, type Skipped } from '../../src/core/search-part.js';

/** What a search leaves out though it was asked for: how much, and the first of it. */
export class NotSearched {
  readonly counts: Record<Skipped, number> = { binary: 0, too_large: 0, unreadable: 0 };
  readonly first: LeftOut[] = [];

  add(path: string, why: Skipped): void {
    this.counts[why] += 1;
    if (this.first.length < mostLeftOut) this.first.push({ path, why });
  }
}
