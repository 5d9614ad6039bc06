interface Entry<Item> {
  readonly item: Item;
  place: number;
}

/**
 * Things that come and go by the ten thousand a second. A Set outgrows its table with every few of them; the old tables go
 * on to refer to what was in them and to their successors, so that one that has become old keeps all alive that
 * comes after it, until the next collection of everything.
 */
export class Registry<Item> {
  private readonly entries: Entry<Item>[] = [];

  /** @returns to be called once, when it goes */
  add(item: Item): () => void {
    const entry = { item, place: this.entries.length };
    this.entries.push(entry);
    return () => {
      const last = this.entries.pop();
      if (last === undefined || last === entry) return;
      last.place = entry.place;
      this.entries[entry.place] = last;
    };
  }

  /** Those that are there, in no order. */
  items(): Item[] {
    return this.entries.map(({ item }) => item);
  }
}
