/**
 * What a body that holds too much begins with: its first levels, with `{}` or `[]` in place of each container below
 * them. So a front knows the id and the method of such a request, and which tool was called.
 */

/** How many values an outline may have; an envelope has a handful. */
const mostValues = 1_000;
/** The message, its `params`, and what is in there besides `arguments`. */
const deepest = 3;
const openObject = 0x7b;

/** The outlines of a body, each a level deeper than the one before, found while its brackets are counted. */
export class Outlines {
  readonly #levels = Array.from({ length: deepest }, (_, index) => new Level(index + 1));

  /** @param depth how many containers are open, here and below */
  comma(depth: number): void {
    if (depth <= deepest) for (const level of this.#levels) level.comma(depth);
  }

  /** @param depth before it was opened */
  open(at: number, depth: number): void {
    if (depth > 0 && depth <= deepest) this.#levels[depth - 1]?.open(at);
  }

  /** @param depth after it was closed */
  close(at: number, depth: number): void {
    if (depth > 0 && depth <= deepest) this.#levels[depth - 1]?.close(at);
  }

  /** The value of the deepest outline that is not crowded; undefined if all are, or if it is not JSON. */
  value(bytes: Buffer): unknown {
    return this.#levels.findLast(({ isCrowded }) => !isCrowded)?.value(bytes);
  }
}

/** The outline down to one level. */
class Level {
  /** Where each container below it starts and ends, alternately. */
  readonly #cuts: number[] = [];
  #values = 1;

  constructor(readonly level: number) {}

  get isCrowded(): boolean {
    return this.#values > mostValues;
  }

  comma(depth: number): void {
    if (depth <= this.level) this.#values++;
  }

  open(at: number): void {
    if (!this.isCrowded) this.#cuts.push(at);
  }

  close(at: number): void {
    if (this.#cuts.length % 2 === 1) this.#cuts.push(at + 1);
  }

  value(bytes: Buffer): unknown {
    const cuts = this.#cuts;
    let text = '';
    for (let index = 0; index <= cuts.length; index += 2) {
      const from = cuts[index - 1];
      const to = cuts[index];
      text += bytes.toString('utf8', from ?? 0, to ?? bytes.length);
      if (to !== undefined) text += bytes[to] === openObject ? '{}' : '[]';
    }
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }
}
