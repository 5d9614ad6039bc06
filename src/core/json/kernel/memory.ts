/** Memory layout of the kernel. The size is fixed, so views stay valid. */

/** Bytes scanned per call. */
export const CHUNK: usize = 65_536;
/** Start of the chunk, after static data; vector loads may run past its end. */
export const INPUT: usize = 4_096;

/** Depth of outlines. */
export const LEVELS: u32 = 3;
/** Most cuts kept per level. */
export const MOST_CUTS: u32 = 4_096;
/** Per level: start and end offsets of the containers below it, alternately, 4 bytes each. */
export const CUTS: usize = INPUT + CHUNK + 64;

/** Most large texts kept. */
export const MOST_TEXTS: u32 = 1_024;
/** Per large text: offsets of its key, its start and its end, 4 bytes each. */
export const TEXTS: usize = CUTS + usize(LEVELS + 1) * usize(MOST_CUTS) * 4;
export const END: usize = TEXTS + usize(MOST_TEXTS) * 12;
