/**
 * Routes calls to the worker threads. The writes of a file go to the same one-thread pool (its shard) unless that one
 * is blocked, in order of arrival and never two tasks of a file at a time. This serves only order and speed: mutual
 * exclusion comes from the file's lock (workers/disk/lock/lock.ts), since other processes have their own shards.
 */
import { accessSync, constants, lstatSync, stat } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { mayName } from '../access/permission.js';
import type { Config } from '../config/config.js';
import { StartError } from '../config/start-error.js';
import { failure, type Failure, type Outcome } from '../core/errors.js';
import { shuttingDown } from '../core/failures.js';
import type { Log } from '../observe/log.js';
import { isAboutAll, type Operation, type OperationName, type Params } from '../core/operations.js';
import { settledWithin } from '../settled-within.js';
import type { ReadBody } from '../core/json/json-body.js';
import { bytesPerMb } from '../core/memory/held.js';
import { giveTexts } from '../core/json/lent-texts.js';
import { BodyReader } from './body-reader.js';
import { FastPath, type FastPathMode } from './fast-path.js';
import { FileQueues, Gate } from './queues.js';
import { orderKeys } from './order-key.js';
import { whenToSweep } from './leftovers.js';
import { PendingCall, type RunContext } from './pending-call.js';
import { figuresOf, PoolCounts, type PoolFigures } from './pool-figures.js';
import { Registry } from './registry.js';
import { RememberedSearches, searchMemoryOf } from './remembered-searches.js';
import { isSearch, Search, type SearchCall } from './search.js';
import { Shard, type ShardWatch } from './shard.js';
import { Shards, Threads } from './threads.js';

export interface Pool {
  /** Never rejects; always answers, at the latest at the time-out unless the call is being committed. */
  run(operation: Operation, params: Params[OperationName], context: RunContext): Promise<Outcome>;
  /** Parse a request body like parseJson; a large one off the main thread. */
  readonly readBody: ReadBody;
  /**
   * Remove leftovers of killed processes before the server reports that it is ready.
   * @throws StartError if files cannot be locked on this platform
   */
  prepare(): Promise<void>;
  /** Load the code that the first call needs, while nobody waits for it. Never throws. */
  preload(): void;
  /** Give back what only the next call needs; harms no call that is under way. */
  giveBack(): void;
  /** Answer unclaimed calls with `Server is shutting down`; resolves when the others have ended. */
  shutDown(): Promise<void>;
  /**
   * False while the working directory is missing, unreachable, not accessible to this user or replaced by a link. Never
   * throws.
   */
  directoryUsable(): boolean;
  /** Whether no thread runs, and none can be started for lack of descriptors. */
  isOutOfThreads(): boolean;
  /** Whether threads are in a call. */
  isBusy(): boolean;
  /** Current figures for the metrics. */
  figures(): PoolFigures;
}

/** Until a start, and the calls that come with it, are over. */
const sweepLaterMs = 1_000;

/** How long a shutdown waits for threads to finish their work after all calls have been answered. */
const drainMs = 1_000;

/** The threads of one server. */
export class ThreadPool implements Pool {
  private readonly counts = new PoolCounts();
  private readonly threads: Threads;
  private readonly shards: Shards;
  private readonly fastPath: FastPath;
  private readonly files: FileQueues;
  private readonly gate: Gate | undefined;
  /** Calls from their arrival until no thread works on them. */
  private readonly calls = new Registry<PendingCall>();
  private readonly bodies: BodyReader;
  private readonly searches: RememberedSearches;
  readonly readBody: ReadBody;
  private closing = false;
  /** Set if threads did not finish within the drain time; their calls are no longer counted. */
  private hangs = false;

