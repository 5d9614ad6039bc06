/**
 * Answers to repeated reads, kept on the main thread so that they never cross to a worker. Each hit is validated by one
 * lstat (1.8 µs), so the cache affects nothing but speed: an entry is valid exactly while its file is the version that
 * was read (src/core/file-identity.ts). Files whose versions could be confused, and files read through a link, are not
 * cached: workers return no identity for them.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Success } from '../core/errors.js';
import { asBuffer } from './parts.js';
import { sameIdentity, type FileIdentity } from '../core/file-identity.js';

interface Entry {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly answer: Success;
  /** Approximate memory in bytes. */
  readonly cost: number;
  /** Hit since the last eviction pass, which spares it once (second chance). */
  used: boolean;
}

/** Bytes per entry besides the answer: key, identity, map slot. */
const overhead = 1024;
/**
 * An answer's buffer may be this many times larger than the answer: room reserved for escapes
 * (workers/answers/json-answer.ts).
 */
const mostWaste = 1.6;
const bigint = { bigint: true, throwIfNoEntry: false } as const;

/** Bounded by --cache-mb (spec 1.1). */
export class ReadCache {
  /** Oldest first; the oldest entry without a recent hit is evicted first. */
  private readonly entries = new Map<string, Entry>();
  /** Bytes held. */
  bytes = 0;
  /** Answers given so far. */
  hits = 0;
  /** Lookups that found no entry or a stale one. */
  misses = 0;
  private closed = false;

  /**
   * @param directory real path of the working directory
   * @param limit in bytes; 0 keeps nothing
   * @param taken the part of the limit that belongs to remembered searches, in bytes
   */
  constructor(
    private readonly directory: string,
    readonly limit: number,
    private readonly taken = 0,
  ) {}

  /** Number of entries. */
  get size(): number {
    return this.entries.size;
  }

  /** The answer kept under this key, if its file has not changed. */
  find(key: string): Success | undefined {
    const entry = this.entries.get(key);
    if (entry !== undefined && isStill(entry)) {
      entry.used = true;
      this.hits += 1;
      return entry.answer;
    }
    this.misses += 1;
    if (entry !== undefined) this.drop(key, entry);
    return undefined;
  }

  /**
   * Cache an answer if it can be validated later.
   * @param key of the operation and all its parameters
   * @param filename the flat name of the file that was read
   * @returns the answer as cached
   */
  keep(key: string, filename: string, answer: Success): Success {
    const { identity, json, notices } = answer;
    if (identity === undefined || json === undefined || notices !== undefined || this.closed) return answer;
    const shares = json.buffer.byteLength > mostWaste * json.byteLength;
    const cost = (shares ? json : json.buffer).byteLength + 2 * key.length + overhead;
    if (cost > this.limit - this.taken) return answer;
    const before = this.entries.get(key);
    if (before !== undefined) this.drop(key, before);
    const kept = shares ? withOwnMemory(answer, json) : withBuffer(answer, json);
    this.entries.set(key, { path: join(this.directory, filename), identity, answer: kept, cost, used: false });
    this.bytes += cost;
    this.shrink();
    return kept;
  }

  /** Drop all entries. */
  clear(): void {
    this.entries.clear();
    this.bytes = 0;
  }

  /** Drop all entries and cache nothing from now on. */
  close(): void {
    this.closed = true;
    this.clear();
  }

  private drop(key: string, entry: Entry): void {
    this.entries.delete(key);
    this.bytes -= entry.cost;
  }

  private shrink(): void {
    for (const [key, entry] of this.entries) {
      if (this.bytes <= this.limit - this.taken) return;
      this.drop(key, entry);
      if (!entry.used) continue;
      entry.used = false;
      this.entries.set(key, entry);
      this.bytes += entry.cost;
    }
  }
}

/** Converted once here instead of on every send. */
function withBuffer(answer: Success, json: Uint8Array): Success {
  return { ...answer, json: asBuffer(json) };
}

/** The answers of a task share one buffer; caching a view would retain the whole buffer. */
function withOwnMemory(answer: Success, json: Uint8Array): Success {
  const own = Buffer.allocUnsafeSlow(json.byteLength);
  own.set(json);
  const members = Object.entries(answer.result).map(([name, value]): [string, unknown] => {
    if (!(value instanceof Uint8Array) || value.buffer !== json.buffer) return [name, value];
    const start = value.byteOffset - json.byteOffset;
    return [name, own.subarray(start, start + value.byteLength)];
  });
  return { ...answer, json: own, result: Object.fromEntries(members) };
}

function isStill({ path, identity }: Entry): boolean {
  try {
    const now = lstatSync(path, bigint);
    return now !== undefined && sameIdentity(now, identity);
  } catch {
    // The worker will report the error.
    return false;
  }
}
