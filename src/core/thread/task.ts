/**
 * The thread contract: everything that crosses the border between the main thread and a worker, except the Outcome
 * (src/core/errors.ts). All of it is plain data.
 */
import type { LineBase, Notice, Outcome } from '../errors.js';
import type { ModelCall, OperationName, Params, Precondition } from '../operations.js';
import type { NameRule } from '../names/filename.js';

/** Given to each worker thread when it starts. */
export interface WorkerSetup {
  /** Real path of the working directory. */
  readonly directory: string;
  readonly readOnly: boolean;
  /** Limit of a file, and of the result of an edit, in bytes. */
  readonly maxBytes: number;
  readonly maxLines: number | undefined;
  readonly names: NameRule;
  readonly durability: 'full' | 'file' | 'none';
  /** Read once, by the main thread (src/pool/threads.ts): a worker could only set the mask in order to read it. */
  readonly umask: number;
  /**
   * Whether answers to reads are kept (src/call/read-cache.ts) and so have the identity of their file with them. It takes a
   * read of 1 KB a tenth of its time to copy that from thread to thread.
   */
  readonly keepsReads: boolean;
  /** One Int32, its stage, for each call in flight on this worker's shard. */
  readonly stages: SharedArrayBuffer;
  /** The thread has other things to do than these calls: it is not held up while the disk is waited for. */
  readonly sharesThread?: true;
}

/** What a thread of the pool is given beside that. */
export interface ThreadSetup extends WorkerSetup {
  /** Where the thread counts how long locks and the disk take (src/core/thread/timings.ts). */
  readonly timings: SharedArrayBuffer;
  /** Where the thread notes descriptors that others close for it (src/core/thread/closing.ts). */
  readonly closing: SharedArrayBuffer;
}

/**
 * Calls of one operation on their way to a worker: reads, which it runs one after the other, or writes of one file,
 * which it commits together (spec 6).
 */
export interface Task {
  readonly operation: OperationName;
  readonly calls: readonly TaskCall[];
}

/** A body of a request on its way to a worker that reads it as JSON. */
export interface UnreadBody {
  /** In memory that the threads share; overwritten by the large texts that it holds. */
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  /** Members whose large strings become a LargeText. */
  readonly largeTexts: ReadonlySet<string>;
  /** One Int32, 1 once a worker has begun: from then on, the bytes may be others. */
  readonly begun: SharedArrayBuffer;
}

/** What the module of the worker threads gives a thread that runs tasks by itself. */
export interface TasksHere {
  /** Never rejects. */
  run(task: Task): Promise<TaskAnswer>;
  /** Release the descriptors that it holds. */
  close(): void;
}

export interface TaskCall {
  /** Validated parameters of the operation. */
  readonly params: Params[OperationName];
  /** From If-Match; `expected_hash` travels in the parameters. */
  readonly precondition?: Precondition;
  /** From which number the caller counts the lines that errors name; from 1 if absent. The parameters count from 1. */
  readonly lineBase?: LineBase;
  /** Absent if the caller is a program, whose call is taken literally. */
  readonly model?: ModelCall;
  /** Index into the stages. */
  readonly slot: number;
}

/** The longest message to an MCP client, in bytes: the official clients end the session at 10 MiB (spec 10). */
export const mostMessageBytes = 9_437_184;

/** The outcomes of a task's calls, in order. Calls beyond the last one were not begun and are sent again. */
export type TaskAnswer = readonly (Outcome | Undone)[];

/** The group of this call could not be written, so nothing of it was. The call runs again, by itself. */
interface Undone {
  /** Neither done nor failed. */
  readonly ok: null;
  readonly notices?: readonly Notice[];
}

/**
 * How far a call has come. The main thread may move a call to `cancelled` from any stage before `claimed`; the worker
 * advances it only by compare-and-swap. Whoever comes first decides: a call whose time is up is never written, and one
 * that is being written is always waited for (spec 6).
 */
export const Stage = {
  queued: 0,
  /** Waits for the lock of its file. */
  waiting: 1,
  running: 2,
  /** Its commit has begun. */
  claimed: 3,
  cancelled: 4,
  /** Ended without a commit. Its answer may still be on its way, and is lost if the thread dies now. */
  ended: 5,
  /** Its result is made and waits for the rest of its group: if the thread dies now, this call is not to blame. */
  ready: 6,
} as const;
export type Stage = (typeof Stage)[keyof typeof Stage];
