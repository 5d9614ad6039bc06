import { failure, type Failure } from '../errors.js';
import { parseJson, type Parsed, type Unread } from '../json/json-body.js';
import { deepestLargeText } from '../json/json-extent.js';
import { isLargeText } from '../json/large-text.js';
import { inSharedMemory } from '../json/shared-bytes.js';
import { NoThread } from './no-thread.js';
import { Registry } from './registry.js';
import type { Shard } from './shard.js';

/** Others wait for smaller ones for some milliseconds at most, and a thread would take a tenth of one to be asked. */
const leastBeside = 1_048_576;

/**
 * Reads the bodies of requests as JSON: large ones in a worker thread, since 100 MB would hold up everyone else for
 * 0.1 to 0.3 s (contract 5.5: any body is refused in < 100 ms of the main thread).
 */
export class BodyReader {
  private readonly reading = new Registry<Promise<unknown>>();

  /** @param thread for the next body */
  constructor(
    private readonly thread: () => Pick<Shard, 'readBody'>,
    private readonly timeoutMs: number,
  ) {}

  /** As parseJson does. Rejects if the thread dies of it. */
  read(bytes: Buffer, largeTexts: ReadonlySet<string>): Parsed | Unread | Promise<Parsed | Unread> {
    if (bytes.length < leastBeside || !inSharedMemory(bytes)) return parseJson(bytes, largeTexts);
    const read = this.readBeside(bytes, largeTexts);
    const leave = this.reading.add(read);
    read.then(leave, leave);
    return this.inTime(read);
  }

  /** Resolves when none is being read. Never rejects. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.reading.items());
  }

  private async readBeside(
    bytes: Buffer & Uint8Array<SharedArrayBuffer>,
    largeTexts: ReadonlySet<string>,
  ): Promise<Parsed | Unread> {
    try {
      const read = await this.thread().readBody({ bytes, largeTexts });
      if (read?.ok === true) return { ok: true, value: inMemoryOf(bytes, read.result['value'], deepestLargeText) };
      if (read?.ok === false) return read;
      throw new TypeError('a body came back neither read nor unread');
    } catch (error) {
      if (!(error instanceof NoThread)) throw error;
      // Its operation will say what is wrong. A copy, since the thread that was not to be had may yet come.
      return parseJson(Buffer.from(bytes), largeTexts);
    }
  }

  /** The thread may be held up by a disk. */
  private async inTime(read: Promise<Parsed | Unread>): Promise<Parsed | Unread> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Failure>((resolve) => {
      const message = `Operation timed out after ${String(this.timeoutMs / 1000)}s`;
      timer = setTimeout(() => {
        resolve(failure('timed_out', message));
      }, this.timeoutMs);
    });
    try {
      return await Promise.race([read, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * The same value with its large texts in the memory that this thread has had before. What comes from another thread is
 * an object of its own for the same memory, and keeps that until it is collected too.
 */
function inMemoryOf(bytes: Buffer, value: unknown, depth: number): unknown {
  if (isLargeText(value)) return bytes.subarray(value.byteOffset - bytes.byteOffset).subarray(0, value.byteLength);
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  for (const [name, member] of Object.entries(value) as Iterable<[string, unknown]>) {
    if (typeof member === 'object') Reflect.set(value, name, inMemoryOf(bytes, member, depth - 1));
  }
  return value;
}