  /** @param workerFile the built workers/main.cjs */
  constructor(
    private readonly config: Config,
    private readonly log: Log,
    workerFile: URL,
    fastPathMode: FastPathMode = modeFrom(process.env['FILE_EDITOR_FAST_PATH']),
  ) {
    const { directory, givenDirectory, readOnly, maxBytes, maxLines, names, durability, maxConcurrent, maxQueue } =
      config;
    const { counts } = this;
    const { timings } = counts;
    const keepsReads = config.cacheMb > 0;
    const { history } = config;
    const base = { directory, givenDirectory, readOnly, maxBytes, maxLines, names, durability, keepsReads, timings };
    const setup = { ...base, ...(history && { history }) };
    const threads = new Threads(workerFile, setup, log);
    const watch: ShardWatch = {
      sent: (calls, write) => {
        counts.sent(calls, write);
      },
      noted: (notices) => {
        for (const { message, errno } of notices) log.warn({ errno }, message);
      },
    };
    this.threads = threads;
    const fastPath = new FastPath({ ...setup, umask: threads.umask }, workerFile, fastPathMode, watch);
    this.fastPath = fastPath;
    this.shards = new Shards(
      config.workers,
      (onlyLists) => new Shard((phases) => threads.start(phases, onlyLists), watch, fastPath),
    );
    this.searches = new RememberedSearches(searchMemoryOf(config.cacheMb * bytesPerMb));
    this.files = new FileQueues((key, calls) => this.write(key, calls));
    this.bodies = new BodyReader(() => this.shards.reader(), config.timeoutMs);
    this.readBody = (bytes, largeTexts) => this.bodies.read(bytes, largeTexts);
    const begin = (call: PendingCall): void => {
      this.begin(call);
    };
    this.gate = maxConcurrent === undefined ? undefined : new Gate(maxConcurrent, maxQueue, begin);
  }

  run(operation: Operation, params: Params[OperationName], context: RunContext): Promise<Outcome> {
    if (this.closing) return this.refuse(params, shuttingDown());
    if (this.gate?.full === true) return this.refuse(params, failure('busy', 'Server is busy'));
    const call = new PendingCall(operation, params, context, this.config.timeoutMs);
    const leave = this.calls.add(call);
    if (this.calls.size > 1) this.fastPath.concurrent();
    void call.ended.then(() => {
      leave();
      // A thread that died with it may still use its texts.
      if (operation.writes && call.deaths === 0) giveTexts(params);
    });
    if (this.gate === undefined) this.begin(call);
    else this.gate.enter(call);
    return call.answer;
  }

  async prepare(): Promise<void> {
    const { config } = this;
    if (config.readOnly) return;
    // Starts libuv's thread pool, which syncs and closes files. If libuv cannot create its threads, it aborts the
    // process: in a container at its limit of threads that happened at the first edit, which was written but not
    // answered.
    stat(config.directory, () => undefined);
    try {
      await import('fs-native-extensions');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StartError([
        `Files cannot be locked on this platform (${reason}); only --read-only can be served without locks`,
      ]);
    }
    const when = whenToSweep(config.directory, config.history !== undefined);
    if (when === 'now') await this.sweep();
    if (when === 'later') void sleep(sweepLaterMs, undefined, { ref: false }).then(() => this.sweep());
  }

  /** Never rejects. */
  private async sweep(): Promise<void> {
    if (this.closing) return;
    try {
      await this.shards.all[0].sweep();
    } catch (error) {
      // Leftovers are harmless and no reason not to serve.
      const cause = error instanceof Error ? error.stack : String(error);
      this.log.warn({ cause }, 'Leftovers of killed processes could not be removed; the first write tries again');
    }
  }

  preload(): void {
    this.fastPath.preload();
  }

  giveBack(): void {
    this.fastPath.giveBack();
    this.searches.giveBack();
  }

  async shutDown(): Promise<void> {
    this.closing = true;
    const calls = this.calls.items();
    for (const call of calls) call.cancel(shuttingDown());
    await Promise.all(calls.map((call) => call.answer));
    // Ending the threads first would leave temporary files of cancelled calls. Bodies still being parsed belong to
    // calls that must get the shutdown answer.
    const ended = Promise.all([this.bodies.ended(), ...calls.map((call) => call.ended)]);
    this.hangs = !(await settledWithin(ended, drainMs));
    await Promise.all([this.fastPath.shard, ...this.shards.all].map((shard) => shard.close()));
  }

