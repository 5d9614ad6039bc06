import type { Writable } from 'node:stream';
import { joinParts, partBytes, piecesOf, type JsonPart } from '../json/parts.js';

const newline = '\n';
/** Answers are joined into writes of up to so many bytes; larger ones are written without copying them. */
const joinedBytes = 262_144;
/**
 * From this size on they are joined even while nothing can be written: unjoined, they hold more than is counted,
 * strings twice their bytes and views all of what they are part of.
 */
const mostApart = 16_384;

/** Answers on their way out, one line each. */
export class Outbox {
  /** Bytes that nobody has taken yet. */
  untaken = 0;
  private closed = false;
  private pumpDue = false;
  /** The last answers, and how many bytes they take. */
  private fresh: JsonPart[] = [];
  private freshBytes = 0;
  /** Those before them, in pieces; each group is written at once. */
  private groups: Buffer[][] = [];

  /** @param taken is called when the system has taken some bytes */
  constructor(
    private readonly output: Writable,
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
    if (this.pumpDue) return;
    this.pumpDue = true;
    // After the other answers of this tick, to write them as one piece.
    process.nextTick(this.pump);
  }

  /** Nobody is left to read: what is not written is dropped, and so is what still comes. */
  close(): void {
    this.closed = true;
    this.untaken = 0;
    this.groups = [];
    this.fresh = [];
    this.freshBytes = 0;
  }

  private join(): void {
    if (this.freshBytes === 0) return;
    this.groups.push(this.freshBytes <= joinedBytes ? [joinParts(this.fresh, this.freshBytes)] : piecesOf(this.fresh));
    this.fresh = [];
    this.freshBytes = 0;
  }

  private readonly pump = (): void => {
    const { output } = this;
    this.pumpDue = false;
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
    // Called when the system has taken these bytes.
    this.output.write(piece, () => {
      if (this.closed) return;
      this.untaken -= piece.length;
      this.taken();
    });
  }
}
