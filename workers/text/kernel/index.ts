/** The SIMD kernel: UTF-8 text to JSON, its lines, its hash. Compiled to WebAssembly; workers/text/kernel.ts uses it. */
import { fillEscapes } from './escape';
import { END } from './memory';

export { escape } from './escape';
export { addToHash, finishHash, startHash } from './hash';
export { CHUNK, COUNTS, INPUT, MARGIN, OUTPUT } from './memory';
export { count, skip } from './separators';

memory.grow(i32((END + 0xffff) >>> 16) - memory.size());
fillEscapes();
