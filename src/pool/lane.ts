import type { PackedAnswer } from '../../workers/packed-answer.js';
import type { Task } from '../../workers/task.js';

/** Calls in a thread at once: most of them wait for locks, since the thread itself does one thing at a time. */
export const slots = 1024;

/** A pool of one thread; without a task it sweeps. */
interface Thread {
  /** Rejects with NoThread if none can be started, otherwise as piscina does. */
  run(task: Task | undefined, options?: { name?: string; transferList?: ArrayBuffer[] }): Promise<PackedAnswer>;
  destroy(): Promise<void>;
}

/** Starts the pool; `stages` is what its thread and this one share. */
export type StartThread = (stages: SharedArrayBuffer) => Promise<Thread>;

/** The way to a thread, and the stages of the calls that are in it (workers/task.ts). */
export class Lane {
  private readonly shared = new SharedArrayBuffer(slots * Int32Array.BYTES_PER_ELEMENT);
  readonly stages = new Int32Array(this.shared);
  private readonly returned: number[] = [];
  /** So many slots have been taken at least once. */
  private used = 0;
  private started: Promise<Thread> | undefined;

  constructor(private readonly start: StartThread) {}

  /** For so many more calls. */
  get room(): number {
    return slots - this.used + this.returned.length;
  }

  /** @throws RangeError if there is no room */
  take(): number {
    const slot = this.returned.pop();
    if (slot !== undefined) return slot;
    if (this.used === slots) throw new RangeError('no slot is free');
    return this.used++;
  }

  giveBack(slot: number): void {
    this.returned.push(slot);
  }

  thread(): Promise<Thread> {
    this.started ??= this.start(this.shared);
    return this.started;
  }

  async close(): Promise<void> {
    // What never started has nothing to end; its calls were told.
    const thread = await this.started?.catch(() => undefined);
    await thread?.destroy();
  }
}
