/**
 * Calls that come one at a time run in the main thread: an agent that thinks between its calls would otherwise wait for
 * two threads to wake, or, after a pause, for one to start. They run by the code of the worker threads. A call goes to
 * the threads as soon as another one is under way, or if it may hold up the main thread.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { EventLoopUtilization } from 'node:perf_hooks';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { TasksHere, WorkerSetup } from '../core/thread/task.js';
import { plainNames } from '../core/names/path.js';
import { filenameOf, isAboutAll, pathsOf } from '../core/operations.js';
import type { PendingCall } from './pending-call.js';
import { textIn } from './queues.js';
import { Shard, type ShardWatch } from './shard.js';

/** Text of a file, and of parameters: an edit of so many bytes holds up the main thread for 2 ms. */
const mostBytes = 262_144;
/** A directory of this size has about a thousand entries. */
const mostDirectoryBytes = 40_960;
/** A call that has kept the main thread busy for longer sends the next ones to the threads, in milliseconds … */
const slowMs = 15;
/** … for so long; so do calls that meet. */
const restlessMs = 5_000;
const metMs = 250;

/** Loads the code of the worker threads. */
export type LoadTasks = (setup: WorkerSetup) => TasksHere;

export class Calm {
  /** Has the call that runs in the main thread. */
  readonly shard: Shard;
  private restlessUntil = 0;
  private readonly mounts = new Mounts();

  constructor(
    private readonly directory: string,
    setup: Omit<WorkerSetup, 'stages' | 'sharesThread'>,
    private readonly load: LoadTasks,
    watch: ShardWatch,
  ) {
    this.shard = new Shard((stages) => {
      const tasks = this.load({ ...setup, stages, sharesThread: true });
      return Promise.resolve({
        run: async (task) => {
          const before = performance.eventLoopUtilization();
          const outcomes = await tasks.run(task);
          this.noteTime(performance.eventLoopUtilization(before));
          return { outcomes, memory: null };
        },
        sweep: () => Promise.resolve({ outcomes: [], memory: null }),
        readBody: () => Promise.resolve({ outcomes: [], memory: null }),
        destroy: () => {
          tasks.close();
          return Promise.resolve();
        },
        gone: () => Promise.resolve(),
      });
    }, watch);
  }

  /** Calls meet: those of the next moments go to the threads. */
  met(): void {
    this.restlessUntil = Math.max(this.restlessUntil, performance.now() + metMs);
  }

  /**
   * Whether a call may run in the main thread, asked once nothing else has arrived in this round of the event loop.
   * @param isAlone whether no other call is under way
   */
  async admits(calls: readonly PendingCall[], isAlone: () => boolean): Promise<boolean> {
    const [call, other] = calls;
    if (call === undefined || other !== undefined || !isAlone() || performance.now() < this.restlessUntil) return false;
    await nextRound();
    return isAlone() && this.isSmall(call);
  }

  private noteTime({ active }: EventLoopUtilization): void {
    if (active > slowMs) this.restlessUntil = performance.now() + restlessMs;
  }

  private isSmall({ operation, params }: PendingCall): boolean {
    if (!this.mounts.areLocal(this.directory) || textIn(params) > mostBytes) return false;
    if (isAboutAll(operation)) return this.isSmallFile([]);
    const filename = filenameOf(operation, params);
    if (filename !== undefined) return this.isSmallFile([filename]);
    return pathsOf(operation, params).every((path) => this.isSmallFile(plainNames(path)));
  }

  /** Through a link, nobody knows what it is without following it. */
  private isSmallFile(names: readonly string[]): boolean {
    let path = this.directory;
    try {
      for (const name of names) {
        path = join(path, name);
        const found = lstatSync(path, { throwIfNoEntry: false });
        if (found === undefined) return true;
        if (found.isFile()) return found.size <= mostBytes;
        if (!found.isDirectory()) return false;
      }
      return (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) <= mostDirectoryBytes;
    } catch {
      return false;
    }
  }
}

/** File systems that answer by themselves: no server, no program of a user. */
const local = new Set(['ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'tmpfs', 'overlay', 'zfs', 'f2fs', 'bcachefs', 'ramfs']);
/** How long what was found holds, in milliseconds. */
const holdsMs = 1_000;

/** What is mounted where, as far as Linux tells. */
class Mounts {
  private lookedAt = -Infinity;
  private result = false;

  /** Whether a directory, and all that is mounted in it, is on local file systems. */
  areLocal(directory: string): boolean {
    const now = performance.now();
    if (now - this.lookedAt > holdsMs) {
      this.lookedAt = now;
      this.result = areLocal(directory);
    }
    return this.result;
  }
}

function areLocal(directory: string): boolean {
  let mounts: string;
  try {
    mounts = readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return false;
  }
  let nearest = '';
  let type = '';
  for (const line of mounts.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const point = unescaped(before.split(' ')[4] ?? '');
    const itsType = after.split(' ')[0] ?? '';
    if (isIn(point, directory) && point !== directory && !local.has(itsType)) return false;
    // The last of those mounted at one place is on top.
    if (isIn(directory, point) && point.length >= nearest.length) [nearest, type] = [point, itsType];
  }
  return local.has(type);
}

function isIn(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}
