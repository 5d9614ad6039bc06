/**
 * Memory for bodies. What has been used is used again: freed only by collecting garbage, it piled up faster than that.
 * Clients that left in the middle of bodies of 4 MB one after the other took 3 GB in 30 s, most of which the allocator
 * kept for good; six rounds of 8 clients that each replaced 4 MB left 250 MB.
 */
import { inSharedMemory, mappedBytes, sharedBytes } from './shared.js';

/** Larger bodies are in memory that threads share: a large text fits into them (json/large-text.ts). */
export const leastShared = 262_144;
/** Nothing is kept beyond so many bytes, those of bodies on their way included. */
const mostKept = 256 * 1024 * 1024;
/** From so many lent bytes on, new memory is mapped. */
const much = 32 * 1024 * 1024;
/** A body holds at most so many times the memory that it fills. */
const mostWaste = 2;
/** What nobody has used for so long is garbage. */
const keptMs = 8_000;

/** Shared memory that nothing refers to any more. */
interface Spare {
  readonly bytes: Buffer;
  /** When it was given back, as performance.now() counts. */
  readonly since: number;
}

/**
 * Smallest first. The larger of two is kept, since it serves both: what is used again takes no more memory than before.
 * Of two of one length, that which was used last comes first, so that the others grow old.
 */
const spare: Spare[] = [];
let spareBytes = 0;
let lentBytes = 0;
let forgetting: NodeJS.Timeout | undefined;
const own = new WeakSet<ArrayBufferLike>();

/**
 * @param length in bytes; what is returned may be longer, and hold anything
 * @returns shared memory if a large text fits into it
 */
export function takeBodyMemory(length: number): Buffer {
  if (length <= leastShared) return Buffer.allocUnsafeSlow(length);
  // Much larger memory only where much is kept: its pages are in use already, and new ones would be more.
  const most = lentBytes + spareBytes < much ? mostWaste * length : Infinity;
  const taken = takeSpare(length, most) ?? (lentBytes < much ? sharedBytes(length) : mappedBytes(length));
  own.add(taken.buffer);
  lentBytes += taken.length;
  return taken;
}

/**
 * The first `length` bytes of what `takeBodyMemory` has returned, for good. They are moved if they would keep much more
 * memory than they fill: an edit that waits for its file may hold them for as long as its time-out allows.
 */
export function keepBody(bytes: Buffer, length: number): Buffer {
  if (!inSharedMemory(bytes)) return bytes.subarray(0, length);
  if (bytes.length <= mostWaste * length) {
    lentBytes -= bytes.length;
    return bytes.subarray(0, length);
  }
  const kept =
    length <= leastShared
      ? Buffer.allocUnsafeSlow(length)
      : (takeSpare(length, mostWaste * length) ?? sharedBytes(length));
  own.add(kept.buffer);
  bytes.copy(kept, 0, 0, length);
  giveBodyMemory(bytes);
  return kept.subarray(0, length);
}

/** Give back what `takeBodyMemory` has returned; nothing may refer to it. */
export function giveBodyMemory(bytes: Buffer): void {
  if (!inSharedMemory(bytes)) return;
  lentBytes -= bytes.length;
  keepSpare(bytes);
}

/** As giveBodyMemory, for the memory of what `keepBody` has returned. */
export function giveKeptMemory(memory: SharedArrayBuffer): void {
  if (own.has(memory)) keepSpare(Buffer.from(memory));
}

/** @returns the smallest that has so many bytes, if it has no more than `most` */
function takeSpare(length: number, most: number): Buffer | undefined {
  const index = spare.findIndex(({ bytes }) => bytes.length >= length);
  const found = spare[index]?.bytes;
  if (found === undefined || found.length > most) return undefined;
  spare.splice(index, 1);
  spareBytes -= found.length;
  return found;
}

function keepSpare(bytes: Buffer): void {
  while (lentBytes + spareBytes + bytes.length > mostKept) {
    const [smallest] = spare;
    if (smallest === undefined || smallest.bytes.length >= bytes.length) return;
    spare.shift();
    spareBytes -= smallest.bytes.length;
  }
  const place = spare.findIndex((each) => each.bytes.length >= bytes.length);
  spare.splice(place === -1 ? spare.length : place, 0, { bytes, since: performance.now() });
  spareBytes += bytes.length;
  forgetLater(keptMs);
}

function forgetLater(ms: number): void {
  forgetting ??= setTimeout(() => {
    forgetting = undefined;
    const now = performance.now();
    const young = spare.filter(({ since }) => now - since < keptMs);
    spare.splice(0, spare.length, ...young);
    spareBytes = young.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const oldest = Math.min(...young.map(({ since }) => since));
    if (young.length > 0) forgetLater(oldest + keptMs - now);
  }, ms).unref();
}
