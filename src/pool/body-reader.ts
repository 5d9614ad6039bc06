import { failure } from '../errors.js';
import { parseJson, type Parsed, type Unread } from '../json/json-body.js';
import { deepestLargeText } from '../json/json-extent.js';
import { isLargeText } from '../json/large-text.js';
import { inSharedMemory } from '../json/shared-bytes.js';
import { settledWithin } from '../settled-within.js';
import { NoThread } from './no-thread.js';
import { Registry } from './registry.js';
import type { Shard } from './shard.js';

/** Others wait for smaller ones for some milliseconds at most, and a thread would take a tenth of one to be asked. */
const leastBeside = 1_048_576;

/** A body that so many threads have died with, of no fault of its own, is refused. */
const mostDeaths = 5;

/** Longer than 100 MB take: where a thread hangs, others do not wait for what it has. */
const longestTurnMs = 2_000;

type Read = Parsed | Unread;

/**
 * Reads the bodies of requests as JSON: large ones in a worker thread, since 100 MB would hold up everyone else for
 * 0.1 to 0.3 s (contract 5.5: any body is refused in < 100 ms of the main thread).
 */
export class BodyReader {
  private readonly reading = new Registry<Promise<unknown>>();
  /** Resolves when the last of the bodies that may write has been read. Undefined if none is being read. */
  private turn: Promise<unknown> | undefined;

  /** @param thread for the next body */
  constructor(
    private readonly thread: () => Pick<Shard, 'readBody'>,
    private readonly timeoutMs: number,
  ) {}

  /**
   * As parseJson does. Rejects if the thread dies of it. Bodies with large texts are of requests that may write: they are
   * handed over in the order in which they came (contract 6: edits of one file run in order of arrival).
   */
  read(bytes: Buffer, largeTexts: ReadonlySet<string>): Read | Promise<Read> {
    const { turn } = this;
    const mayWrite = largeTexts.size > 0;
    if (bytes.length < leastBeside || !inSharedMemory(bytes)) {
      const read = parseJson(bytes, largeTexts);
      return mayWrite && turn !== undefined ? turn.then(() => read) : read;
    }
    const beside = this.readBeside(bytes, largeTexts);
    const leave = this.reading.add(beside);
    beside.then(leave, leave);
    const read = this.inTime(beside);
    if (!mayWrite) return read;
    // Both at once: a thread that dies before the turn comes would leave a rejection that nobody handles, which ends the
    // process. It is told in turn all the same, since whatever comes next waits only for this one.
    const inTurn = turn === undefined ? read : Promise.allSettled([turn, read]).then(() => read);
    const over = settledWithin(inTurn, longestTurnMs);
    this.turn = over;
    void over.then(() => {
      if (this.turn === over) this.turn = undefined;
    });
    return inTurn;
  }

  /** Resolves when none is being read. Never rejects. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.reading.items());
  }

  private async readBeside(
    bytes: Buffer & Uint8Array<SharedArrayBuffer>,
    largeTexts: ReadonlySet<string>,
  ): Promise<Read> {
    const begun = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    for (let deaths = 1; ; deaths++) {
      try {
        const read = await this.thread().readBody({ bytes, largeTexts, begun });
        if (read?.ok === true) return { ok: true, value: inMemoryOf(bytes, read.result['value'], deepestLargeText) };
        if (read?.ok === false && read.kind !== 'internal') return read;
        throw new TypeError(`a body could not be read: ${read?.ok === false ? (read.cause ?? '') : 'no answer'}`);
      } catch (error) {
        // Its operation will say what is wrong. A copy, since the thread that was not to be had may yet come.
        if (error instanceof NoThread) return parseJson(Buffer.from(bytes), largeTexts);
        // The thread may have died of another call before it came to this body.
        if (Atomics.load(new Int32Array(begun), 0) !== 0 || deaths === mostDeaths) throw error;
      }
    }
  }

  /** The thread may be held up by a disk. */
  private async inTime(read: Promise<Read>): Promise<Read> {
    if (await settledWithin(read, this.timeoutMs)) return read;
    return failure('timed_out', `Operation timed out after ${String(this.timeoutMs / 1000)}s`);
  }
}

/**
 * The same value with its large texts in the memory that this thread has had before. What comes from another thread is
 * an object of its own for the same memory, and keeps that until it is collected too.
 */
function inMemoryOf(bytes: Buffer, value: unknown, depth: number): unknown {
  if (isLargeText(value)) {
    const start = value.byteOffset - bytes.byteOffset;
    return bytes.subarray(start, start + value.byteLength);
  }
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  for (const [name, member] of Object.entries(value) as Iterable<[string, unknown]>) {
    if (typeof member === 'object') Reflect.set(value, name, inMemoryOf(bytes, member, depth - 1));
  }
  return value;
}
