/**
 * The body of one request as it arrives. In one buffer rather than a list of pieces, since a client may send it byte by
 * byte, and counted in the budget. A large body first asks for permission, for all of its bytes, so that every body
 * that was begun can be received to its end.
 */
import { giveBodyMemory, keepBody, takeBodyMemory } from '../../core/memory/bodies.js';
import type { Budget } from '../../call/budget.js';

/** Bodies of up to this many bytes need no permission. */
export const smallBody = 64 * 1024;

const nothing = Buffer.alloc(0);

interface Source {
  /** Stop reading for now. */
  pause(): void;
  resume(): void;
}

/** A body of which some has arrived. */
export class Body {
  private bytes: Buffer = nothing;
  private length = 0;
  /** Bytes counted piece by piece. */
  private held = 0;
  /** Bytes counted at once, when permission was given. */
  private reserved = 0;
  private leave: 'not asked' | 'waiting' | 'given' | 'over' = 'not asked';
  private stopWaiting: () => void = () => undefined;

  /** `expected`: its whole length in bytes, 0 if unknown; `limit`: a length that it never exceeds. */
  constructor(
    private readonly expected: number,
    private readonly limit: number,
    private readonly budget: Budget,
    private readonly source: Source,
  ) {}

  /** Append a copy of `piece`. */
  append(piece: Buffer): void {
    const needed = this.length + piece.length;
    if (this.leave !== 'given') {
      this.held += piece.length;
      this.budget.hold('other', piece.length);
      if (this.leave === 'not asked' && Math.max(this.expected, needed) > smallBody) this.askLeave();
    }
    if (needed > this.bytes.length) this.grow(needed);
    piece.copy(this.bytes, this.length);
    this.length = needed;
  }

  /** The whole body; nothing more may be appended. It is counted until it is given up. */
  finish(): Buffer {
    const whole = keepBody(this.bytes, this.length);
    // Its call may wait for a file for a long time, and once parsed needs no second copy.
    this.bytes = nothing;
    this.stopAsking();
    return whole;
  }

  /** Nobody needs it any more. May be called repeatedly. */
  giveUp(): void {
    const { held, reserved, bytes } = this;
    this.stopAsking();
    this.leave = 'over';
    this.held = 0;
    this.reserved = 0;
    this.bytes = nothing;
    giveBodyMemory(bytes.buffer);
    if (reserved > 0) this.budget.release('body', reserved);
    if (held > 0) this.budget.release('other', held);
  }

  private stopAsking(): void {
    if (this.leave !== 'waiting') return;
    this.leave = 'over';
    this.stopWaiting();
    this.source.resume();
  }

  private askLeave(): void {
    const bytes = Math.max((this.expected === 0 ? this.limit : this.expected) - this.held, 0);
    if (this.budget.begin('body', bytes)) {
      this.begin(bytes);
      return;
    }
    this.leave = 'waiting';
    this.source.pause();
    this.stopWaiting = this.budget.wait('body', bytes, () => {
      this.begin(bytes);
      this.source.resume();
    });
  }

  private begin(bytes: number): void {
    this.leave = 'given';
    this.reserved = bytes;
  }

  /** Pages of a large buffer that have not been written to take no memory. */
  private grow(needed: number): void {
    const expected = this.leave === 'given' ? this.expected : 0;
    const length = Math.max(expected, needed, Math.min(this.bytes.length * 2, this.limit));
    const larger = takeBodyMemory(length);
    this.bytes.copy(larger, 0, 0, this.length);
    giveBodyMemory(this.bytes.buffer);
    this.bytes = larger;
  }
}
