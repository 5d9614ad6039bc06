/**
 * The memory of the kernel: fixed, so that views of it stay good and a worker thread never holds more. Below lie the
 * static data and the tables.
 */

/** Bytes of text that are worked on at once: what is read, checked, counted, hashed and escaped stays in the cache. */
export const CHUNK: usize = 65_536;
/** Bytes of the text before the chunk that are kept in front of it: one step of the hash, which is held back. */
export const MARGIN: usize = 64;
/** Where a chunk begins. */
export const INPUT: usize = 65_536;
/** Where its escaped form is written; vectors may be loaded from behind the chunk. */
export const OUTPUT: usize = INPUT + CHUNK + 64;
/** Six bytes for one at the most; vectors may be stored behind them. */
export const END: usize = OUTPUT + CHUNK * 6 + 64;

/** 256 words of 8 bytes: what a byte is in a JSON string, and in the eighth the length of that. */
export const ESCAPES: usize = 32_768;
/** Three numbers of 4 bytes: `\n`, `\r\n` and lone `\r` so far. */
export const COUNTS: usize = ESCAPES + 256 * 8;
/** The eight sums of the hash. */
export const SUMS: usize = COUNTS + 64;
