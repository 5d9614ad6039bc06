import { textMemory } from '../text/text-memory.js';
import { Pattern, type PatternText } from './pattern.js';

/** Of a buffer that is kept: new memory takes longer to touch than a file to be read. */
const mostKept = 10_485_760;

/**
 * What a search leaves in its thread for the next one, which is often another part of the same call: the pattern, whose
 * automaton has learned to be quick, and the memory that files are read into. A search that finds them in use makes its
 * own.
 */
export class KeptBetweenSearches {
  #pattern: { readonly key: string; readonly pattern: Pattern } | undefined;
  #buffer: Buffer = Buffer.alloc(0);

  /** @throws OperationError invalid_params */
  takePattern(wanted: PatternText): Pattern {
    const spare = this.#pattern;
    if (spare?.key !== keyOf(wanted)) return new Pattern(wanted);
    this.#pattern = undefined;
    return spare.pattern;
  }

  givePattern(wanted: PatternText, pattern: Pattern): void {
    this.#pattern = { key: keyOf(wanted), pattern };
  }

  /** It may be empty. */
  takeBuffer(): Buffer {
    const buffer = this.#buffer;
    this.#buffer = Buffer.alloc(0);
    return buffer;
  }

  /** @param buffer must not be used any more */
  giveBuffer(buffer: Buffer): void {
    const isKept = buffer.length <= mostKept && buffer.length > this.#buffer.length;
    textMemory.free([isKept ? this.#buffer : buffer]);
    if (isKept) this.#buffer = buffer;
  }

  clear(): void {
    this.#pattern = undefined;
    textMemory.free([this.takeBuffer()]);
  }
}

function keyOf({ pattern, literal, ignoreCase }: PatternText): string {
  return `${String(literal)} ${String(ignoreCase)} ${pattern}`;
}
