interface Entry<Item> {
  readonly item: Item;
  place: number;
}

/**
 * A set for tens of thousands of additions and removals a second. A Set keeps outgrowing its table; old tables keep
 * referring to their contents and to their successors, so a table in the old generation keeps everything after it alive
 * until the next full collection.
 */
export class Registry<Item> {
  private readonly entries: Entry<Item>[] = [];

  /** @returns a function that removes the item; call it once */
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

  get size(): number {
    return this.entries.length;
  }

  /** The current items, in no particular order. */
  items(): Item[] {
    return this.entries.map(({ item }) => item);
  }
}
