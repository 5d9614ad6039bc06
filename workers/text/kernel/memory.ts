/**
 * The memory of the kernel. Its size is fixed, so views stay valid and a worker thread never holds more. Static data
 * and the tables come first.
 */

/**
 * Bytes of text processed at a time, so that data read, checked, counted, hashed and escaped stays in the processor's
 * cache.
 */
export const CHUNK: usize = 65_536;
/** Bytes of the text kept in front of the chunk: one step of the hash, which is held back. */
export const MARGIN: usize = 64;
/** Start of the chunk. */
export const INPUT: usize = 65_536;
/** Start of its escaped form; vectors may be loaded from past the end of the chunk. */
export const OUTPUT: usize = INPUT + CHUNK + 64;
/** At most six bytes for each input byte; vectors may be stored past them. */
export const END: usize = OUTPUT + CHUNK * 6 + 64;

/** 256 words of 8 bytes: the form of each byte in a JSON string, with its length in the eighth byte. */
export const ESCAPES: usize = 32_768;
/** Three 4-byte counters: `\n`, `\r\n` and lone `\r`. */
export const COUNTS: usize = ESCAPES + 256 * 8;
/** The eight accumulators of the hash. */
export const SUMS: usize = COUNTS + 64;
