/**
 * Calls on their way to the worker threads. The writes of a file go to the same one-thread pool (its shard) unless that
 * one is held up, one at a time and in order of arrival. That is only for order and speed: what keeps writers apart is
 * the lock of the file (workers/disk/lock.ts), since other processes have shards of their own.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { timingBounds, timingBytes, timingsIn, type Timed } from '../../workers/timings.js';
import type { Config } from '../config/config.js';
import { StartError } from '../config/start-error.js';
import { failure, type Outcome } from '../errors.js';
import { Histogram, type Distribution } from '../monitoring/histogram.js';
import type { Log } from '../monitoring/log.js';
import { filenameOf, isAboutAll, pathsOf, type Operation, type OperationName, type Params } from '../operations.js';
import { reservedName } from '../reserved-name.js';
import { FileQueues } from './file-queues.js';
import { Gate } from './gate.js';
import { filenameKey, pathKey, plainKey } from './order-key.js';
import { PendingCall, type RunContext } from './pending-call.js';
import { Registry } from './registry.js';
import { Shard, type ShardWatch } from './shard.js';
import { Shards } from './shards.js';
import { Threads } from './threads.js';
import { readUmask } from './umask.js';

export interface Pool {
  /** Never rejects; always answers, at the latest when the time is up, unless the call is being committed. */
  run(operation: Operation, params: Params[OperationName], context: RunContext): Promise<Outcome>;
  /**
   * Remove what killed processes have left, before the server says that it is ready.
   * @throws StartError if files cannot be locked on this platform
   */
  prepare(): Promise<void>;
  /** Answers calls that are not claimed yet with `Server is shutting down`; resolves when the others have ended. */
  shutDown(): Promise<void>;
  /** No request for a while: give back what is kept for the next one. */
  trim(): void;
  /** False while the working directory is missing, out of reach or replaced by a link. Never throws. */
  directoryUsable(): boolean;
  /** What it is doing now, and what it has done so far. */
  figures(): PoolFigures;
}

/** For the metrics. */
export interface PoolFigures {
  /** Calls that have not been answered yet. */
  readonly unanswered: number;
  /** Calls inside the threads. */
  readonly running: number;
  /** Calls that wait: for --max-concurrent, for an earlier write of their file, for a thread to read. */
  readonly waiting: Readonly<Record<'concurrency' | 'file' | 'thread', number>>;
  readonly threads: number;
  readonly mostThreads: number;
  /** How many threads have died so far, not counting those that were given back. */
  readonly deaths: number;
  /** How many calls went to a thread together. */
  readonly batches: Readonly<Record<'read' | 'write', Distribution>>;
  /** In milliseconds. */
  readonly timings: Readonly<Record<Timed, Distribution>>;
}

/** Upper bounds for the metrics: a task holds at most 128 writes of a file, or 64 reads. */
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 128];

/** How long a shutdown waits, after all calls have been answered, for threads to finish what they were doing. */
const drainMs = 1_000;

