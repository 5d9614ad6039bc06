import { collectPaced } from './free.js';

/**
 * Memory shared by the threads. Only a collection frees it, and V8 does not account for it: refused bodies, whose
 * memory is not reused (lent-texts.ts), held 194 MB after 30 of 9 MB in a row until something else triggered a
 * collection.
 */
export function sharedBytes(length: number): Buffer<SharedArrayBuffer> {
  collectPaced(length);
  return Buffer.from(new SharedArrayBuffer(length));
}

/**
 * The same for large amounts. glibc keeps freed memory below a block that is still in use: after half a minute of
 * aborted uploads, 0.4 to 3 GB until the process ended. Mapped memory returns to the system as soon as it is collected,
 * but that takes a full collection; a minor one is enough for other memory.
 */
export function mappedBytes(length: number): Buffer<SharedArrayBuffer> {
  const memory = mappedMemory(length);
  if (memory === undefined) return sharedBytes(length);
  collectPaced(length);
  return Buffer.from(memory, 0, length);
}

/** Smaller blocks are not worth a mapping. */
const leastMapped = 1_048_576;
const pageBytes = 65_536;
/** Each mapping takes 10 GB of address space, of which V8 uses at most 1 TB. */
const mostMapped = 64;
let mapped = 0;
const freed = new FinalizationRegistry(() => {
  mapped--;
});

/** @returns undefined if the length is too small or the address space is exhausted */
function mappedMemory(length: number): SharedArrayBuffer | undefined {
  if (length < leastMapped || mapped >= mostMapped) return undefined;
  const pages = Math.ceil(length / pageBytes);
  try {
    const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    if (!(buffer instanceof SharedArrayBuffer)) return undefined;
    mapped++;
    freed.register(buffer, undefined);
    return buffer;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Whether these bytes are in shared memory, which is not copied between threads. */
export function inSharedMemory<Bytes extends Uint8Array>(bytes: Bytes): bytes is Bytes & Uint8Array<SharedArrayBuffer> {
  return bytes.buffer instanceof SharedArrayBuffer;
}
