/**
 * Memory for bodies. What has been used is used again: freed only by collecting garbage, it piled up faster than that.
 * Clients that left in the middle of bodies of 4 MB one after the other took 3 GB in 30 s, most of which the allocator
 * kept for good; six rounds of 8 clients that each replaced 4 MB left 250 MB, and that each made a file of 4 MB 127 instead of 38 to 48.
 */
import { idleMs } from './held.js';
import { inSharedMemory, mappedBytes, sharedBytes } from './shared.js';

/** Larger bodies are in memory that threads share: a large text fits into them (json/large-text.ts). */
export const leastShared = 262_144;
/** Nothing is kept beyond so many bytes, those in use included. */
const mostKept = 256 * 1024 * 1024;
/** Beyond so many bytes, those in use included, what is too small makes way for new memory. */
const makesWay = 64 * 1024 * 1024;
/** From so many bytes in use on, new memory is mapped. */
const much = 32 * 1024 * 1024;
/** A body holds at most so many times the memory that it fills. */
const mostWaste = 2;

/** Memory that nothing refers to any more. */
interface Spare {
  readonly memory: SharedArrayBuffer;
  /** When it was given back, as performance.now() counts. */
  readonly since: number;
}

/**
 * Smallest first. The larger of two is kept, since it serves both: what is used again takes no more memory than before.
 * Of two of one length, that which was used last comes first, so that the others grow old.
 */
const spare: Spare[] = [];
let spareBytes = 0;
/** Taken and not given back: of bodies on their way, and of calls. */
const inUse = new WeakSet<ArrayBufferLike>();
let usedBytes = 0;
/** What is never given back is in use until it is collected. */
const collected = new FinalizationRegistry<number>((bytes) => {
  usedBytes -= bytes;
});
let forgetting: NodeJS.Timeout | undefined;

/**
 * @param length in bytes; what is returned may be longer, and hold anything
 * @returns shared memory if a large text fits into it
 */
export function takeBodyMemory(length: number): Buffer {
  // Much larger memory only where much is kept: its pages are in use already, and new ones would be more.
  return take(length, usedBytes + spareBytes < much ? mostWaste * length : Infinity);
}

/**
 * The first `length` bytes of what `takeBodyMemory` has returned. They are moved if they would keep much more memory
 * than they fill: an edit that waits for its file may hold them for as long as its time-out allows.
 */
export function keepBody(bytes: Buffer, length: number): Buffer {
  if (!inSharedMemory(bytes) || bytes.length <= mostWaste * length) return bytes.subarray(0, length);
  const kept = take(length, mostWaste * length);
  bytes.copy(kept, 0, 0, length);
  giveBodyMemory(bytes.buffer);
  return kept.subarray(0, length);
}

/** Give back the memory of what was returned from here, if it is shared; nothing may refer to it. */
export function giveBodyMemory(memory: ArrayBufferLike): void {
  if (!(memory instanceof SharedArrayBuffer) || !inUse.delete(memory)) return;
  collected.unregister(memory);
  usedBytes -= memory.byteLength;
  while (usedBytes + spareBytes + memory.byteLength > mostKept) {
    if ((spare[0]?.memory.byteLength ?? Infinity) >= memory.byteLength) return;
    dropSmallest();
  }
  const place = spare.findIndex((each) => each.memory.byteLength >= memory.byteLength);
  spare.splice(place === -1 ? spare.length : place, 0, { memory, since: performance.now() });
  spareBytes += memory.byteLength;
  forgetLater(idleMs);
}

/** The server is idle: nothing is kept for the next body. */
export function forgetBodies(): void {
  spare.length = 0;
  spareBytes = 0;
}

/** @param most how long it may be, unless it is new */
function take(length: number, most: number): Buffer {
  if (length <= leastShared) return Buffer.allocUnsafeSlow(length);
  const memory = takeSpare(length, most) ?? newMemory(length);
  inUse.add(memory);
  usedBytes += memory.byteLength;
  collected.register(memory, memory.byteLength, memory);
  return Buffer.from(memory);
}

/** @returns the smallest that has so many bytes, if it has no more than `most` */
function takeSpare(length: number, most: number): SharedArrayBuffer | undefined {
  const index = spare.findIndex(({ memory }) => memory.byteLength >= length);
  const found = spare[index]?.memory;
  if (found === undefined || found.byteLength > most) return undefined;
  spare.splice(index, 1);
  spareBytes -= found.byteLength;
  return found;
}

/** In the place of memory that is too small, if there would be much: bodies that grew took 720 MB instead of 540. */
function newMemory(length: number): SharedArrayBuffer {
  while (spare.length > 0 && usedBytes + spareBytes + length > makesWay) dropSmallest();
  return (usedBytes < much ? sharedBytes(length) : mappedBytes(length)).buffer;
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