/** @param workerFile the built workers/main.cjs */
export function createPool(config: Config, log: Log, workerFile: URL): Pool {
  const umask = readUmask();
  const timings = new SharedArrayBuffer(timingBytes);
  const { directory, readOnly, maxBytes, maxLines, names, durability } = config;
  const setup = { directory, readOnly, maxBytes, maxLines, names, durability, umask, timings };
  const threads = new Threads(workerFile, setup, log);
  const batches = { read: new Histogram(batchSizes), write: new Histogram(batchSizes) };
  const watch: ShardWatch = {
    sent: (calls, write) => {
      batches[write ? 'write' : 'read'].add(calls);
    },
    died: () => {
      threads.deaths++;
    },
  };
  const create = (): Shard => new Shard(threads.start, watch);
  const shards = new Shards([create(), ...Array.from({ length: config.workers - 1 }, create)]);
  const files = new FileQueues((key, calls) => shards.writerOf(key).run(calls));
  const gate = config.maxConcurrent === undefined ? undefined : new Gate(config.maxConcurrent, config.maxQueue, begin);
  const unanswered = new Registry<PendingCall>();
  const atWork = new Registry<PendingCall>();
  let closing = false;

  return { run, prepare, shutDown, trim, directoryUsable, figures };

  function run(operation: Operation, params: Params[OperationName], context: RunContext): Promise<Outcome> {
    if (gate?.full === true && !closing) return Promise.resolve(failure('busy', 'Server is busy'));
    return admit(operation, params, context);
  }

  function admit(operation: Operation, params: Params[OperationName], context: RunContext): Promise<Outcome> {
    if (closing) return Promise.resolve(failure('shutting_down', 'Server is shutting down'));
    const call = new PendingCall(operation, params, context, config.timeoutMs, runWithRoom);
    void call.answer.then(unanswered.add(call));
    if (gate === undefined) begin(call);
    else gate.enter(call);
    return call.answer;
  }

  /**
   * Its time does not run while it waits. It has been let in already, and is not refused for calls that came meanwhile.
   */
  async function runWithRoom({ operation, params, context }: PendingCall, bytes: number): Promise<Outcome> {
    const room = await context.room?.enlarge(bytes);
    if (room === null)
      return failure('too_large', 'The answer is too large to be sent together with others', {
        details: 'Nothing was changed: send the request by itself.',
      });
    return admit(operation, params, { ...context, room });
  }

  function begin(call: PendingCall): void {
    const keys = call.operation.writes ? orderKeys(call) : [];
    if (keys.length > 0) files.add(keys, call);
    else (isAboutAll(call.operation) ? shards.lister : shards.reader()).read(call);
    const leave = atWork.add(call);
    void call.ended.then(() => {
      leave();
      gate?.leave();
    });
  }

  /** The keys of the files that a call writes. */
  function orderKeys({ operation, params }: PendingCall): readonly string[] {
    const { directory } = config;
    const filename = filenameOf(operation, params);
    if (filename === undefined) return [...new Set(pathsOf(operation, params).map((path) => pathKey(directory, path)))];
    const plain = plainKey(filename);
    return [files.has(plain, filename) ? plain : filenameKey(directory, filename)];
  }

  async function prepare(): Promise<void> {
    if (config.readOnly) return;
    try {
      await import('fs-native-extensions');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StartError([
        `Files cannot be locked on this platform (${reason}); only --read-only can be served without locks`,
      ]);
    }
    if (!hasLeftovers()) return;
    try {
      for (const notice of await shards.all[0].sweep()) log.warn({ errno: notice.errno }, notice.message);
    } catch (error) {
      // They are in nobody's way, and no reason not to serve.
      const cause = error instanceof Error ? error.stack : String(error);
      log.warn({ cause }, 'Leftovers of killed processes could not be removed; the first write tries again');
    }
  }

  /** Checked here, so that a start without leftovers starts no thread. */
  function hasLeftovers(): boolean {
    try {
      return readdirSync(join(config.directory, reservedName)).some((name) => name.endsWith('.tmp'));
    } catch {
      return false;
    }
  }

  async function shutDown(): Promise<void> {
    closing = true;
    // Calls that wait for room to run again are settled, and nobody may ever make that room.
    const open = unanswered.items().filter(({ settled }) => !settled);
    for (const call of open) call.cancel('shutting_down', 'Server is shutting down');
    await Promise.all(open.map((call) => call.answer));
    // If their threads were ended first, cancelled calls would leave their temporary files.
    const ended = Promise.all(atWork.items().map((call) => call.ended));
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, drainMs).unref())]);
    await Promise.all(shards.all.map((shard) => shard.close()));
  }

  function trim(): void {
    for (const shard of shards.all) shard.trim();
  }

  function figures(): PoolFigures {
    const sum = (of: (shard: Shard) => number): number => shards.all.reduce((all, shard) => all + of(shard), 0);
    const distribution = (what: Timed): Distribution => ({ bounds: timingBounds, ...timingsIn(timings, what) });
    return {
      // A call that waits for room is replaced by a new one when it has that.
      unanswered: unanswered.items().filter(({ settled }) => !settled).length,
      running: sum(({ running }) => running),
      waiting: {
        concurrency: gate?.waiting.size ?? 0,
        file: files.waiting,
        thread: sum(({ waiting }) => waiting),
      },
      threads: threads.count,
      mostThreads: config.workers,
      deaths: threads.deaths,
      batches,
      timings: {
        lock_wait: distribution('lock_wait'),
        file_sync: distribution('file_sync'),
        directory_sync: distribution('directory_sync'),
      },
    };
  }

  function directoryUsable(): boolean {
    try {
      return lstatSync(config.directory).isDirectory();
    } catch {
      // Not only if nothing is there: a parent may have become a file, or be on a dead mount.
      return false;
    }
  }
}
