interface Entry<Item> {
  readonly item: Item;
  place: number;
}

/**
 * A set for items that come and go by the ten thousand a second. A Set outgrows its table again and again; the old
 * tables keep referring to their contents and to their successors, so that one that has reached the old generation
 * keeps alive everything that comes after it, until the next full collection.
 */
export class Registry<Item> {
  private readonly entries: Entry<Item>[] = [];

  /** @returns a function to call once, when the item goes */
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

  /** The current items, in no particular order. */
  items(): Item[] {
    return this.entries.map(({ item }) => item);
  }
}
