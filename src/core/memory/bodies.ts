/**
 * Pool of memory for bodies. Left to the garbage collector, it piled up faster than it was freed. Clients that each
 * aborted a body of 4 MB, one after the other, took 3 GB in 30 s, most of which the allocator kept permanently; six
 * rounds of 8 clients that each replaced 4 MB left 250 MB, and six rounds that each created a file of 4 MB left 127
 * instead of 38 to 48.
 */
import { idleMs } from './held.js';
import { inSharedMemory, mappedBytes, sharedBytes } from './shared.js';

/** Larger bodies, which can hold a large text (json/large-text.ts), are in shared memory. */
export const leastShared = 262_144;
// Three limits in bytes, in growing order, of all memory from here: in use and spare together.
/** Up to here, spare buffers wait for bodies of about their size. Once this much is in use, new memory is mapped. */
const fewBytes = 32 * 1024 * 1024;
/** Beyond this, spare buffers that are too small make way for a new one. */
const manyBytes = 64 * 1024 * 1024;
/** Beyond this, nothing is kept for later. */
const mostBytes = 256 * 1024 * 1024;
/** A body may hold at most this many times the memory that it fills. */
const mostWaste = 2;

/** Memory without references, ready for reuse. */
interface Spare {
  readonly memory: SharedArrayBuffer;
  /** When it was given back, by performance.now(). */
  readonly since: number;
}

/**
 * Smallest first. If not all can be kept, the larger ones are: they serve small bodies too, and their pages are already
 * resident. Among equal lengths the last used comes first, so that the others age.
 */
const spare: Spare[] = [];
let spareBytes = 0;
/** Taken and not given back, by bodies in transit and by calls. */
const inUse = new WeakSet<ArrayBufferLike>();
let usedBytes = 0;
/** Memory that is never given back counts as in use until it is collected. */
const collected = new FinalizationRegistry<number>((bytes) => {
  usedBytes -= bytes;
});
let forgetting: NodeJS.Timeout | undefined;

/**
 * @param length in bytes; the result may be longer and is not cleared
 * @returns shared memory if it can hold a large text
 */
export function takeBodyMemory(length: number): Buffer {
  // A buffer that is far too large is taken only when there are many bytes: new pages would add to its resident ones.
  return take(length, usedBytes + spareBytes < fewBytes ? mostWaste * length : Infinity);
}

/**
 * The first `length` bytes of memory from `takeBodyMemory`. They are moved if they would retain much more memory than
 * they fill: an edit that waits for its file may hold them until its time-out.
 */
export function keepBody(bytes: Buffer, length: number): Buffer {
  if (!inSharedMemory(bytes) || bytes.length <= mostWaste * length) return bytes.subarray(0, length);
  const kept = take(length, mostWaste * length);
  bytes.copy(kept, 0, 0, length);
  giveBodyMemory(bytes.buffer);
  return kept.subarray(0, length);
}

/** Return memory to the pool if it is shared. Nothing may refer to it any more. */
export function giveBodyMemory(memory: ArrayBufferLike): void {
  if (!(memory instanceof SharedArrayBuffer) || !inUse.delete(memory)) return;
  collected.unregister(memory);
  usedBytes -= memory.byteLength;
  while (usedBytes + spareBytes + memory.byteLength > mostBytes) {
    if ((spare[0]?.memory.byteLength ?? Infinity) >= memory.byteLength) return;
    dropSmallest();
  }
  const place = spare.findIndex((each) => each.memory.byteLength >= memory.byteLength);
  spare.splice(place === -1 ? spare.length : place, 0, { memory, since: performance.now() });
  spareBytes += memory.byteLength;
  forgetLater(idleMs);
}

/** The server is idle: drop the pool. */
export function forgetBodies(): void {
  spare.length = 0;
  spareBytes = 0;
}

/** @param most longest buffer to reuse */
function take(length: number, most: number): Buffer {
  if (length <= leastShared) return Buffer.allocUnsafeSlow(length);
  const memory = takeSpare(length, most) ?? newMemory(length);
  inUse.add(memory);
  usedBytes += memory.byteLength;
  collected.register(memory, memory.byteLength, memory);
  return Buffer.from(memory);
}

/** @returns the smallest spare buffer of at least `length` bytes, if it has at most `most` */
function takeSpare(length: number, most: number): SharedArrayBuffer | undefined {
  const index = spare.findIndex(({ memory }) => memory.byteLength >= length);
  const found = spare[index]?.memory;
  if (found === undefined || found.byteLength > most) return undefined;
  spare.splice(index, 1);
  spareBytes -= found.byteLength;
  return found;
}

/**
 * Replaces buffers that are too small once much memory is pooled: otherwise growing bodies took 720 MB instead of 540.
 */
function newMemory(length: number): SharedArrayBuffer {
  while (spare.length > 0 && usedBytes + spareBytes + length > manyBytes) dropSmallest();
  return (usedBytes < fewBytes ? sharedBytes(length) : mappedBytes(length)).buffer;
}

function dropSmallest(): void {
  const smallest = spare.shift();
  if (smallest === undefined) return;
  spareBytes -= smallest.memory.byteLength;
}

function forgetLater(ms: number): void {
  forgetting ??= setTimeout(() => {
    forgetting = undefined;
    const now = performance.now();
    const young = spare.filter(({ since }) => now - since < idleMs);
    spare.splice(0, spare.length, ...young);
    spareBytes = young.reduce((sum, { memory }) => sum + memory.byteLength, 0);
    if (young.length > 0) forgetLater(Math.min(...young.map(({ since }) => since)) + idleMs - now);
  }, ms).unref();
}
