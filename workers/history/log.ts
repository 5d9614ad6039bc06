/**
 * Appends to the log of the history (spec 18): one line a change, written while the file of the line is locked. The log
 * has a lock of its own, held for one write, which decides the order and with it the ids.
 */
import { closeSync, constants, fsyncSync } from 'node:fs';
import { OperationError, type Notice } from '../../src/core/errors.js';
import { fstat, ftruncate, lstat, open, toReadAndWrite, write } from '../disk/calls.js';
import { letOwnerIn } from '../disk/lock/reserved.js';
import { tryLock, unlock } from '../disk/lock/system-lock.js';
import type { Anchor } from '../disk/paths/anchor.js';
import { isSystemError, noticeOf, pause, retrying } from '../disk/system-error.js';
import { LF } from '../text/separators.js';
import { idAt } from './change-id.js';
import type { HistoryLimits } from '../../src/core/thread/task.js';
import { KnownFiles } from './known-files.js';
import { keptBytesOf, parseLine, type RecordedChange, type NewChange } from './recorded-change.js';
import { dayMs } from './retention.js';
import { bytesFrom, linesFrom, linesIn, segmentAt, segmentsIn, type Segment } from './segments.js';

const flags = toReadAndWrite | constants.O_CREAT | constants.O_APPEND;

/** In bytes. A reader reads a segment at once, and retention removes whole ones. */
const mostSegment = 1_048_576;
/** Retention forgets whole segments, so each may hold at most one in so many parts of what is kept. */
const segmentsKept = 32;

/** Milliseconds until a lock that is held for one write counts as stuck. */
const stuckMs = 10_000;

export class HistoryLog {
  #segment: Segment;
  #fd: number;
  /** The descriptor of the segment before: a sync of other calls may still use it. */
  #retired: number | undefined;
  /** Bytes of the kept files of this segment, as far as they have been learned. */
  #keptBytes = 0;
  /** What lies before has been learned. */
  #seen: number;
  readonly #known: KnownFiles;

  /** When its first line was written, in milliseconds since 1970. */
  #began = Infinity;

  /**
   * @param start where the log begins if there is none yet
   * @param limits undefined for a server without --history, which only finishes what others have begun
   * @param isSynced whether the log is on disk before a change is acknowledged
   * @param isDirectorySynced whether the names of new segments are, too
   * @throws the system error
   */
  constructor(
    private readonly directory: Anchor,
    start: number,
    private readonly limits: HistoryLimits | undefined,
    private readonly isSynced: boolean,
    private readonly isDirectorySynced: boolean,
  ) {
    this.#segment = segmentsIn(directory).at(-1) ?? segmentAt(start);
    this.#fd = this.#open(this.#segment);
    this.#seen = this.#segment.start;
    this.#known = new KnownFiles(directory, this.#seen);
    this.#learn();
  }

  /** Behind the last line that is known. */
  get end(): number {
    return this.#seen;
  }

  /** For syncs. */
  get fd(): number {
    return this.#fd;
  }

