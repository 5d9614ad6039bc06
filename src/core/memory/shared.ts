import { collectPaced } from './free.js';

/**
 * Memory that the threads share. Only a collection frees it, and V8 does not count it: where bodies are refused, whose
 * memory is not used again (lent-texts.ts), 30 of 9 MB in a row held 194 MB until something else made V8 collect.
 */
export function sharedBytes(length: number): Buffer<SharedArrayBuffer> {
  collectPaced(length);
  return Buffer.from(new SharedArrayBuffer(length));
}

/**
 * The same, for where much is used at once. What glibc has allocated below something that is still used it keeps: after
 * half a minute of uploads that were broken off, 0.4 to 3 GB until the process ended. Memory that is mapped is the
 * system's again as soon as it is garbage; but that takes a full collection, where a minor one frees other memory.
 */
export function mappedBytes(length: number): Buffer<SharedArrayBuffer> {
  const memory = mappedMemory(length);
  if (memory === undefined) return sharedBytes(length);
  collectPaced(length);
  return Buffer.from(memory, 0, length);
}

/** Less than this is not worth a mapping of its own. */
const leastMapped = 1_048_576;
const pageBytes = 65_536;
/** Each of them takes 10 GB of addresses, of which V8 uses at most 1 TB. */
const mostMapped = 64;
let mapped = 0;
const freed = new FinalizationRegistry(() => {
  mapped--;
});

/** @returns undefined if it is too little, or if there is no room for it among the addresses of the process */
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

/** Whether these bytes are in memory that threads share instead of copying it. */
export function inSharedMemory<Bytes extends Uint8Array>(bytes: Bytes): bytes is Bytes & Uint8Array<SharedArrayBuffer> {
  return bytes.buffer instanceof SharedArrayBuffer;
}
