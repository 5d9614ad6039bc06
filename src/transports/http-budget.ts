/**
 * Memory that clients can make the server hold: bodies that are not complete yet and answers that are not taken
 * yet (contract 6). Beyond the limit nothing more is read and nothing more is started, until somebody has got on
 * or was cut off. Where nobody is left who could, one body or one call goes on in any case: so nobody waits for ever.
 *
 * Large answers leave a part of it to small ones, and wait apart from them: clients that ask for megabytes and take none
 * hold up those who want the same, and nobody else.
 */

import type { AnswerRoom } from '../held-memory.js';

/** A body is being received; a call is being executed, whose answer will have to be held. */
export type Purpose = 'body' | 'read' | 'write';

/** Those in one lane wait for each other. Writes have one of their own, whatever their size: they keep their order. */
type Lane = 'body' | 'small' | 'large' | 'write';

/** In the order in which they are let in: small ones end soonest, and calls give back the bodies that wait with them. */
const lanes: readonly Lane[] = ['small', 'write', 'large', 'body'];

interface Claim {
  readonly purpose: Purpose;
  readonly bytes: number;
  readonly granted: () => void;
  /** So many that came later were let in before. */
  passed: number;
}

/** What does not fit yet lets so many pass that do: no more, or it would wait for ever. */
const mostPassed = 32;
/** So many are asked whether they fit when there is room. */
const mostAsked = 64;

export class Budget {
  /** Bytes, answers and estimates of answers included. */
  private held = 0;
  /** What small calls and answers have of these. */
  private small = 0;
  /** Bytes of large answers that are not taken yet. */
  private largeAnswers = 0;
  private readonly active = { body: 0, small: 0, large: 0 };
  private readonly waiting: Readonly<Record<Lane, Set<Claim>>> = {
    body: new Set(),
    small: new Set(),
    large: new Set(),
    write: new Set(),
  };
  /** A call or an answer up to this is small: a hundred of them have room in what is left to them. */
  private readonly smallBytes: number;

  /**
   * @param limit in bytes, as all here
   * @param reserve what large answers and bodies leave free
   */
  constructor(
    private readonly limit: number,
    private readonly reserve = limit / 8,
  ) {
    this.smallBytes = reserve / 128;
  }

  /** Somebody waits: clients that do not get on are cut off sooner. */
  get pressed(): boolean {
    const { small, write, large, body } = this.waiting;
    return small.size + write.size + large.size + body.size > 0;
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
    if (bytes <= this.smallBytes) this.small += bytes;
    else this.largeAnswers += bytes;
    this.held += bytes;
  }

  /** Give them back. */
  releaseAnswer(bytes: number): void {
    if (bytes <= this.smallBytes) this.small -= bytes;
    else this.largeAnswers -= bytes;
    this.release(bytes);
  }

  /** Begin something of this size; false if it has to wait. */
  begin(purpose: Purpose, bytes: number): boolean {
    const lane = this.laneOf(purpose, bytes);
    const oldest = firstOf(this.waiting[lane]);
    if (!mayPass(lane, oldest) || !this.fits(purpose, bytes)) return false;
    if (oldest !== undefined) oldest.passed++;
    this.start(purpose, bytes);
    return true;
  }

  /**
   * After `begin` said no: `granted` is called once it has begun, in order of arrival; of large reads, a smaller one may
   * come first.
   * @returns call it to wait no longer
   */
  wait(purpose: Purpose, bytes: number, granted: () => void): () => void {
    const claim: Claim = { purpose, bytes, granted, passed: 0 };
    const waiting = this.waiting[this.laneOf(purpose, bytes)];
    waiting.add(claim);
    return () => {
      // What stood behind it may fit.
      if (waiting.delete(claim)) this.wake();
    };
  }

  /** What began has ended. */
  end(purpose: Purpose, bytes: number): void {
    const size = this.sizeOf(purpose, bytes);
    this.active[size] -= 1;
    if (size === 'small') this.small -= bytes;
    this.release(bytes);
  }

  private start(purpose: Purpose, bytes: number): void {
    const size = this.sizeOf(purpose, bytes);
    this.active[size] += 1;
    if (size === 'small') this.small += bytes;
    this.held += bytes;
  }

  private sizeOf(purpose: Purpose, bytes: number): 'body' | 'small' | 'large' {
    if (purpose === 'body') return 'body';
    return bytes <= this.smallBytes ? 'small' : 'large';
  }

  private laneOf(purpose: Purpose, bytes: number): Lane {
    return purpose === 'write' ? 'write' : this.sizeOf(purpose, bytes);
  }

  private fits(purpose: Purpose, bytes: number): boolean {
    const { active, waiting } = this;
    const size = this.sizeOf(purpose, bytes);
    if (size === 'small') {
      if (active.small === 0 && this.small === 0) return true;
      // Many small ones must not keep out those who need more room for ever.
      const othersWait = waiting.large.size + waiting.body.size + waiting.write.size > 0;
      return this.held + bytes <= this.limit && (!othersWait || this.small + bytes <= this.reserve);
    }
    if (this.held + bytes <= this.limit - this.reserve) return true;
    // A call waits for calls and answers; a body for bodies, too. What else is held waits itself.
    const calls = active.small + active.large;
    return this.largeAnswers === 0 && calls === 0 && (size === 'large' || active.body === 0);
  }

  private wake(): void {
    if (!this.pressed) return;
    for (const lane of lanes) if (this.waiting[lane].size > 0) this.wakeAll(lane);
  }

  private wakeAll(lane: Lane): void {
    const waiting = this.waiting[lane];
    let asked = 0;
    for (const claim of waiting) {
      const oldest = firstOf(waiting);
      const isNext = claim === oldest;
      if (!isNext && !mayPass(lane, oldest)) return;
      if (this.fits(claim.purpose, claim.bytes)) {
        if (!isNext && oldest !== undefined) oldest.passed++;
        waiting.delete(claim);
        this.start(claim.purpose, claim.bytes);
        claim.granted();
      }
      if (++asked === mostAsked) return;
    }
  }
}

/** Every call asks, and there is hardly ever one: an iterator would cost as much as all the rest. */
function firstOf(claims: ReadonlySet<Claim>): Claim | undefined {
  if (claims.size === 0) return undefined;
  const [first] = claims;
  return first;
}

/** Large reads differ in size by orders of magnitude, and their order means nothing. */
function mayPass(lane: Lane, oldest: Claim | undefined): boolean {
  return oldest === undefined || (lane === 'large' && oldest.passed < mostPassed);
}

/** What a call that has begun has of the budget, for its answer. */
export class Holding implements AnswerRoom {
  constructor(
    private readonly budget: Budget,
    private readonly purpose: Purpose,
    /** As many as `begin` or `wait` were asked for. */
    public bytes: number,
  ) {}

  async enlarge(bytes: number): Promise<this> {
    const { budget, purpose } = this;
    this.end();
    this.bytes = bytes;
    if (!budget.begin(purpose, bytes)) await new Promise<void>((granted) => budget.wait(purpose, bytes, granted));
    return this;
  }

  /** The call has ended. */
  end(): void {
    this.budget.end(this.purpose, this.bytes);
  }
}
