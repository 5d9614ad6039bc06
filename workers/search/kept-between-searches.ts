import { textMemory } from '../text/text-memory.js';
import { Pattern, type PatternText } from './pattern.js';

/** Largest buffer kept, in bytes: touching new memory takes longer than reading a file. */
const mostKept = 10_485_760;

/**
 * What a search keeps in its thread for the next one, often another part of the same call: the pattern with its
 * warmed-up automaton, and the memory for files. A search that finds them in use makes its own.
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
