/** Memory that the threads share. */
export function sharedBytes(length: number): Buffer<SharedArrayBuffer> {
  const memory = new SharedArrayBuffer(length);
  countShared(memory);
  return Buffer.from(memory);
}

/**
 * The same, for where much is used at once. What glibc has allocated below something that is still used it keeps: after
 * half a minute of uploads that were broken off, 0.4 to 3 GB until the process ended. Memory that is mapped is the
 * system's again as soon as it is garbage; but that takes a full collection, where a minor one frees other memory.
 */
export function mappedBytes(length: number): Buffer<SharedArrayBuffer> {
  const memory = mappedMemory(length);
  if (memory === undefined) return sharedBytes(length);
  countShared(memory);
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

const counted = new WeakMap<SharedArrayBuffer, Buffer>();

/**
 * Shared memory can only be freed by collecting garbage, and V8 does not count it: where bodies are refused, and their
 * memory is not used again (lent-texts.ts), 60 of 10 MB in a row held 545 MB until something else made it collect; 30 of
 * 9 MB for a tool that does not exist held 194 MB instead of 65. So ordinary memory of the same size, which is counted,
 * is allocated beside it, twice; never written to, it takes no pages. What is garbage at once makes V8 look among the
 * young objects, where it finds most shared memory; what lives as long as the shared memory, among the old ones too. Only
 * in the thread that has made it: threads that are sent it would do so for each request, and what they allocate stays in
 * their heaps, 80 MB of them after some rounds of 4 MB.
 */
function countShared(memory: SharedArrayBuffer): void {
  Buffer.allocUnsafeSlow(memory.byteLength);
  counted.set(memory, Buffer.allocUnsafeSlow(memory.byteLength));
}

/** Whether these bytes are in memory that threads share instead of copying it. */
export function inSharedMemory<Bytes extends Uint8Array>(bytes: Bytes): bytes is Bytes & Uint8Array<SharedArrayBuffer> {
  return bytes.buffer instanceof SharedArrayBuffer;
}
