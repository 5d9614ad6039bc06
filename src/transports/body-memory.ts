/**
 * Memory for bodies. That of uploads which were broken off is used again: freed only by collecting garbage, it piled up
 * faster than that when clients left in the middle of bodies of 4 MB one after the other, to 3 GB in 30 s, most of
 * which the allocator kept for good.
 */
import { inSharedMemory, mappedBytes, sharedBytes } from '../json/shared-bytes.js';
import { leastLargeText } from '../json/large-text.js';

/** Nothing is kept beyond so many bytes, those of bodies on their way included. */
const mostKept = 256 * 1024 * 1024;
/** From so many lent bytes on, new memory is mapped. */
const much = 32 * 1024 * 1024;
/** They are kept for this long. */
const keptMs = 8_000;

/**
 * Shared memory that nothing refers to any more, smallest first. The larger of two is kept, since it serves both: what
 * is used again takes no more memory than before.
 */
const spare: Buffer[] = [];
let spareBytes = 0;
let lentBytes = 0;
let forgetting: NodeJS.Timeout | undefined;

/**
 * @param length in bytes; what is returned may be longer, and hold anything
 * @returns shared memory if a large text fits into it: the threads get that from here
 */
export function takeBodyMemory(length: number): Buffer {
  if (length <= leastLargeText) return Buffer.allocUnsafeSlow(length);
  const index = spare.findIndex((each) => each.length >= length);
  const taken = spare[index] ?? (lentBytes < much ? sharedBytes(length) : mappedBytes(length));
  if (index !== -1) {
    spare.splice(index, 1);
    spareBytes -= taken.length;
  }
  lentBytes += taken.length;
  return taken;
}

/**
 * The first `length` bytes of what `takeBodyMemory` has returned, for good. They are moved if they would keep much more
 * memory than they fill: an edit that waits for its file may hold them for as long as its time-out allows.
 */
export function keepBody(bytes: Buffer, length: number): Buffer {
  if (!inSharedMemory(bytes)) return bytes.subarray(0, length);
  if (bytes.length <= 2 * length) {
    lentBytes -= bytes.length;
    return bytes.subarray(0, length);
  }
  const own = length <= leastLargeText ? Buffer.allocUnsafeSlow(length) : sharedBytes(length);
  bytes.copy(own, 0, 0, length);
  giveBodyMemory(bytes);
  return own;
}

/** Give back what `takeBodyMemory` has returned; nothing may refer to it. */
export function giveBodyMemory(bytes: Buffer): void {
  if (!inSharedMemory(bytes)) return;
  lentBytes -= bytes.length;
  while (lentBytes + spareBytes + bytes.length > mostKept) {
    const [smallest] = spare;
    if (smallest === undefined || smallest.length >= bytes.length) return;
    spare.shift();
    spareBytes -= smallest.length;
  }
  const place = spare.findIndex((each) => each.length > bytes.length);
  spare.splice(place === -1 ? spare.length : place, 0, bytes);
  spareBytes += bytes.length;
  forgetting ??= setTimeout(() => {
    forgetting = undefined;
    spare.length = 0;
    spareBytes = 0;
  }, keptMs).unref();
}
