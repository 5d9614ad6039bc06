/**
 * Descriptors that are closed by threads of libuv. Node closes what a worker thread has open when it dies, but forgets what
 * was handed over, and libuv what it had not begun: so each is noted in memory that the main thread shares, which closes what
 * is left of a thread that has ended.
 */
import { close, closeSync, type BigIntStats } from 'node:fs';
import { threadId } from 'node:worker_threads';
import { fstat } from './disk/calls.js';

/** As many are on their way at once. */
const entries = 64;
/** Of an entry: its descriptor, the thread, and what tells the file from others that get its number later. */
const cells = 5;
export const closingBytes = entries * cells * BigInt64Array.BYTES_PER_ELEMENT;

/** In the place of a descriptor, which is counted from 1 there. */
const free = 0n;
const filling = -1n;

let shared: BigInt64Array | undefined;

/** From now on this thread notes here; without it, it is not one that others outlive. */
export function noteClosingIn(memory: SharedArrayBuffer): void {
  shared = new BigInt64Array(memory);
}

/**
 * Close a file in a thread of libuv.
 * @param done told how that ended
 * @returns false if there is no room to note another one: nothing was done
 */
export function closeMeanwhile(fd: number, stats: BigIntStats, done: (error: Error | null) => void): boolean {
  const entry = shared === undefined ? undefined : note(shared, fd, stats);
  if (shared !== undefined && entry === undefined) return false;
  close(fd, (error) => {
    if (shared !== undefined && entry !== undefined) Atomics.store(shared, entry, free);
    done(error);
  });
  return true;
}

/** Close what a thread of this id has left, of files that have no name any more. To be called when it has ended. */
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

/** A file that has a name may have been opened again, and this be the descriptor of that. */
function closeIfStill(fd: number, [dev, ino, mtimeNs]: readonly bigint[]): void {
  try {
    const now = fstat(fd);
    if (now.nlink === 0n && now.dev === dev && now.ino === ino && now.mtimeNs === mtimeNs) closeSync(fd);
  } catch {
    // It was closed after all; and a descriptor whose close fails is gone as well.
  }
}
