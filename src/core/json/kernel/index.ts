/** Measures a large JSON body. Compiled to WebAssembly for src/core/json/json-extent.ts. */
import { END } from './memory';

export { begin, crowdedDepth, crowdedFirst, crowdedSecond, isComplete, longOnes, scan, texts, values } from './extent';
export { CHUNK, CUTS, INPUT, LEVELS, MOST_CUTS, TEXTS } from './memory';
export { cuts, isCrowded } from './outline';

memory.grow(i32((END + 0xffff) >>> 16) - memory.size());
