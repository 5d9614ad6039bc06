/**
 * The SIMD kernel: turns UTF-8 text into JSON, finds its lines and pairs of bytes, and hashes it. It is compiled to
 * WebAssembly, and used by workers/text/kernel.ts.
 */
import { fillEscapes } from './escape';
import { END } from './memory';

export { escape } from './escape';
export { addToHash, finishHash, startHash } from './hash';
export { CHUNK, COUNTS, INPUT, MARGIN, OUTPUT } from './memory';
export { pairs } from './pairs';
export { count, skip } from './separators';

memory.grow(i32((END + 0xffff) >>> 16) - memory.size());
fillEscapes();
