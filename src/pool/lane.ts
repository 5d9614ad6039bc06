import { NoThread } from './no-thread.js';
import type { Thread } from './thread.js';

/** How many calls a thread may have at once: most wait for locks, since the thread itself does one thing at a time. */
export const slots = 1024;

/** Starts a thread; `stages` is shared with it. Rejects with NoThread. */
export type StartThread = (stages: SharedArrayBuffer) => Promise<Running>;
type Running = Pick<Thread, 'run' | 'sweep' | 'readBody' | 'destroy' | 'gone'>;

/** The way to a thread, with the stages of the calls in it (workers/task.ts). */
export class Lane {
  private readonly shared = new SharedArrayBuffer(slots * Int32Array.BYTES_PER_ELEMENT);
  readonly stages = new Int32Array(this.shared);
  private readonly returned: number[] = [];
  /** How many slots have been taken at least once. */
  private used = 0;
  private started: Promise<Running> | undefined;
  private closed = false;

  constructor(private readonly start: StartThread) {}

  /** How many more calls it can take. */
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

  /** Rejects with NoThread if none can be started, or once it is closed: nobody would end that thread. */
  thread(): Promise<Running> {
    if (this.closed) return Promise.reject(new NoThread(new Error('the way to the thread is closed')));
    this.started ??= this.start(this.shared);
    return this.started;
  }

  /** Resolves when its thread, if any was started, has ended. Never rejects. */
  async gone(): Promise<void> {
    const thread = await this.started?.catch(() => undefined);
    await thread?.gone();
  }

  /** End its thread, if any was started, and start none from now on. */
  async close(): Promise<void> {
    this.closed = true;
    // A thread that could not be started has nothing to end, and its calls have been answered.
    const thread = await this.started?.catch(() => undefined);
    await thread?.destroy();
  }
}
