/**
 * The SIMD kernel in kernel/ by its names. It works on one text at a time, a chunk of it in memory of its own: begin
 * a text, put a chunk into `input`, do with it what is wanted, keep its end, put in the next. Nothing of this
 * may wait: whoever ran in between would find, and leave, another text there.
 */
import { kernel } from './kernel.compiled.js';
import { CR, LF, type SeparatorCounts } from './separators.js';

/** Bytes. Every chunk of a text has so many, but for the last one. */
export const chunkSize = kernel.CHUNK.value;
/** Bytes of the text before the chunk that the kernel looks at. */
export const marginSize = kernel.MARGIN.value;

const { buffer } = kernel.memory;
/** Where a chunk is put. */
export const input = Buffer.from(buffer, kernel.INPUT.value, chunkSize);
/** What is in front of the chunk. */
export const margin = Buffer.from(buffer, kernel.INPUT.value - marginSize, marginSize);
/** Both of them. */
export const marginAndInput = Buffer.from(buffer, margin.byteOffset, marginSize + chunkSize);
/** Where `escapeChunk` writes. */
export const output = Buffer.from(buffer, kernel.OUTPUT.value, 6 * chunkSize);
const counts = new Uint32Array(buffer, kernel.COUNTS.value, 3);

/** Nothing is in front of the first chunk. */
export function beginText(): void {
  margin[marginSize - 1] = 0;
}

/** Before the next chunk is put into `input`: what is looked at of this one. Only a full one has a next. */
export function keepMargin(): void {
  marginAndInput.copyWithin(0, chunkSize);
}

/**
 * Write the bytes from `start` to `end` to `output` as the inside of a JSON string: the same as JSON.stringify, but
 * every separator of lines becomes `\n`, also `\r\n` and `\r` (contract 4). The second half of a `\r\n` is nothing, also
 * where the first one is not among the bytes, or in the margin.
 *
 * @returns the length of what was written
 */
export const escapeChunk = kernel.escape;

export function beginCounts(): void {
  counts.fill(0);
}

/**
 * Count the separators of lines in the first `length` bytes of the chunk. A `\r\n` counts where its `\r` is.
 *
 * @returns how many they are; they are added to `separatorCounts`
 */
export function countChunk(length: number): number {
  return kernel.count(0, length);
}

/** @returns where the `wanted`th separator from `start` on ends, counted in the same way, or `end` if there are fewer */
export const skipSeparators = kernel.skip;

/** Since `beginCounts`. */
export function separatorCounts(): SeparatorCounts {
  const [lf = 0, crlf = 0, cr = 0] = counts;
  return { '\n': lf, '\r\n': crlf, '\r': cr };
}

export const beginHash = kernel.startHash;

/** Add the first `length` bytes of the chunk to the hash. */
export const hashChunk = kernel.addToHash;

/**
 * The hash of the text, XXH3 in its canonical form: 16 hexadecimal digits.
 * @param length of the last chunk
 */
export function hashOfText(length: number): string {
  return BigInt.asUintN(64, kernel.finishHash(length)).toString(16).padStart(16, '0');
}

/** Of the chunk, so often that the engine compiles the loops over it for good. */
const warmUps = 16;

/**
 * Have the loops that every edit runs compiled for good, in the background: in a large text the engine would do so in
 * the middle, and its compiler take 0.8 MB of what the request may (contract 6).
 */
export function warmUp(): void {
  beginText();
  for (let pass = 0; pass < warmUps; pass++) {
    beginCounts();
    countChunk(chunkSize);
    beginHash();
    hashChunk(chunkSize);
  }
}

/** Whether the byte before `offset` of the chunk is one that ends a line. */
export function isBehindSeparator(offset: number): boolean {
  const byte = marginAndInput[marginSize + offset - 1];
  return byte === LF || byte === CR;
}
