/**
 * Tracks file descriptors that libuv's threads are closing. When a worker thread dies, Node closes the thread's
 * descriptors except those already handed to libuv, and libuv drops requests that it has not started. So each such
 * descriptor is recorded in memory shared with the main thread, which closes what a dead thread has left.
 */
import { close, closeSync, fstatSync, type BigIntStats } from 'node:fs';
import { isMainThread, threadId } from 'node:worker_threads';

/** Most closes in flight. */
const entries = 64;
/** Per entry: descriptor, thread id, and the file's identity, since the number may be reused for another file. */
const cells = 5;
export const closingBytes = entries * cells * BigInt64Array.BYTES_PER_ELEMENT;

/** Marks an entry without a descriptor; descriptors are stored plus one. */
const free = 0n;
const filling = -1n;

let shared: BigInt64Array | undefined;

/** Sets where this thread records its descriptors. */
export function noteClosingIn(memory: SharedArrayBuffer): void {
  shared = new BigInt64Array(memory);
}

/**
 * Close a file in a libuv thread.
 * @param stats of an unlinked file, which cannot be opened again under the same descriptor number
 * @param done called with the result of the close
 * @returns false, with nothing done, if a worker thread finds no free entry
 */
export function closeMeanwhile(fd: number, stats: BigIntStats, done: (error: Error | null) => void): boolean {
  const all = shared;
  const entry = all && note(all, fd, stats);
  if (entry === undefined && !isMainThread) return false;
  close(fd, (error) => {
    if (all !== undefined && entry !== undefined) Atomics.store(all, entry, free);
    done(error);
  });
  return true;
}

/** Close the descriptors left by a thread that has ended. */
export function closeLeft(memory: SharedArrayBuffer, ended: number): void {
  const all = new BigInt64Array(memory);
  for (let entry = 0; entry < all.length; entry += cells) {
    const [fd = free, thread, ...file] = all.subarray(entry, entry + cells);
    if (fd <= free || thread !== BigInt(ended)) continue;
    closeIfStill(Number(fd) - 1, file);
    Atomics.store(all, entry, free);
  }
}

function note(all: BigInt64Array, fd: number, { dev, ino, mtimeNs }: BigIntStats): number | undefined {
  for (let entry = 0; entry < all.length; entry += cells) {
    if (Atomics.compareExchange(all, entry, free, filling) !== free) continue;
    all.set([BigInt(threadId), dev, ino, mtimeNs], entry + 1);
    Atomics.store(all, entry, BigInt(fd) + 1n);
    return entry;
  }
  return undefined;
}

function closeIfStill(fd: number, [dev, ino, mtimeNs]: readonly bigint[]): void {
  try {
    const now = fstatSync(fd, { bigint: true });
    if (now.nlink === 0n && now.dev === dev && now.ino === ino && now.mtimeNs === mtimeNs) closeSync(fd);
  } catch {
    // Closed in the meantime. A descriptor whose close fails is gone as well.
  }
}
