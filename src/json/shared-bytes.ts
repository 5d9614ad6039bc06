/**
 * Memory that the threads share. V8 does not count it: 60 creates of 10 MB in a row held 545 MB until something else
 * made it collect garbage. So ordinary memory of the same size, which is counted, is allocated beside it: never written
 * to, it takes no pages.
 */
export function sharedBytes(length: number): Buffer<SharedArrayBuffer> {
  countShared(length);
  return Buffer.from(new SharedArrayBuffer(length));
}

/** Call it when shared memory has come to this thread, which can free it only by collecting garbage. */
export function countShared(length: number): void {
  Buffer.allocUnsafeSlow(length);
}

/** Whether these bytes are in memory that threads share instead of copying it. */
export function inSharedMemory<Bytes extends Uint8Array>(bytes: Bytes): bytes is Bytes & Uint8Array<SharedArrayBuffer> {
  return bytes.buffer instanceof SharedArrayBuffer;
}
