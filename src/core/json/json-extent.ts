/** Measures a large body by its brackets, commas and quotes alone (kernel/): 10 MB take 1 to 20 ms. */
import { createKernel, type Kernel } from './kernel.compiled.js';
import { stringEnd } from './json-string.js';
import { leastLargeText } from './large-text.js';

/**
 * Limit of values in a large body, containers included, which also bounds its depth. Measured with 10 MB of the most
 * expensive shapes (short distinct keys in one object): 64,000 take 25 to 40 ms from bytes to refusal. With keys of 150
 * bytes each they took 80 ms, and 190 on a slower machine; with numbers of as many digits, 60. Hence every 32 bytes of
 * a key, number or word count as one more value. The largest valid edit has 5,000, a batch of 1,000 reads 6,000.
 */
export const maxValues = 64_000;

/** Measurements of a body whose brackets and strings are balanced. */
export interface Extent {
  readonly values: number;
  /** How many of these values are the surcharge for long keys, numbers and words. */
  readonly forLongOnes: number;
  /** Set only if there are too many values. */
  readonly crowd: Crowd | undefined;
  readonly largeTexts: readonly Span[];
}

/**
 * A body with too many values is refused, but its id and its method are still parsed for the answer. This says in which
 * container the limit was exceeded, and what to leave out of the parse.
 */
export interface Crowd {
  /** The path from the root to that container: the offset of each key, -1 for an array; at most its first two steps. */
  readonly keys: readonly number[];
  /**
   * The ranges to leave out (outline.ts): a start, its end, the next start, and so on; undefined if too much would be
   * left.
   */
  readonly cuts: readonly number[] | undefined;
}

/** Offsets of a string, quotes included. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A kernel and views of its memory. */
interface Tools {
  readonly kernel: Kernel;
  readonly input: Buffer;
  readonly words: Uint32Array;
}

/** Created for the first large body: 1 ms and 0.2 MB. */
let tools: Tools | undefined;

function makeTools(): Tools {
  const kernel = createKernel();
  const { buffer } = kernel.memory;
  return { kernel, input: Buffer.from(buffer, kernel.INPUT.value, kernel.CHUNK.value), words: new Uint32Array(buffer) };
}

/**
 * Count values by commas and opening brackets; null if brackets or strings are not balanced.
 * @param names members whose large strings to locate
 * @param mostValues limit above which the body is crowded
 */
export function measure(bytes: Buffer, names: ReadonlySet<string>, mostValues = maxValues): Extent | null {
  tools ??= makeTools();
  const { kernel, input } = tools;
  kernel.begin(mostValues, leastLargeText);
  for (let at = 0; at < bytes.length; at += input.length) {
    const length = bytes.copy(input, 0, at);
    if (kernel.scan(length) === 0) return null;
  }
  if (kernel.isComplete() === 0) return null;
  const forLongOnes = kernel.longOnes.value;
  const values = kernel.values.value + forLongOnes;
  const crowd = values > mostValues ? crowdOf(tools) : undefined;
  return { values, forLongOnes, crowd, largeTexts: largeTexts(tools, bytes, names) };
}

/**
 * Leaving out everything below some nesting level makes a body small enough to parse. While it counts, the kernel notes
 * the ranges below each of the first LEVELS levels (its cuts). The deepest level that has few enough values itself
 * leaves out the least.
 */
function crowdOf({ kernel, words }: Tools): Crowd {
  const { crowdedDepth, crowdedFirst, crowdedSecond } = kernel;
  const keys = [crowdedFirst.value, crowdedSecond.value].slice(0, Math.max(crowdedDepth.value - 1, 0));
  for (let level = kernel.LEVELS.value; level > 0; level--) {
    if (kernel.isCrowded(level) === 1) continue;
    const first = kernel.CUTS.value / Uint32Array.BYTES_PER_ELEMENT + level * kernel.MOST_CUTS.value;
    return { keys, cuts: [...words.subarray(first, first + kernel.cuts(level))] };
  }
  return { keys, cuts: undefined };
}

/** The kernel records three offsets per large text: start of its key, start, end. */
const wordsOfText = 3;

function largeTexts({ kernel, words }: Tools, bytes: Buffer, names: ReadonlySet<string>): Span[] {
  const spans: Span[] = [];
  for (let text = 0; text < kernel.texts.value; text++) {
    const entry = kernel.TEXTS.value / Uint32Array.BYTES_PER_ELEMENT + text * wordsOfText;
    const [key = 0, start = 0, end = 0] = words.subarray(entry, entry + wordsOfText);
    if (names.has(keyAt(bytes, key))) spans.push({ start, end });
  }
  return spans;
}

/** In characters of up to four bytes. */
const mostOfKey = 40;

/** A key as a JSON pointer step, truncated for an error. @param start offset of its opening quote */
export function keyAt(bytes: Buffer, start: number): string {
  // Negative for an invalid string, which an error may still show.
  const end = Math.abs(stringEnd(bytes, start));
  const key = bytes.subarray(start + 1, Math.min(end, start + 1 + 4 * mostOfKey)).toString();
  return key.slice(0, mostOfKey).replaceAll('~', '~0').replaceAll('/', '~1');
}