  close(): void {
    closeSync(this.#fd);
    if (this.#retired !== undefined) closeSync(this.#retired);
    this.#retired = undefined;
  }

  /**
   * Write a line for each change. None is written if this fails.
   * @returns what was written; undefined if another program has removed the log
   * @throws the system error; OperationError write_failed if another process does not let go of the log
   */
  append(records: readonly NewChange[], notices: Notice[]): readonly RecordedChange[] | undefined {
    for (;;) {
      const fd = this.#fd;
      lock(fd);
      try {
        const { size, nlink } = fstat(fd);
        if (nlink === 0n) return undefined;
        if (!this.#goOnIfFull(Number(size), notices)) return this.#write(records, Number(size));
      } finally {
        unlock(fd);
      }
    }
  }

  /** Begin a new segment if limits were lowered: retention forgets whole ones, and never the newest. */
  closeFull(notices: Notice[]): void {
    const fd = this.#fd;
    lock(fd);
    try {
      this.#goOnIfFull(Number(fstat(fd).size), notices);
    } finally {
      unlock(fd);
    }
  }

  #open({ name }: Segment): number {
    const fd = open(this.directory.path(name), flags, 0o600);
    letOwnerIn(fd, fstat(fd));
    return fd;
  }

  /** @param size of the locked segment @returns whether the next one has been opened instead */
  #goOnIfFull(size: number, notices: Notice[]): boolean {
    const next = segmentAt(this.#segment.start + size);
    const isComplete = size > 0 && lstat(this.directory.path(next.name)) !== undefined;
    if (!isComplete && !(this.#isFull(size) && this.#begin(next, notices))) return false;
    this.#goOn(next);
    return true;
  }

  #goOn(next: Segment): void {
    const fd = this.#open(next);
    // Its last lines are of calls that sync the descriptor of now.
    if (this.isSynced) fsyncSync(this.#fd);
    if (this.#retired !== undefined) closeSync(this.#retired);
    this.#retired = this.#fd;
    this.#fd = fd;
    this.#segment = next;
    this.#keptBytes = 0;
    this.#began = Infinity;
  }

  #write(records: readonly NewChange[], size: number): readonly RecordedChange[] {
    const end = this.#segment.start + size;
    if (this.#seen < end) this.#learn();
    // A killed process or a full disk has left half a line.
    const isTorn = size > 0 && bytesFrom(this.#fd, size - 1, size)[0] !== LF;
    const lines: Buffer[] = isTorn ? [Buffer.from('\n')] : [];
    let position = isTorn ? end + 1 : end;
    const time = new Date().toISOString();
    let previous: string | undefined;
    const written = records.map(({ follows, ...record }): RecordedChange => {
      const files = this.#known.compared(record.files);
      const made = { id: idAt(position), time, ...record, files, on: follows === true ? previous : undefined };
      const line = Buffer.from(`${JSON.stringify(made)}\n`);
      previous = made.id;
      lines.push(line);
      position += line.length;
      this.#note(made, position);
      return made;
    });
    writeAll(this.#fd, Buffer.concat(lines), size);
    this.#seen = position;
    return written;
  }

  /** Whether retention could not forget its lines soon enough if there were more. */
  #isFull(size: number): boolean {
    if (size === 0) return false;
    const { days, mostBytes } = this.limits ?? { days: Infinity, mostBytes: Infinity };
    const isLong = size >= Math.min(mostSegment, mostBytes / 256) || this.#keptBytes > mostBytes / segmentsKept;
    return isLong || Date.now() - this.#began > (days * dayMs) / segmentsKept;
  }

  /** Begin a segment where this one ends: appenders go on there. @returns false if it cannot be made */
  #begin(next: Segment, notices: Notice[]): boolean {
    try {
      closeSync(this.#open(next));
      // Nobody writes to it before this lock is released.
      if (this.isDirectorySynced) fsyncSync(this.directory.readable);
      return true;
    } catch (error) {
      if (!isSystemError(error)) throw error;
      notices.push(noticeOf('The next file of the history could not be made; this one grows', error));
      return false;
    }
  }

  #note(change: RecordedChange, position: number): void {
    this.#known.learn(change);
    if (position < this.#segment.start) return;
    this.#began = Math.min(this.#began, Date.parse(change.time));
    this.#keptBytes += keptBytesOf(change);
  }

  /** Read what others have written. */
  #learn(): void {
    const { start } = this.#segment;
    // Mostly a few lines of the newest file, which is open.
    const lines =
      this.#seen < start
        ? linesFrom(this.directory, this.#seen)
        : linesIn(bytesFrom(this.#fd, this.#seen - start, Number(fstat(this.#fd).size)), this.#seen);
    for (const line of lines) {
      const record = parseLine(line);
      if (record !== undefined) this.#note(record, line.position);
      this.#seen = line.position + line.bytes.length + 1;
    }
  }
}

function lock(fd: number): void {
  const began = performance.now();
  while (!retrying(() => tryLock(fd))) {
    const waited = performance.now() - began;
    if (waited > stuckMs) throw new OperationError('write_failed', 'Failed to write the history: its log stays locked');
    // It is held for one write; later, waiting must not take a processor.
    pause(waited < 5 ? 0.05 : 1);
  }
}

/** All or nothing. */
function writeAll(fd: number, bytes: Buffer, size: number): void {
  try {
    for (let at = 0; at < bytes.length;) at += write(fd, bytes, at);
  } catch (error) {
    ftruncate(fd, size);
    throw error;
  }
}
