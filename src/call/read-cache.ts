/**
 * Answers to repeated reads, kept on the main thread so that they never cross to a worker. Each is checked by one lstat
 * when it is asked for (1.8 µs), so that the cache shows in nothing but speed: an answer holds exactly as long as its
 * file is the version that was read (src/core/file-identity.ts). Files that could pass for another version, and files read
 * through a link, are not kept: workers give their answers no identity.
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
  /** Memory that it takes, in bytes, roughly. */
  readonly cost: number;
  /** Asked for since the last eviction passed it: that gives it a second chance. */
  used: boolean;
}

/** Cost of an entry beside its answer: key, identity, place in the map. */
const overhead = 1024;
/**
 * The memory of an answer may exceed it by this factor: room that its escapes did not need
 * (workers/answers/json-answer.ts).
 */
const mostWaste = 1.6;
const bigint = { bigint: true, throwIfNoEntry: false } as const;

/** Bounded by --cache-mb (spec 1.1). */
export class ReadCache {
  /** Oldest first; the oldest one that nobody asks for is dropped first. */
  private readonly entries = new Map<string, Entry>();
  /** Bytes held now. */
  bytes = 0;
  /** Answers given so far. */
  hits = 0;
  /** How often an answer was asked for that was not known, or no longer true. */
  misses = 0;
  private closed = false;

  /**
   * @param directory real path of the working directory
   * @param limit in bytes; 0 keeps nothing
   */
  constructor(
    private readonly directory: string,
    readonly limit: number,
  ) {}

  /** Answers that are held now. */
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
   * Keep an answer if it can be checked later.
   * @param key of the operation and all its parameters
   * @param filename the flat name of the file that was read
   * @returns the answer as it was kept
   */
  keep(key: string, filename: string, answer: Success): Success {
    const { identity, json, notices } = answer;
    if (identity === undefined || json === undefined || notices !== undefined || this.closed) return answer;
    const shares = json.buffer.byteLength > mostWaste * json.byteLength;
    const cost = (shares ? json : json.buffer).byteLength + 2 * key.length + overhead;
    if (cost > this.limit) return answer;
    const before = this.entries.get(key);
    if (before !== undefined) this.drop(key, before);
    const kept = shares ? withOwnMemory(answer, json) : withBuffer(answer, json);
    this.entries.set(key, { path: join(this.directory, filename), identity, answer: kept, cost, used: false });
    this.bytes += cost;
    this.shrink();
    return kept;
  }

  /** Forget everything. */
  clear(): void {
    this.entries.clear();
    this.bytes = 0;
  }

  /** Forget everything and keep nothing more. */
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
      if (this.bytes <= this.limit) return;
      this.drop(key, entry);
      if (!entry.used) continue;
      entry.used = false;
      this.entries.set(key, entry);
      this.bytes += entry.cost;
    }
  }
}

/** Made once here instead of each time the answer is sent. */
function withBuffer(answer: Success, json: Uint8Array): Success {
  return { ...answer, json: asBuffer(json) };
}

/** The answers of a task share their memory: keeping one would keep all of it. */
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
    // The worker will say what is wrong with it.
    return false;
  }
}
