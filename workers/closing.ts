/**
 * Descriptors that are closed by threads of libuv. Node closes what a worker thread has open when it dies, but forgets what
 * was handed over, and libuv what it had not begun: so each is noted in memory that the main thread shares, which closes what
 * is left of a thread that has ended.
 */
import { close, closeSync, type BigIntStats } from 'node:fs';
import { isMainThread, threadId } from 'node:worker_threads';
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

/** From now on this thread notes here. */
export function noteClosingIn(memory: SharedArrayBuffer): void {
  shared = new BigInt64Array(memory);
}

/**
 * Close a file in a thread of libuv.
 * @param stats of a file that has no name any more: so nobody can open it again, and have this number for it
 * @param done told how that ended
 * @returns false if it cannot be noted and others outlive this thread: nothing was done
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

/** Close what a thread of this id has left. To be called when it has ended. */
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
    const now = fstat(fd);
    if (now.nlink === 0n && now.dev === dev && now.ino === ino && now.mtimeNs === mtimeNs) closeSync(fd);
  } catch {
    // It was closed after all; and a descriptor whose close fails is gone as well.
  }
}
