/**
 * The contract between the main thread and a worker: all messages except the Outcome (src/core/errors.ts), as plain
 * data.
 */
import type { LineBase, Notice, Outcome } from '../errors.js';
import type { Limits } from '../globs/scope.js';
import type { ModelCall, OperationName, Params, Precondition } from '../operations.js';
import type { NameRule } from '../names/filename.js';
import type { SearchPart } from '../search-part.js';

/** How much history is kept: beyond either, the oldest is forgotten (spec 18). */
export interface HistoryLimits {
  readonly days: number;
  /** Of the log and the kept files together. */
  readonly mostBytes: number;
}

/** Start-up data of a worker thread. */
export interface WorkerSetup {
  /** Real path of the working directory. */
  readonly directory: string;
  /** Its path as given, if different: callers may know only this one. */
  readonly givenDirectory?: string;
  readonly readOnly: boolean;
  /** Limit of a file, and of the result of an edit, in bytes. */
  readonly maxBytes: number;
  readonly maxLines: number | undefined;
  readonly names: NameRule;
  readonly durability: 'full' | 'file' | 'none';
  /** Read once by the main thread (src/pool/threads.ts): a worker could only read it by setting it. */
  readonly umask: number;
  /**
   * Whether reads are cached (src/call/read-cache.ts), so answers must carry the identity of their file. Copying it
   * between threads takes a tenth of the time of a 1 KB read.
   */
  readonly keepsReads: boolean;
  /** One Int32 per call in flight on this worker's shard: its phase. */
  readonly phases: SharedArrayBuffer;
  /** What is kept of changes (spec 18); undefined without --history. */
  readonly history?: HistoryLimits;
  /** The thread has other work besides these calls, so they must not block it while they wait for the disk. */
  readonly sharesThread?: true;
}

/** Start-up data of a thread that runs the tasks of a server, which may be the main thread. */
export interface ServerSetup extends WorkerSetup {
  /** Counters for lock and disk times (src/core/thread/timings.ts). */
  readonly timings: SharedArrayBuffer;
}

/** Start-up data of a pool thread. */
export interface ThreadSetup extends ServerSetup {
  /** Descriptors being closed by libuv's threads (src/core/thread/closing.ts). */
  readonly closing: SharedArrayBuffer;
}

/**
 * Calls of one operation sent to a worker together: reads, which run one after the other, or writes of one file, which
 * are committed together (spec 6).
 */
export interface Task {
  readonly operation: OperationName;
  readonly calls: readonly TaskCall[];
}

/** A request body for a worker to parse. */
export interface UnreadBody {
  /** In shared memory; parsing overwrites them with the body's large texts. */
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  /** Names of members whose large strings become a LargeText. */
  readonly largeTexts: ReadonlySet<string>;
  /** One Int32, 1 once a worker has started: from then on, the bytes may have been overwritten. */
  readonly begun: SharedArrayBuffer;
}

/** How the main thread itself runs tasks, with the module of the worker threads. */
export interface TasksHere {
  /** Never rejects. */
  run(task: Task): Promise<TaskAnswer>;
  /** Release the descriptors that it holds between tasks; the next task opens them again. */
  close(): void;
}

export interface TaskCall {
  /** Validated parameters of the operation. */
  readonly params: Params[OperationName];
  /** From If-Match; `expected_hash` travels in the parameters. */
  readonly precondition?: Precondition;
  /** Number of the first line in error messages; 1 if absent. Parameters always count from 1. */
  readonly lineBase?: LineBase;
  /** Absent if the caller is a program; its call is taken literally. */
  readonly model?: ModelCall;
  /** The part to do, if the operation runs in parts. */
  readonly search?: SearchPart;
  /** Limits on the files that the caller may use; absent: none (spec 16 and 17). */
  readonly limits?: Limits;
  /** Who calls, for the history. */
  readonly caller?: string;
  /** Index into the phases. */
  readonly slot: number;
}

/** The longest message to an MCP client, in bytes: the official clients end the session at 10 MiB (spec 10). */
export const mostMessageBytes = 9_437_184;

/** The outcomes of a task's calls, in order. Calls beyond the last outcome were not begun and are sent again. */
export type TaskAnswer = readonly (Outcome | Undone)[];

/** This call's group could not be written, so no call of it was. The call runs again alone. */
interface Undone {
  /** Neither done nor failed. */
  readonly ok: null;
  readonly notices?: readonly Notice[];
}

/**
 * Progress of a call. The main thread may cancel it at any phase before `claimed`; the worker advances it only by
 * compare-and-swap. The first one wins: a call that has timed out is never written, and one that is being written is
 * always awaited (spec 6).
 */
export const Phase = {
  queued: 0,
  /** Waits for the lock of its file. */
  waiting: 1,
  running: 2,
  /** Its commit has begun. */
  claimed: 3,
  cancelled: 4,
  /** Ended without a commit. Its answer may be in transit and is lost if the thread dies now. */
  ended: 5,
  /** Its result waits for the rest of its group. If the thread dies now, this call is not the cause. */
  ready: 6,
  /** It runs again, since another program has changed its file; its commit has not begun. */
  overtaken: 7,
} as const;
export type Phase = (typeof Phase)[keyof typeof Phase];
