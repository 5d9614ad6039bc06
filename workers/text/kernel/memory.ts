/**
 * The memory of the kernel. Its size is fixed, so that views stay valid and a worker thread never holds more. Static
 * data and the tables come first.
 */

/**
 * Bytes of text worked on at once, so that what is read, checked, counted, hashed and escaped stays in the processor's
 * cache.
 */
export const CHUNK: usize = 65_536;
/** Bytes of the text kept in front of the chunk: one step of the hash, which is held back. */
export const MARGIN: usize = 64;
/** Where a chunk begins. */
export const INPUT: usize = 65_536;
/** Where its escaped form goes; vectors may be loaded from beyond the end of the chunk. */
export const OUTPUT: usize = INPUT + CHUNK + 64;
/** At most six bytes for each one; vectors may be stored beyond them. */
export const END: usize = OUTPUT + CHUNK * 6 + 64;

/** 256 words of 8 bytes: how each byte is written in a JSON string, with the length of that in the eighth byte. */
export const ESCAPES: usize = 32_768;
/** Three 4-byte counters: `\n`, `\r\n` and lone `\r`. */
export const COUNTS: usize = ESCAPES + 256 * 8;
/** The eight accumulators of the hash. */
export const SUMS: usize = COUNTS + 64;
