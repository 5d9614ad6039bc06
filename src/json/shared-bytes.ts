/**
 * Memory that the threads share. V8 does not count it: 60 creates of 10 MB one after the other held 545 MB until
 * something else had it collect garbage. Memory of the same size that is never written to takes no page, and is counted.
 */
export function sharedBytes(length: number): Buffer<SharedArrayBuffer> {
  countShared(length);
  return Buffer.from(new SharedArrayBuffer(length));
}

/** Shared memory has come to this thread, which can free it only when it collects garbage. */
export function countShared(length: number): void {
  Buffer.allocUnsafeSlow(length);
}

export function inSharedMemory<Bytes extends Uint8Array>(bytes: Bytes): bytes is Bytes & Uint8Array<SharedArrayBuffer> {
  return bytes.buffer instanceof SharedArrayBuffer;
}
