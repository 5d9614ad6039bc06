/** The memory of the kernel. Its size is fixed, so that views stay valid. */

/** Bytes looked at once. */
export const CHUNK: usize = 65_536;
/** Where a chunk begins, behind static data; vectors may be loaded from beyond its end. */
export const INPUT: usize = 4_096;

/** How deep outlines go. */
export const LEVELS: u32 = 3;
/** How many cuts of a level are kept. */
export const MOST_CUTS: u32 = 4_096;
/** For each level: where each container below it starts and ends, alternately, in 4 bytes each. */
export const CUTS: usize = INPUT + CHUNK + 64;

/** How many large texts are kept. */
export const MOST_TEXTS: u32 = 1_024;
/** Of each large text: where its key and it itself start, and where it ends, in 4 bytes each. */
export const TEXTS: usize = CUTS + usize(LEVELS + 1) * usize(MOST_CUTS) * 4;
export const END: usize = TEXTS + usize(MOST_TEXTS) * 12;
