import type { Source } from './chunks.js';
import { leastScattered, sourceOfParts, type PartCursor, type ScatteredText, type Text } from './scattered-text.js';
import { spareTexts } from './spare-memory.js';

class JoinedText implements ScatteredText {
  readonly #parts: readonly Buffer[];
  #own: readonly Buffer[];

  constructor(
    parts: readonly Buffer[],
    readonly length: number,
    own: readonly Buffer[],
  ) {
    this.#parts = parts;
    this.#own = own;
  }

  source(): Source {
    return sourceOfParts(new WholeParts(this.#parts));
  }

  release(): void {
    spareTexts.giveTexts(this.#own);
    this.#own = [];
  }
}

class WholeParts implements PartCursor {
  source: Buffer = Buffer.alloc(0);
  readonly start = 0;
  end = 0;
  readonly #rest: Iterator<Buffer, undefined>;

  constructor(parts: readonly Buffer[]) {
    this.#rest = parts.values();
  }

  next(): boolean {
    const { value } = this.#rest.next();
    if (value === undefined) return false;
    this.source = value;
    this.end = value.length;
    return true;
  }
}

/**
 * All of these, one behind the other. They are not copied if they are large together.
 * @param own those of the parts, or what they lie in, that nobody else looks at
 */
export function join(parts: readonly Buffer[], own: readonly Buffer[] = []): Text {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length >= leastScattered) return new JoinedText(parts, length, own);
  const text = spareTexts.concat(parts);
  spareTexts.giveTexts(own);
  return text;
}
