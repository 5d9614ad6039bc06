/** What a large body holds, judged by its brackets, commas and quotes alone (kernel/): 10 MB take 1 to 20 ms. */
import { createKernel, type Kernel } from './kernel.compiled.js';
import { stringEnd } from './json-string.js';
import { leastLargeText } from './large-text.js';

/**
 * How many values a larger body may hold, containers included, which bounds its depth as well. Measured with 10 MB of
 * the most expensive shapes (short distinct keys in one object): 64,000 take 25 to 40 ms from bytes to refusal. Keys of
 * 150 bytes each took 80, and on a slower machine 190, numbers of as many digits 60: for every 32 bytes of a key, a
 * number or a word, one value more is counted. The largest edit allowed has 4,000, a batch of 1,000 reads 6,000.
 */
export const maxValues = 64_000;

/** What is known of a body whose brackets and strings are closed. */
export interface Extent {
  readonly values: number;
  /** How many of those are counted for what is long. */
  readonly forLongOnes: number;
  /** Only if there are too many values. */
  readonly crowd: Crowd | undefined;
  readonly largeTexts: readonly Span[];
}

/** What an error tells of a body with too many values: where they are, and how to read the envelope around them. */
export interface Crowd {
  /**
   * Where the keys start that lead to the place at which the limit was passed (from the root, at most two; -1 is an
   * array).
   */
  readonly keys: readonly number[];
  /**
   * Where the parts of the body start and end, alternately, that must be left out to read the rest (outline.ts);
   * undefined if too much would be left.
   */
  readonly cuts: readonly number[] | undefined;
}

/** Of a string, including its quotes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A kernel, and views of its memory. */
interface Tools {
  readonly kernel: Kernel;
  readonly input: Buffer;
  readonly words: Uint32Array;
}

/** Made when the first large body comes: 1 ms and 0.2 MB. */
let tools: Tools | undefined;

function makeTools(): Tools {
  const kernel = createKernel();
  const { buffer } = kernel.memory;
  return { kernel, input: Buffer.from(buffer, kernel.INPUT.value, kernel.CHUNK.value), words: new Uint32Array(buffer) };
}

/**
 * Count the values by their commas and opening brackets; null if brackets or strings do not close.
 * @param names of members whose large strings are to be found
 * @param mostValues more are too many
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
 * The kernel has noted, for each of the upper levels of nesting, the parts of the body that lie deeper. The deepest level
 * that is not crowded itself is used: it leaves out as little as possible.
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

/** Of a large text, the kernel notes where its key starts, and where it starts and ends itself. */
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

/** In characters, of which each takes up to four bytes. */
const mostOfKey = 40;

/** A key as a part of a JSON pointer, as much of it as an error shows. @param start of its first quote */
export function keyAt(bytes: Buffer, start: number): string {
  // Negative for what is no valid string, which an error may show all the same.
  const end = Math.abs(stringEnd(bytes, start));
  const key = bytes.subarray(start + 1, Math.min(end, start + 1 + 4 * mostOfKey)).toString();
  return key.slice(0, mostOfKey).replaceAll('~', '~0').replaceAll('/', '~1');
}
