import { NoThread, type Thread } from './thread.js';

/** How many calls a thread may have at once: most wait for locks, since the thread itself does one thing at a time. */
export const slotsPerThread = 1024;

/** Starts a thread; `stages` is shared with it. Rejects with NoThread. */
export type StartThread = (stages: SharedArrayBuffer) => Promise<Running>;
type Running = Pick<Thread, 'run' | 'sweep' | 'readBody' | 'destroy' | 'gone'>;

/** The places of a thread for calls, with the stages of these (src/core/thread/task.ts). The thread starts with the first. */
export class Slots {
  private readonly shared = new SharedArrayBuffer(slotsPerThread * Int32Array.BYTES_PER_ELEMENT);
  readonly stages = new Int32Array(this.shared);
  private readonly returned: number[] = [];
  /** How many slots have been taken at least once. */
  private used = 0;
  private started: Promise<Running> | undefined;
  private closed = false;

  constructor(private readonly start: StartThread) {}

  /** How many more calls the thread can take. */
  get free(): number {
    return slotsPerThread - this.used + this.returned.length;
  }

  /** @throws RangeError if none is free */
  take(): number {
    const slot = this.returned.pop();
    if (slot !== undefined) return slot;
    if (this.used === slotsPerThread) throw new RangeError('no slot is free');
    return this.used++;
  }

  giveBack(slot: number): void {
    this.returned.push(slot);
  }

  /** Rejects with NoThread if none can be started, or once it is closed: nobody would end that thread. */
  thread(): Promise<Running> {
    if (this.closed) return Promise.reject(new NoThread(new Error('its slots are closed')));
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
