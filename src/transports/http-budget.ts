/**
 * Memory that clients can make the server hold: bodies that are not complete yet and answers that are not taken
 * yet (contract 6). Beyond the limit nothing more is read and nothing more is started, until somebody has got on
 * or was cut off. Where nobody is left who could, one body or one call goes on in any case: so nobody waits for ever.
 */

/** A body is being received; a call is being executed, whose answer will have to be held. */
export type Purpose = 'body' | 'call';

interface Claim {
  readonly bytes: number;
  readonly granted: () => void;
}

export class Budget {
  /** Bytes, answers and estimates of answers included. */
  private held = 0;
  /** Bytes of answers that are not taken yet. */
  private answers = 0;
  private readonly active = { body: 0, call: 0 };
  private readonly waiting = { body: new Set<Claim>(), call: new Set<Claim>() };

  constructor(private readonly limit: number) {}

  /** Somebody waits: clients that do not get on are cut off sooner. */
  get pressed(): boolean {
    return this.waiting.body.size > 0 || this.waiting.call.size > 0;
  }

  /** Count bytes of a body that are there already. */
  hold(bytes: number): void {
    this.held += bytes;
  }

  /** Give them back. */
  release(bytes: number): void {
    this.held -= bytes;
    this.wake();
  }

  /** Count bytes of an answer that its client does not take at once. */
  holdAnswer(bytes: number): void {
    this.answers += bytes;
    this.held += bytes;
  }

  /** Give them back. */
  releaseAnswer(bytes: number): void {
    this.answers -= bytes;
    this.release(bytes);
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
      if (this.waiting[purpose].delete(claim)) this.wake();
    };
  }

  /** What began has ended. */
  end(purpose: Purpose, bytes: number): void {
    this.active[purpose] -= 1;
    this.release(bytes);
  }

  private fits(purpose: Purpose, bytes: number): boolean {
    if (this.held + bytes <= this.limit) return true;
    // A call waits for calls and answers; a body for bodies, too. What else is held waits itself.
    return this.answers === 0 && this.active.call === 0 && (purpose === 'call' || this.active.body === 0);
  }

  /** Calls first: they give back the bodies that wait with them. */
  private wake(): void {
    if (this.waiting.call.size > 0) this.wakeAll('call');
    if (this.waiting.body.size > 0) this.wakeAll('body');
  }

  private wakeAll(purpose: Purpose): void {
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
