import type { Writable } from 'node:stream';
import type { Budget } from '../../call/budget.js';
import { joinParts, partBytes, piecesOf, type JsonPart } from '../../call/parts.js';

const newline = '\n';
/** Answers are joined into writes of up to this size; larger ones are written without a copy. */
const joinedBytes = 262_144;
/**
 * From this size on they are joined even while nothing can be written: unjoined, they hold more memory than is counted,
 * strings twice their bytes and views their whole buffer.
 */
const mostApart = 16_384;
/**
 * The answers of one tick share writes: flush after the 1st, 4th, 16th answer and so on. One write per tick would let a
 * client with ten requests in flight sleep until the last answer is ready, and then the server until the client has
 * read them; flushing early makes 80,000 instead of 60,000 reads per second, in four pairs of runs. One write per
 * answer costs a client with a hundred in flight a fifth.
 */
const nextWriteTimes = 4;

/** Outgoing answers, one line each, counted in the budget until the system has taken them. */
export class Outbox {
  /** Bytes not yet taken by the system. */
  untaken = 0;
  private closed = false;
  /** Answers of this tick, and the one that triggers the next write. */
  private ofTick = 0;
  private nextWriteAt = 1;
  /** The latest answers, not joined yet, and their size. */
  private fresh: JsonPart[] = [];
  private freshBytes = 0;
  /** Earlier answers in pieces; each group is one write. */
  private groups: Buffer[][] = [];

  /** @param taken called whenever the system has taken bytes */
  constructor(
    private readonly output: Writable,
    private readonly budget: Budget,
    private readonly taken: () => void,
  ) {
    output.on('drain', this.pump);
  }

  send(parts: readonly JsonPart[] | null): void {
    if (parts === null || this.closed) return;
    const bytes = parts.reduce((sum, part) => sum + partBytes(part), newline.length);
    if (this.freshBytes + bytes > joinedBytes) this.join();
    for (const part of parts) this.fresh.push(part);
    this.fresh.push(newline);
    this.freshBytes += bytes;
    this.untaken += bytes;
    this.budget.hold('large', bytes);
    if (this.ofTick++ === 0) process.nextTick(this.endTick);
    if (this.ofTick < this.nextWriteAt) return;
    this.nextWriteAt *= nextWriteTimes;
    this.pump();
  }

  /** The reader has gone: drop unwritten answers and all later ones. */
  close(): void {
    const { untaken } = this;
    this.closed = true;
    this.untaken = 0;
    this.groups = [];
    this.fresh = [];
    this.freshBytes = 0;
    this.budget.release('large', untaken);
  }

  private join(): void {
    if (this.freshBytes === 0) return;
    this.groups.push(this.freshBytes <= joinedBytes ? [joinParts(this.fresh, this.freshBytes)] : piecesOf(this.fresh));
    this.fresh = [];
    this.freshBytes = 0;
  }

  private readonly endTick = (): void => {
    this.ofTick = 0;
    this.nextWriteAt = 1;
    this.pump();
  };

  private readonly pump = (): void => {
    const { output } = this;
    while (!output.writableNeedDrain && !this.closed) {
      if (this.groups.length === 0) this.join();
      const group = this.groups.shift();
      if (group === undefined) return;
      if (group.length > 1) output.cork();
      for (const piece of group) this.write(piece);
      if (group.length > 1) output.uncork();
    }
    if (this.freshBytes >= mostApart) this.join();
  };

  private write(piece: Buffer): void {
    // The callback runs when the system has taken these bytes.
    this.output.write(piece, () => {
      if (this.closed) return;
      this.untaken -= piece.length;
      this.budget.release('large', piece.length);
      this.taken();
    });
  }
}
