/**
 * The thread contract: everything that crosses the border between the main thread and a worker, besides
 * the Outcome (src/errors.ts). All of it is plain data.
 */
import type { LineBase, Notice, Outcome } from '../src/errors.js';
import type { OperationName, Params, Precondition } from '../src/operations.js';

/** Given to each worker thread when it starts. */
export interface WorkerSetup {
  /** Real path of the working directory. */
  readonly directory: string;
  readonly readOnly: boolean;
  /** Limit of a file and of an edited result, in bytes. */
  readonly maxBytes: number;
  readonly maxLines: number | undefined;
  readonly names: 'portable' | 'unicode';
  readonly durability: 'full' | 'file' | 'none';
  /** Read once before any thread exists: process.umask() sets the mask to read it, and would race. */
  readonly umask: number;
  /** One Int32 for each call in flight on this worker's shard: its stage. */
  readonly stages: SharedArrayBuffer;
}

/** What else a thread of a pool is given. */
export interface ThreadSetup extends WorkerSetup {
  /** Where it counts how long locks and the disk took (workers/timings.ts). */
  readonly timings: SharedArrayBuffer;
  /** Where it notes which descriptors it has others close (workers/closing.ts). */
  readonly closing: SharedArrayBuffer;
}

/**
 * Calls of one operation on their way to a worker: reads, which it runs one after the other, or writes of one file, which
 * it commits together (CONTRACT.md 6).
 */
export interface Task {
  readonly operation: OperationName;
  readonly calls: readonly TaskCall[];
  /** That of earlier answers of this thread, moved back to it. */
  readonly spareMemory: readonly ArrayBuffer[];
}

export interface TaskCall {
  /** Already validated: those of the operation. */
  readonly params: Params[OperationName];
  /** From If-Match; `expected_hash` travels in the parameters. */
  readonly precondition?: Precondition;
  /** How the caller counts the lines that errors name; from 1 if absent. The parameters count from 1. */
  readonly lineBase?: LineBase;
  /** Bytes that the answer of a read may have; `usualRoom` if absent. */
  readonly room?: number;
  /** Index into the stages. */
  readonly slot: number;
}

/** What a read may answer that has asked for nothing more. */
export const usualRoom = 262_144;

/** What became of the calls of a task, in order. Those behind the last one were not begun and are sent again. */
export type TaskAnswer = readonly (Outcome | Undone | Unheld)[];

/** The group of the call could not be written, so nothing of it was. The call is run again, by itself. */
interface Undone {
  /** Neither done nor failed. */
  readonly ok: null;
  readonly notices?: readonly Notice[];
}

/** The answer of a read is larger than its call has room for. The call is run again when it has as much. */
export interface Unheld {
  readonly ok: null;
  /** In bytes. */
  readonly needs: number;
  readonly notices?: readonly Notice[];
}

/**
 * How far a call has come. The main thread may move a call to `cancelled` from any stage before `claimed`,
 * the worker moves it on by compare-and-swap only: whoever comes first decides, so a call whose time is
 * up is never written, and one that is being written is always waited for (CONTRACT.md 6).
 */
export const Stage = {
  queued: 0,
  /** Waits for the lock of its file. */
  waiting: 1,
  running: 2,
  /** Its commit has begun. */
  claimed: 3,
  cancelled: 4,
  /** Its result is made and waits for those of its group: the thread may die now without it. */
  ready: 6,
  /** Ended without a commit; its answer may still be on its way, and is lost if the thread dies now. */
  ended: 5,
} as const;
export type Stage = (typeof Stage)[keyof typeof Stage];
