/**
 * Descriptors that libuv's threads close. When a worker thread dies, Node closes what the thread has open but forgets
 * what it has handed to libuv, and libuv drops what it has not begun. So each such descriptor is noted in memory shared
 * with the main thread, which closes whatever an ended thread has left.
 */
import { close, closeSync, fstatSync, type BigIntStats } from 'node:fs';
import { isMainThread, threadId } from 'node:worker_threads';

/** How many can be on their way at once. */
const entries = 64;
/** Per entry: the descriptor, the thread, and what tells its file from one that is given the same number later. */
const cells = 5;
export const closingBytes = entries * cells * BigInt64Array.BYTES_PER_ELEMENT;

/** Marks an entry without a descriptor; descriptors are stored plus one. */
const free = 0n;
const filling = -1n;

let shared: BigInt64Array | undefined;

/** From now on, this thread notes its descriptors here. */
export function noteClosingIn(memory: SharedArrayBuffer): void {
  shared = new BigInt64Array(memory);
}

/**
 * Close a file in a thread of libuv.
 * @param stats of a file that has no name any more, so that nobody can open it again and be given this number for it
 * @param done is told how the close ended
 * @returns false if there is no free entry, or if others would outlive this thread: nothing was done
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

/** Close what the thread with this id has left. Call it once that thread has ended. */
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
    // It was closed after all. A descriptor whose close fails is gone as well.
  }
}
