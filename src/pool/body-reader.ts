import { timedOut } from '../core/failures.js';
import { parseJson, type Parsed, type Unread } from '../core/json/json-body.js';
import { deepestLargeText, isLargeText } from '../core/json/large-text.js';
import { lendBody } from '../core/json/lent-texts.js';
import { inSharedMemory } from '../core/memory/shared.js';
import { settledWithin } from '../settled-within.js';
import type { Shard } from './shard.js';
import { NoThread } from './thread.js';

/**
 * Parsing a smaller body blocks the main thread for a few milliseconds at most; a round trip to a thread takes 0.1 ms.
 */
const leastBeside = 1_048_576;

/** A body is refused once this many threads have died with it, even through no fault of its own. */
const mostDeaths = 5;

/** Longer than parsing 100 MB takes: bodies queue at most this long behind a thread that hangs. */
const longestTurnMs = 2_000;

type Read = Parsed | Unread;

interface Ended {
  readonly read: Read;
  /** Whether all threads have finished with the body. */
  readonly over: boolean;
}

/**
 * Parses request bodies: large ones in a worker thread, since 100 MB would block everyone else for 0.1 to 0.3 s (spec
 * 5.5: any body is refused in < 100 ms of the main thread).
 */
export class BodyReader {
  private readonly reading = new Set<Promise<unknown>>();
  /** Resolves when the latest body that may write has been parsed. Undefined if none is being parsed. */
  private turn: Promise<unknown> | undefined;

  /** @param thread picks one for the next body */
  constructor(
    private readonly thread: () => Pick<Shard, 'readBody'>,
    private readonly timeoutMs: number,
  ) {}

  /**
   * Like parseJson. Rejects if the thread dies of the body. Once parsed, a body in shared memory belongs to the calls
   * with its texts and must not be used in a later turn of the event loop. Bodies with large texts belong to requests
   * that may write, so they are delivered in order of arrival (spec 6: edits of one file run in order of arrival).
   */
  read(bytes: Buffer, largeTexts: ReadonlySet<string>): Read | Promise<Read> {
    const { turn } = this;
    const mayWrite = largeTexts.size > 0;
    const handOver = ({ read, over }: Ended): Read => {
      if (over) lendBody(bytes, read);
      return read;
    };
    if (bytes.length < leastBeside || !inSharedMemory(bytes)) {
      const ended = { read: parseJson(bytes, largeTexts), over: true };
      return mayWrite && turn !== undefined ? turn.then(() => handOver(ended)) : handOver(ended);
    }
    const beside = this.readBeside(bytes, largeTexts);
    this.reading.add(beside);
    const leave = (): void => void this.reading.delete(beside);
    beside.then(leave, leave);
    const ended = this.inTime(beside);
    if (!mayWrite) return ended.then(handOver);
    // Await both: the death of a thread before its turn would otherwise be an unhandled rejection, which ends the
    // process. It is still reported in turn, since the next body waits only for this one.
    const inTurn = turn === undefined ? ended : Promise.allSettled([turn, ended]).then(() => ended);
    const over = settledWithin(inTurn, longestTurnMs);
    this.turn = over;
    void over.then(() => {
      if (this.turn === over) this.turn = undefined;
    });
    return inTurn.then(handOver);
  }

  /** Resolves when no body is being parsed. Never rejects. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.reading);
  }

  private async readBeside(
    bytes: Buffer & Uint8Array<SharedArrayBuffer>,
    largeTexts: ReadonlySet<string>,
  ): Promise<Ended> {
    const begun = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    for (let deaths = 0; ; deaths++) {
      try {
        const answer = await this.thread().readBody({ bytes, largeTexts, begun });
        // A thread that died while parsing the body, or is being ended, may still use it.
        const over = deaths === 0 && !(answer?.ok === false && answer.kind === 'shutting_down');
        if (answer?.ok === true) {
          return { read: { ok: true, value: inMemoryOf(bytes, answer.result['value'], deepestLargeText) }, over };
        }
        if (answer?.ok === false && answer.kind !== 'internal') return { read: answer, over };
        throw new TypeError(`a body could not be read: ${answer?.ok === false ? (answer.cause ?? '') : 'no answer'}`);
      } catch (error) {
        // Parse here and let the operation report the shortage. A copy, since the thread may still start later.
        if (error instanceof NoThread) return { read: parseJson(Buffer.from(bytes), largeTexts), over: false };
        // The thread may have died of another call before it started this body.
        if (Atomics.load(new Int32Array(begun), 0) !== 0 || deaths + 1 === mostDeaths) throw error;
      }
    }
  }

  /** The thread may be blocked by a disk. */
  private async inTime(ended: Promise<Ended>): Promise<Ended> {
    if (await settledWithin(ended, this.timeoutMs)) return ended;
    return { read: timedOut(this.timeoutMs), over: false };
  }
}

/**
 * Rebases the value's large texts onto this thread's view of the memory. A view received from another thread is a
 * separate object that keeps the memory alive until it is collected too.
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
