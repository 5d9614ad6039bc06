/**
 * Memory that clients can make the server hold: bodies that are not complete yet and answers that are not taken
 * yet (contract 6). Beyond the limit nothing more is read and nothing more is started, except that one body and
 * one call always go on: what is held is then given back sooner or later, so nobody waits for ever.
 */

/** A body is being received; a call is being executed, whose answer will have to be held. */
export type Purpose = 'body' | 'call';

interface Claim {
  readonly bytes: number;
  readonly granted: () => void;
}

export class Budget {
  /** Bytes, estimates of answers included. */
  private held = 0;
  private readonly active = { body: 0, call: 0 };
  private readonly waiting = { body: new Set<Claim>(), call: new Set<Claim>() };

  constructor(private readonly limit: number) {}

  /** Somebody waits: clients that do not get on are cut off sooner. */
  get pressed(): boolean {
    return this.waiting.body.size > 0 || this.waiting.call.size > 0;
  }

  /** Count bytes that exist already. */
  hold(bytes: number): void {
    this.held += bytes;
  }

  /** Give back what was held. */
  release(bytes: number): void {
    this.held -= bytes;
    if (this.waiting.call.size > 0) this.wake('call');
    if (this.waiting.body.size > 0) this.wake('body');
  }

  /** Begin something of this size; false if it has to wait. */
  begin(purpose: Purpose, bytes: number): boolean {
    if (this.waiting[purpose].size > 0 || !this.fits(purpose, bytes)) return false;
    this.active[purpose] += 1;
    this.held += bytes;
    return true;
  }

  /**
   * After `begin` said no: `granted` is called once it has begun, in order of arrival.
   * @returns call it to wait no longer
   */
  wait(purpose: Purpose, bytes: number, granted: () => void): () => void {
    const claim = { bytes, granted };
    this.waiting[purpose].add(claim);
    return () => {
      // What stood behind it may fit.
      if (this.waiting[purpose].delete(claim)) this.wake(purpose);
    };
  }

  /** What began has ended. */
  end(purpose: Purpose, bytes: number): void {
    this.active[purpose] -= 1;
    this.release(bytes);
  }

  private fits(purpose: Purpose, bytes: number): boolean {
    return this.active[purpose] === 0 || this.held + bytes <= this.limit;
  }

  private wake(purpose: Purpose): void {
    for (const claim of this.waiting[purpose]) {
      if (!this.fits(purpose, claim.bytes)) return;
      this.waiting[purpose].delete(claim);
      this.active[purpose] += 1;
      this.held += claim.bytes;
      claim.granted();
    }
  }
}

const bytesPerMb = 1_048_576;

/** Bytes that all clients of a server together may make it hold. */
export function budgetBytes(maxBytes: number): number {
  return Math.max(256 * bytesPerMb, 4 * maxBytes);
}