  isOutOfThreads(): boolean {
    return this.threads.isOutOfThreads;
  }

  isBusy(): boolean {
    return this.hangs || [this.fastPath.shard, ...this.shards.all].some(({ running }) => running > 0);
  }

  figures(): PoolFigures {
    const { counts, calls, fastPath, gate, files, shards, threads, config } = this;
    const unanswered = calls.items().filter(({ settled }) => !settled).length;
    return figuresOf({
      counts,
      unanswered,
      gate,
      files,
      shards: [fastPath.shard, ...shards.all],
      threads,
      mostThreads: config.workers,
      hasHistory: config.history !== undefined,
    });
  }

  directoryUsable(): boolean {
    const { directory } = this.config;
    try {
      if (!lstatSync(directory).isDirectory()) return false;
      accessSync(directory, constants.R_OK | constants.X_OK);
      return true;
    } catch {
      // Errors other than ENOENT count too: a parent may have become a file, or be on a dead mount.
      return false;
    }
  }

  private refuse(params: Params[OperationName], refusal: Failure): Promise<Failure> {
    giveTexts(params);
    return Promise.resolve(refusal);
  }

  private begin(call: PendingCall): void {
    const { gate } = this;
    if (gate !== undefined) {
      // Deferred: the code that ends a call may be iterating over its queue, which the next call would enter.
      call.whenIdle(() => {
        queueMicrotask(() => {
          gate.leave();
        });
      });
    }
    const { operation, params, context } = call;
    if (operation.writes && !mayName(operation, params, context.caller)) {
      void this.runAlone(call);
      return;
    }
    const { files, config } = this;
    const keys = operation.writes ? orderKeys(call, files, config.directory) : [];
    if (keys.length > 0) files.add(keys, call);
    else if (isSearch(call)) this.search(call);
    else if (this.fastPath.isOpen) void this.readOnFastPath(call);
    else this.read(call);
  }

  /** Run a write that will be refused: on any thread, outside all queues. */
  private async runAlone(call: PendingCall): Promise<void> {
    let again: readonly PendingCall[] = [call];
    while (again.length > 0) again = await this.shards.reader().run(again);
  }

  private async readOnFastPath(call: PendingCall): Promise<void> {
    const { fastPath } = this;
    const again = (await fastPath.admits([call], this.isAlone)) ? await fastPath.shard.run([call]) : [call];
    for (const each of again) this.read(each);
  }

  /** Runs a call in parts, and settles and ends it. */
  private search(call: SearchCall): void {
    const { config, searches, shards } = this;
    const threads = Math.min(shards.all.length, availableParallelism());
    new Search(call, searches.use(call.params), config.timeoutMs, threads, async (part, mayRunHere) => {
      const runsHere = mayRunHere && this.fastPath.isOpen && (await this.fastPath.admits([part], this.isAlone));
      let again = await (runsHere ? this.fastPath.shard : shards.searcher()).run([part]);
      while (again.length > 0) again = await shards.searcher().run(again);
    }).start();
  }

  private read(call: PendingCall): void {
    const { shards } = this;
    (isAboutAll(call.operation) ? shards.lister : shards.reader()).read(call);
  }

  private write(key: string, calls: readonly PendingCall[]): Promise<readonly PendingCall[]> {
    return this.fastPath.isOpen ? this.writeOnFastPath(key, calls) : this.shards.writerOf(key).run(calls);
  }

  private async writeOnFastPath(key: string, calls: readonly PendingCall[]): Promise<readonly PendingCall[]> {
    const shard = (await this.fastPath.admits(calls, this.isAlone)) ? this.fastPath.shard : this.shards.writerOf(key);
    return shard.run(calls);
  }

  private readonly isAlone = (): boolean => this.calls.size === 1;
}

function modeFrom(value: string | undefined): FastPathMode {
  return value === 'always' || value === 'never' ? value : 'adaptive';
}
