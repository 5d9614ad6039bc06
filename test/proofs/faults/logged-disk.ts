import type { Random } from '../../reliability/random.js';
import type { Content } from './fuse-file.js';

interface Write {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** Unit of atomic writes: a disk may have written any subset of these. */
const piece = 4096;

/** A disk that logs every write and sync, to derive its possible content after a power cut at any moment. */
export class LoggedDisk implements Content {
  private readonly current: Buffer;
  private readonly log: (Write | 'sync')[] = [];

  constructor(private readonly start: Buffer) {
    this.current = Buffer.from(start);
  }

  get size(): number {
    return this.start.length;
  }

  /** Length of the log; the power can be cut at any position. */
  get position(): number {
    return this.log.length;
  }

  read(offset: number, size: number): Buffer {
    return this.current.subarray(offset, offset + size);
  }

  write(offset: number, bytes: Buffer): void {
    bytes.copy(this.current, offset);
    this.log.push({ offset, bytes });
  }

  sync(): void {
    this.log.push('sync');
  }

  /**
   * The disk's content after a power cut: everything synced by then, plus a random subset of later writes.
   * @param positions in ascending order
   */
  *images(positions: readonly number[], random: Random): Generator<Buffer> {
    const synced = Buffer.from(this.start);
    let done = 0;
    for (const position of positions) {
      const lastSync = this.log.lastIndexOf('sync', Math.max(0, position - 1));
      for (; done <= lastSync; done++) put(synced, this.log[done], () => true);
      const image = Buffer.from(synced);
      // Sometimes all or none of them: a disk without a cache, and a busy one.
      const keep = [() => true, () => false, () => random.between(0, 1) === 1][random.between(0, 2)] ?? (() => true);
      for (const entry of this.log.slice(done, position)) put(image, entry, keep);
      yield image;
    }
  }
}

function put(image: Buffer, entry: Write | 'sync' | undefined, keep: () => boolean): void {
  if (entry === undefined || entry === 'sync') return;
  const { offset, bytes } = entry;
  for (let at = 0; at < bytes.length; at += piece) {
    if (keep()) bytes.copy(image, offset + at, at, at + piece);
  }
}
