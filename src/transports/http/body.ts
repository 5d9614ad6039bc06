/**
 * Receives a request body into one buffer, counted in the budget. A list of pieces would be wasteful for a client that
 * sends byte by byte. A large body first reserves memory for its whole length, so that every body that was begun can be
 * received completely.
 */
import { giveBodyMemory, keepBody, takeBodyMemory } from '../../core/memory/bodies.js';
import type { Budget } from '../../call/budget.js';

/** Bodies up to this size reserve nothing. */
export const smallBody = 64 * 1024;

const nothing = Buffer.alloc(0);

interface Source {
  /** Suspend reading. */
  pause(): void;
  resume(): void;
}

/** A partially received body. */
export class Body {
  private bytes: Buffer = nothing;
  private length = 0;
  /** Bytes counted per piece. */
  private held = 0;
  /** Bytes reserved up front. */
  private reserved = 0;
  private leave: 'not asked' | 'waiting' | 'given' | 'over' = 'not asked';
  private stopWaiting: () => void = () => undefined;

  /** `expected`: total length in bytes, 0 if unknown; `limit`: maximum length. */
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

  /** The whole body; nothing more may be appended. It counts in the budget until `giveUp`. */
  finish(): Buffer {
    const whole = keepBody(this.bytes, this.length);
    // Drop the buffer: the call may wait long for its file, and once parsed needs no second copy.
    this.bytes = nothing;
    this.stopAsking();
    return whole;
  }

  /** Release the body. Idempotent. */
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

  /** Untouched pages of a large buffer take no memory. */
  private grow(needed: number): void {
    const expected = this.leave === 'given' ? this.expected : 0;
    const length = Math.max(expected, needed, Math.min(this.bytes.length * 2, this.limit));
    const larger = takeBodyMemory(length);
    this.bytes.copy(larger, 0, 0, this.length);
    giveBodyMemory(this.bytes.buffer);
    this.bytes = larger;
  }
}
