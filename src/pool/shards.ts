import { availableParallelism } from 'node:os';
import type { Shard } from './shard.js';

/** Decides which thread a call goes to. */
export class Shards {
  /** Only for listings: behind the listing of many large files, which took 11 s, a read of 2 bytes waited as long. */
  readonly lister: Shard;
  /** For all other calls; the lister itself if there is no other thread. */
  private readonly others: readonly Shard[];
  private readonly readers: readonly Shard[];
  private readonly writers: readonly Shard[];

  readonly all: readonly [Shard, ...Shard[]];

  /**
   * @param count at least 1
   * @param create makes one; `onlyLists` if it gets nothing but listings
   */
  constructor(count: number, create: (onlyLists: boolean) => Shard) {
    this.all = [create(false), ...Array.from({ length: count - 1 }, (_, index) => create(index === count - 2))];
    this.lister = this.all.at(-1) ?? this.all[0];
    this.others = count > 1 ? this.all.slice(0, -1) : this.all;
    this.readers = this.others.slice(0, Math.max(1, availableParallelism() - 1));
    // While a writer waits for the disk, others of its thread go on: more threads than cores would only compile more.
    this.writers = this.others.slice(0, availableParallelism());
  }

  /**
   * The same for all writes of a file, unless that thread is silent: one request of a thousand edits with millions of
   * matches once held up the writes of half of all files for 4 s. Called only when no write of the file is under way,
   * so order is kept.
   */
  writerOf(key: string): Shard {
    let hash = 0;
    for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
    const usual = this.writers[(hash >>> 0) % this.writers.length] ?? leastBusy(this.others);
    if (!usual.isSilent) return usual;
    return leastBusyAwake(this.writers) ?? leastBusyAwake(this.others) ?? usual;
  }

  /**
   * Reads need no order, and more threads than the cores that the main thread leaves free only get in its way. So reads
   * share that many, and take others only while these are writing, or silent: one read from a disk that had stalled
   * once held up all reads until their time was up.
   */
  reader(): Shard {
    const free = this.readers.filter(({ writes }) => writes === 0);
    return leastBusyAwake(free) ?? leastBusyAwake(this.others) ?? leastBusy(this.others);
  }
}

/** Undefined if all of them are silent. */
function leastBusyAwake(among: readonly Shard[]): Shard | undefined {
  const awake = among.filter(({ isSilent }) => !isSilent);
  return awake.length > 0 ? leastBusy(awake) : undefined;
}

function leastBusy(among: readonly Shard[]): Shard {
  return among.reduce((best, shard) => (shard.load < best.load ? shard : best));
}
