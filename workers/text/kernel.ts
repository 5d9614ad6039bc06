/**
 * Named access to the SIMD kernel in kernel/. It processes one text at a time, with one chunk in its memory: begin a
 * text, put a chunk into `input`, process it, keep its margin, put in the next one. `Chunks` does this for all callers
 * (chunks.ts). No await may come between these steps: other code could overwrite the kernel's memory with another text.
 */
import { createKernel } from './kernel.compiled.js';
import { CR, LF, type SeparatorCounts } from './separators.js';

const kernel = createKernel();

/** In bytes. All chunks of a text are this long, except the last one. */
export const chunkSize = kernel.CHUNK.value;
/** Bytes before the chunk that the kernel reads. */
export const marginSize = kernel.MARGIN.value;

const { buffer } = kernel.memory;
/** Memory for a chunk. Only `Chunks` uses it; others get the bytes from there. */
export const input = Buffer.from(buffer, kernel.INPUT.value, chunkSize);
/** The end of the previous chunk. */
export const margin = Buffer.from(buffer, kernel.INPUT.value - marginSize, marginSize);
/** Both in one view. */
export const marginAndInput = Buffer.from(buffer, margin.byteOffset, marginSize + chunkSize);
/** Output of `escapeChunk` and `pairsInChunk`. */
export const output = Buffer.from(buffer, kernel.OUTPUT.value, 6 * chunkSize);
const counts = new Uint32Array(buffer, kernel.COUNTS.value, 3);

/** Nothing precedes the first chunk. */
export function beginText(): void {
  margin[marginSize - 1] = 0;
}

/** Keep the end of this chunk before the next one is put into `input`. Only a full chunk can have a successor. */
export function keepMargin(): void {
  marginAndInput.copyWithin(0, chunkSize);
}

/**
 * Write the bytes from `start` to `end` to `output` as the inside of a JSON string: as JSON.stringify does, except that
 * every line separator becomes `\n`, including `\r\n` and `\r` (spec 4). The `\n` of a `\r\n` produces no output, even
 * if the `\r` lies before `start` or in the margin. U+2028 and U+2029 are escaped; one that a full chunk splits is
 * written with the next chunk.
 *
 * @returns the length of the output
 */
export const escapeChunk = kernel.escape;

/** Set `separatorCounts` to zero, before the first chunk of a text. */
export function beginCounts(): void {
  counts.fill(0);
}

/**
 * Count the line separators in the first `length` bytes of the chunk. A `\r\n` counts at its `\r`.
 *
 * @returns their number, which is also added to `separatorCounts`
 */
export function countChunk(length: number): number {
  return kernel.count(0, length);
}

/** @returns the end of the `wanted`th separator from `start`, counted in the same way, or `end` if there are fewer */
export const skipSeparators = kernel.skip;

/** A byte to find, and a mask of bits to ignore, which are set in the byte. */
export interface MaskedByte {
  readonly byte: number;
  readonly mask: number;
}

/**
 * Find two bytes, one `distance` after the other, in the first `chunkSize` bytes of a text, which become the chunk:
 * 0.15 ms for 1 MB.
 *
 * @returns the offsets of the first ones
 */
export function pairsIn(text: Buffer, first: MaskedByte, second: MaskedByte, distance: number): Uint32Array {
  const length = text.copy(input);
  const count = kernel.pairs(length, first.byte, first.mask, second.byte, second.mask, distance);
  return new Uint32Array(buffer, output.byteOffset, count).slice();
}

/** Do work that begins another text, and put this one's chunk back. */
export function keepingChunk<Result>(work: () => Result): Result {
  const kept = Buffer.from(marginAndInput);
  const result = work();
  kept.copy(marginAndInput);
  return result;
}

/** Counts since `beginCounts`. */
export function separatorCounts(): SeparatorCounts {
  const [lf = 0, crlf = 0, cr = 0] = counts;
  return { '\n': lf, '\r\n': crlf, '\r': cr };
}

export const beginHash = kernel.startHash;

/** Add the first `length` bytes of the chunk to the hash. */
export const hashChunk = kernel.addToHash;

/**
 * The hash of the text: XXH3 in its canonical form, 16 hexadecimal digits.
 * @param length of the last chunk
 */
export function hashOfText(length: number): string {
  return BigInt.asUintN(64, kernel.finishHash(length)).toString(16).padStart(16, '0');
}

/** Runs over a chunk until the engine's optimized code for the loops is final. */
const warmUps = 16;

/**
 * Trigger optimization of the loops that every edit runs, in the background. Otherwise the engine would optimize in the
 * middle of a large text, and its compiler would use 0.8 MB of that request's allowance (spec 6).
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

/** Whether the byte before `offset` in the chunk ends a line. */
export function isBehindSeparator(offset: number): boolean {
  const byte = marginAndInput[marginSize + offset - 1];
  return byte === LF || byte === CR;
}
