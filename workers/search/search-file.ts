/** Searches one file, and remembers what it has learned about it. */
import type { BigIntStats } from 'node:fs';
import { SearchMemory } from '../../src/core/thread/search-memory.js';
import type { SearchPart } from '../../src/core/search-part.js';
import { OperationError } from '../../src/core/errors.js';
import { isDoubtful } from '../../src/core/file-identity.js';
import { fstat, lstat, read } from '../disk/calls.js';
import type { OpenFile } from '../disk/paths/open-file.js';
import { withDescriptor } from '../disk/paths/open-listed.js';
import { fileSource, readAll, tooLarge } from '../disk/read.js';
import { isShortage, isSystemError } from '../disk/system-error.js';
import { readStanding } from '../disk/write/standing.js';
import { hashOf } from '../text/text-file.js';
import { textMemory } from '../text/text-memory.js';
import { matchText, type MatchingLine, type Page } from './match.js';
import type { Pattern } from './pattern.js';

export interface FileMatches {
  /** Number of matching lines in the whole file. */
  readonly count: number;
  readonly matches: readonly MatchingLine[];
  /** Number of matching lines after those. */
  readonly left: number;
  readonly hash?: string;
}

/** Why a file was not searched; 'gone' if it is no longer a regular file. */
export type WhyNot = 'binary' | 'too_large' | 'unreadable' | 'gone' | 'too long here';

/** Limit in bytes on reads in a thread that has other work: such a read takes a millisecond, at first three. */
const mostOnShared = 524_288;
/** A file of fewer bytes is read in one step. */
const mostSmall = 262_144;
/** Smallest buffer, in bytes. Its unused part takes no memory, but growing would touch new memory each time. */
const leastBuffer = 1_048_576;
/** After this many files in a row had to be read, only one file in eight is looked up in memory first. */
const mostUnknown = 8;

/** The files of one search, one at a time. */
export class FileSearch {
  readonly #memory: SearchMemory | undefined;
  readonly #column: number;
  /** Columns of searches that match wherever this one does. */
  readonly #wider: readonly number[];
  /** Files in a row that had to be read. */
  #unknown = 0;

  /**
   * @param buffer memory for the texts; replaced if it is too small
   * @param most size of a file, in bytes
   * @param sharesThread whether the thread has other work
   */
  constructor(
    private readonly pattern: Pattern,
    { memory, column, remembered }: Pick<SearchPart, 'memory' | 'column' | 'remembered'>,
    public buffer: Buffer,
    private readonly most: number,
    private readonly sharesThread: boolean,
  ) {
    this.#memory = memory === undefined ? undefined : new SearchMemory(memory);
    this.#column = column;
    this.#wider = remembered.filter(({ text }) => pattern.requires(text)).map((each) => each.column);
  }

  /**
   * Search a file that its directory lists as regular.
   * @param path for system calls
   * @param returnHash whether to hash it, if it has a match
   * @throws the system error of a shortage
   */
  *inListed(path: string, page: Page, returnHash: boolean): Generator<undefined, FileMatches | WhyNot> {
    try {
      if (this.#unknown < mostUnknown || this.#unknown % mostUnknown === 0) {
        const stats = lstat(path);
        if (stats?.isFile() !== true) return 'gone';
        const known = this.#recall(stats, page, returnHash);
        if (known !== undefined) {
          this.#unknown = 0;
          return known;
        }
      }
      this.#unknown += 1;
      const opened = withDescriptor(path, (fd) => this.#readSmall(fd) ?? this.#read({ fd, stats: fstat(fd) }));
      return typeof opened === 'string' ? opened : yield* this.#match(opened, page, returnHash);
    } catch (error) {
      if (error instanceof OperationError && error.kind === 'too_large') return 'too_large';
      if (!isSystemError(error) || isShortage(error.code)) throw error;
      return error.code === 'ENOENT' || error.code === 'ELOOP' ? 'gone' : 'unreadable';
    }
  }

  /** Search an open file. @throws OperationError too_large; the system error if it cannot be read */
  *inOpen(file: OpenFile, page: Page, returnHash: boolean): Generator<undefined, FileMatches | WhyNot> {
    const opened = this.#read(file);
    return typeof opened === 'string' ? opened : yield* this.#match(opened, page, returnHash);
  }

  /** What is known without reading the file; undefined if that is not enough. */
  #recall(stats: BigIntStats, { limit }: Page, returnHash: boolean): FileMatches | WhyNot | undefined {
    const memory = this.#memory;
    const record = memory?.find(stats);
    if (memory === undefined || record === undefined) return undefined;
    const count = memory.countIn(record, this.#column);
    if (count === 'binary') return 'binary';
    if (count === 0 || this.#wider.some((column) => memory.countIn(record, column) === 0)) {
      return { count: 0, matches: [], left: 0 };
    }
    if (count === undefined || limit > 0 || returnHash) return undefined;
    return { count, matches: [], left: count };
  }

  /**
   * Most files are small and have not changed for a while. One look at the stats after the read proves that, at half
   * the cost.
   * @returns undefined if it needs more care
   */
  #readSmall(fd: number): ReadFile | undefined {
    const now = Date.now();
    this.#reserve(mostSmall);
    const length = read(fd, this.buffer, 0, mostSmall, 0);
    if (length === 0 || length === mostSmall) return undefined;
    const stats = fstat(fd);
    if (!stats.isFile() || Number(stats.size) !== length || isDoubtful(stats, now)) return undefined;
    return { bytes: this.buffer.subarray(0, length), stats };
  }

  /** @throws OperationError too_large; the system error */
  #read({ fd, stats: first }: Pick<OpenFile, 'fd' | 'stats'>): ReadFile | WhyNot {
    if (!first.isFile()) return 'gone';
    if (this.sharesThread && first.size > mostOnShared) return 'too long here';
    const { result, stats, stood, doubtful } = readStanding({ fd, stats: first }, (seen) => this.#bytesOf(fd, seen));
    return { bytes: result, stats: stood && !doubtful ? stats : undefined };
  }

  #bytesOf(fd: number, stats: BigIntStats): Buffer {
    const { most } = this;
    const size = Number(stats.size);
    // Most such files are empty, but not those of /proc.
    if (size === 0) return readAll({ fd, stats }, most);
    if (size > most) throw tooLarge(size, most);
    this.#reserve(size);
    return this.buffer.subarray(0, fileSource(fd, size, most)(this.buffer.subarray(0, size), 0));
  }

  #reserve(bytes: number): void {
    const { length } = this.buffer;
    if (length >= bytes) return;
    textMemory.free([this.buffer]);
    this.buffer = textMemory.take(Math.max(bytes, leastBuffer));
  }

  *#match({ bytes, stats }: ReadFile, page: Page, returnHash: boolean): Generator<undefined, FileMatches | 'binary'> {
    const found = yield* matchText(bytes, this.pattern, page);
    if (stats !== undefined) this.#remember(stats, found === 'binary' ? found : found.count);
    if (found === 'binary' || found.count === 0 || !returnHash) return found;
    return { ...found, hash: hashOf(bytes) };
  }

  #remember(stats: BigIntStats, count: number | 'binary'): void {
    const memory = this.#memory;
    const record = memory?.find(stats) ?? memory?.add(stats);
    if (record !== undefined) memory?.setCount(record, this.#column, count);
  }
}

interface ReadFile {
  readonly bytes: Buffer;
  /** Undefined if they do not prove that the file is unchanged. */
  readonly stats: BigIntStats | undefined;
}
