/**
 * The fast path: an isolated call runs on the main thread. An agent that thinks between calls would otherwise wait for
 * a thread to wake or, after a pause, to start, which takes longer than most calls. The code is the same as in the
 * worker threads. Concurrent calls go to the threads, and so does any call that may hold up others.
 */
import { createRequire } from 'node:module';
import { setImmediate as nextRound } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { mayName } from '../access/permission.js';
import type { ServerSetup, TasksHere } from '../core/thread/task.js';
import { isAboutAll, rows } from '../core/operations.js';
import type { PendingCall } from './pending-call.js';
import { Shard, type ShardWatch } from './shard.js';
import { ShortCalls } from './short-calls.js';
import { NoThread, type StartThread } from './thread.js';

/** All calls go to the threads for this long after concurrent calls, in milliseconds … */
const metMs = 250;
/**
 * … and after two calls in a row that each held the main thread for longer than this, if the second waited for the
 * disk.
 */
const slowMs = 10;
/** The length of that rest: doubled each time, until a call is quick. */
const [shortestRestMs, longestRestMs] = [5_000, 300_000];

/** Whether calls run in the main thread: tests set it by FILE_EDITOR_FAST_PATH. `always` ignores concurrent calls. */
export type FastPathMode = 'adaptive' | 'always' | 'never';

/** What workers/main.ts exports for the main thread. */
interface TasksModule {
  tasksHere(setup: ServerSetup): TasksHere;
}

export class FastPath {
  /** Runs its calls in the main thread. */
  readonly shard: Shard;
  private readonly short: ShortCalls;
  private loaded: TasksModule | undefined;
  private tasks: TasksHere | undefined;
  private restUntil = 0;
  /** The last call held the main thread for long, for whatever reason. */
  private wasSlow = false;
  private restMs = shortestRestMs;

  /** @param workerFile the built workers/main.cjs */
  constructor(
    private readonly setup: Omit<ServerSetup, 'phases' | 'sharesThread'>,
    private readonly workerFile: URL,
    private readonly mode: FastPathMode,
    watch: ShardWatch,
  ) {
    this.short = new ShortCalls(setup.directory);
    this.shard = new Shard((phases) => this.start(phases), watch);
  }

  /** Load the code that the first call needs, while nobody waits for it. Never throws. */
  preload(): void {
    if (this.mode !== 'never') this.code();
  }

  /** Close the working directory until the next call: an open one could not be unmounted. */
  giveBack(): void {
    if (this.shard.running === 0) this.tasks?.close();
  }

  /** Calls are concurrent. */
  concurrent(): void {
    this.rest(metMs);
  }

  /** Whether it is worth calling `admits`. */
  get isOpen(): boolean {
    return this.mode === 'adaptive' ? performance.now() >= this.restUntil : this.mode === 'always';
  }

  /**
   * Whether a call may run in the main thread. Waits for the end of this round of the event loop, in which others may
   * arrive.
   * @param isAlone whether no other call is under way
   */
  async admits(calls: readonly PendingCall[], isAlone: () => boolean): Promise<boolean> {
    const [call, other] = calls;
    if (call === undefined || other !== undefined) return false;
    if (this.mode === 'adaptive') {
      await nextRound();
      if (!isAlone()) return false;
    }
    return this.takes(call);
  }

  /** Whether a call may run on the main thread beside others: for when no thread can be started. */
  takes(call: PendingCall): boolean {
    if (this.mode === 'never' || !mayName(call.operation, call.params, call.context.caller)) return false;
    // A list pauses for other calls, but not for a second list: it remembers only the last one.
    if (isAboutAll(call.operation) && this.shard.running > 0) return false;
    return this.short.isShort(call) && this.code() !== undefined;
  }

  /** Like `run` of a shard. */
  run(calls: readonly PendingCall[]): Promise<readonly PendingCall[]> {
    return this.shard.run(calls);
  }

  private rest(ms: number): void {
    this.restUntil = Math.max(this.restUntil, performance.now() + ms);
  }

  /** Stands in for starting a thread. Rejects if the working directory cannot be opened. */
  private start(phases: SharedArrayBuffer): ReturnType<StartThread> {
    const nothing = Promise.resolve({ outcomes: [], memory: null });
    return Promise.resolve().then(() => {
      const tasks = this.code()?.tasksHere({ ...this.setup, phases, sharesThread: true });
      this.tasks = tasks;
      if (tasks === undefined) throw new NoThread(new Error('its code cannot be loaded'));
      return {
        run: async (task) => {
          const loop = performance.eventLoopUtilization();
          // Asking takes 13 µs: only after a slow call.
          const used = this.wasSlow ? process.resourceUsage() : undefined;
          const outcomes = await tasks.run(task);
          // Lists and searches are long, but pause.
          if (rows[task.operation].pauses !== true) this.noteWait(performance.eventLoopUtilization(loop).active, used);
          return { outcomes, memory: null };
        },
        sweep: () => nothing,
        readBody: () => nothing,
        destroy: () => {
          tasks.close();
          return Promise.resolve();
        },
        gone: () => Promise.resolve(),
      };
    });
  }

  /** Undefined for a while if it cannot be loaded, for example without descriptors; the threads will report why. */
  private code(): TasksModule | undefined {
    try {
      this.loaded ??= createRequire(this.workerFile)(fileURLToPath(this.workerFile)) as TasksModule;
    } catch {
      this.rest(longestRestMs);
    }
    return this.loaded;
  }

  /**
   * @param heldUpMs how long the call has held the main thread
   * @param before resource usage at the start of the call, if the previous call was slow
   */
  private noteWait(heldUpMs: number, before: NodeJS.ResourceUsage | undefined): void {
    const { wasSlow } = this;
    this.wasSlow = heldUpMs > slowMs;
    if (!this.wasSlow) this.restMs = shortestRestMs;
    if (!wasSlow || !this.wasSlow || before === undefined) return;
    const after = process.resourceUsage();
    // Other processes took the processor, so the time says nothing about the disk.
    if (after.involuntaryContextSwitches > before.involuntaryContextSwitches) return;
    const computed = after.userCPUTime - before.userCPUTime + (after.systemCPUTime - before.systemCPUTime);
    if (heldUpMs - computed / 1000 <= slowMs) return;
    this.rest(this.restMs);
    this.restMs = Math.min(longestRestMs, 2 * this.restMs);
  }
}
