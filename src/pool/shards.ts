import { availableParallelism } from 'node:os';
import type { Shard } from './shard.js';

/** Which of the threads a call goes to. */
export class Shards {
  /** For listings alone: behind one of many large files, which took 11 s, a read of 2 bytes waited as long. */
  readonly lister: Shard;
  /** For all other calls; the lister where there is no other thread. */
  private readonly others: readonly Shard[];
  private readonly readers: readonly Shard[];
  private readonly writers: readonly Shard[];

  /** @param all in the order in which they are started; at least one */
  constructor(readonly all: readonly [Shard, ...Shard[]]) {
    this.lister = all.at(-1) ?? all[0];
    this.others = all.length > 1 ? all.slice(0, -1) : all;
    this.readers = this.others.slice(0, Math.max(1, availableParallelism() - 1));
    // Those who write let others go on while they wait for the disk: more of them than cores would only compile more.
    this.writers = this.others.slice(0, availableParallelism());
  }

  /**
   * The same for all writes of a file, unless that is silent: one request of a thousand edits with millions of matches held
   * up the writes of half of all files for 4 s. Asked when no write of the file is under way, so their order stays.
   */
  writerOf(key: string): Shard {
    let hash = 0;
    for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
    const usual = this.writers[(hash >>> 0) % this.writers.length] ?? leastBusy(this.others);
    if (!usual.isSilent) return usual;
    const awake = this.writers.filter(({ isSilent }) => !isSilent);
    return awake.length > 0 ? leastBusy(awake) : usual;
  }

  /**
   * Reads need no order, and threads beyond the cores that the main thread leaves them only get in its way: they
   * share as many as that, and take others only while these write.
   */
  reader(): Shard {
    const free = this.readers.filter(({ writes }) => writes === 0);
    return leastBusy(free.length > 0 ? free : this.others);
  }
}

function leastBusy(among: readonly Shard[]): Shard {
  return among.reduce((best, shard) => (shard.load < best.load ? shard : best));
}
