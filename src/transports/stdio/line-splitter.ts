import { giveBodyMemory, keepBody, leastShared, takeBodyMemory } from '../../core/memory/bodies.js';

const newline = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const tab = 0x09;
/** Minimum buffer for a line longer than a large text. */
const longLine = 1_048_576;

/**
 * Splits a byte stream into lines at each `\n`, dropping it and a preceding `\r`; blank lines are skipped. Holds at
 * most one line, in a buffer that doubles: joining at each chunk would take quadratic time, and a list of chunks a
 * hundred times the bytes if a client writes them one by one.
 */
export class LineSplitter {
  /** Start of the current line, in a buffer with spare room. */
  private held: Buffer = Buffer.alloc(0);
  private length = 0;
  /** The current line is too long; its rest is dropped. */
  private skipping = false;

  /**
   * @param limit longest line in bytes, without its terminator
   * @param onLine receives each line, which may be a view of the pushed chunk: retaining it retains the chunk
   * @param onTooLong called once for each longer line
   */
  constructor(
    private readonly limit: number,
    private readonly onLine: (line: Buffer) => void,
    private readonly onTooLong: () => void,
  ) {}

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.finish(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.hold(chunk.subarray(start));
  }

  /** End of stream: bytes after the last `\n` are a line too. */
  end(): void {
    this.finish(Buffer.alloc(0));
  }

  private finish(rest: Buffer): void {
    let line = rest;
    if (this.length > 0) {
      this.hold(rest);
      line = keepBody(this.held, this.length);
    }
    const skipped = this.skipping;
    this.held = Buffer.alloc(0);
    this.length = 0;
    this.skipping = false;
    if (skipped) return;
    if (line.at(-1) === carriageReturn) line = line.subarray(0, -1);
    if (line.length > this.limit) this.onTooLong();
    else if (!isBlank(line)) this.onLine(line);
  }

  /**
   * A long line uses pooled memory, since its large texts are shared with the threads. A very long line gets the
   * maximum right away: untouched pages take no memory, while the smaller buffers left by doubling would.
   */
  private grow(needed: number): void {
    const most = this.limit + 1;
    const larger =
      needed <= leastShared
        ? Buffer.allocUnsafe(Math.min(2 * needed, most))
        : takeBodyMemory(Math.min(needed <= longLine ? longLine : most, most));
    this.held.copy(larger, 0, 0, this.length);
    giveBodyMemory(this.held.buffer);
    this.held = larger;
  }

  private hold(bytes: Buffer): void {
    if (this.skipping) return;
    const needed = this.length + bytes.length;
    // The byte after the limit may be a `\r`.
    if (needed > this.limit + 1) {
      this.skipping = true;
      giveBodyMemory(this.held.buffer);
      this.held = Buffer.alloc(0);
      this.length = 0;
      this.onTooLong();
      return;
    }
    if (needed > this.held.length) this.grow(needed);
    bytes.copy(this.held, this.length);
    this.length = needed;
  }
}

function isBlank(line: Buffer): boolean {
  let at = 0;
  while (line[at] === space || line[at] === tab || line[at] === carriageReturn) at++;
  return at === line.length;
}
