/**
 * Memory that clients can make the server hold: bodies that are not complete and answers that are not taken yet
 * (spec 6). Beyond the limit nothing more is read or started until a client makes progress or is cut off. If none
 * is left who could, one body or one call goes on in any case, so that nobody waits for ever.
 *
 * Large answers leave part of it to small ones and wait in a lane of their own: clients that ask for megabytes without
 * taking any delay only those who want the same.
 */

/** A body is being received; or a call is being executed, whose answer will have to be held. */
export type Purpose = 'body' | 'read' | 'write';

/**
 * Those in one lane wait for each other. Writes have a lane of their own whatever their size, which keeps their order.
 */
type Lane = 'body' | 'small' | 'large' | 'write';

/** In the order in which they are served: small calls end soonest, and calls release the bodies that wait with them. */
const lanes: readonly Lane[] = ['small', 'write', 'large', 'body'];

interface Waiter {
  readonly purpose: Purpose;
  readonly bytes: number;
  readonly granted: () => void;
  /** How many that came later were served before. */
  passed: number;
}

/** A waiter that does not fit yet lets this many pass that do, but no more, or it would wait for ever. */
const mostPassed = 32;
/** How many waiters are looked at when there is room. */
const mostAsked = 64;

/**
 * Of one turn of the event loop, in milliseconds, for handing large answers to the system: for 9 MB that are kept ready
 * it takes 5 ms, and 1,000 clients that asked for them together kept everyone else waiting for 4.6 s.
 */
const mostOfTurn = 10;

/** Counts the memory that clients hold, and keeps those waiting who would take too much. */
export class Budget {
  /** In bytes, including answers and estimates of answers. */
  private held = 0;
  /** How many of those belong to small calls and answers. */
  private small = 0;
  /** Bytes of large answers that have not been taken yet. */
  private largeAnswers = 0;
  private readonly active = { body: 0, small: 0, large: 0 };
  private readonly waiting: Readonly<Record<Lane, Set<Waiter>>> = {
    body: new Set(),
    small: new Set(),
    large: new Set(),
    write: new Set(),
  };
  /** Room may have been made since those that wait were last looked at. */
  private due = false;
  private waking = false;
  /** What large answers have taken of this turn, in milliseconds. */
  private takenOfTurn = 0;
  /** A call or an answer up to this size is small: what is left to small ones has room for a hundred of them. */
  private readonly smallBytes: number;

  /**
   * @param limit in bytes, like everything here
   * @param reserve what large answers and bodies leave free
   */
  constructor(
    private readonly limit: number,
    private readonly reserve = limit / 8,
  ) {
    this.smallBytes = reserve / 128;
  }

  /** Whether someone waits for memory: then clients that make no progress are cut off sooner. */
  get pressed(): boolean {
    return lanes.some((lane) => {
      const oldest = firstOf(this.waiting[lane]);
      return oldest !== undefined && (this.hasTime(oldest.purpose) || !this.fits(oldest.purpose, oldest.bytes));
    });
  }

  /** Count bytes of a body that have arrived already. */
  hold(bytes: number): void {
    this.held += bytes;
  }

  /** No longer count them. */
  release(bytes: number): void {
    this.held -= bytes;
    this.wake();
  }

  /** Count bytes of an answer that its client has not taken at once. */
  holdAnswer(bytes: number): void {
    if (bytes <= this.smallBytes) this.small += bytes;
    else this.largeAnswers += bytes;
    this.held += bytes;
  }

  /** No longer count them. */
  releaseAnswer(bytes: number): void {
    if (bytes <= this.smallBytes) this.small -= bytes;
    else this.largeAnswers -= bytes;
    this.release(bytes);
  }

  /** Begin something of this size; false if it has to wait. */
  begin(purpose: Purpose, bytes: number): boolean {
    const lane = this.laneOf(purpose, bytes);
    const oldest = firstOf(this.waiting[lane]);
    if (!mayPass(lane, oldest) || !this.fits(purpose, bytes) || !this.hasTime(purpose)) return false;
    if (oldest !== undefined) oldest.passed++;
    this.start(purpose, bytes);
    return true;
  }

  /**
   * Call it after `begin` has returned false: `granted` is called once it has begun, in order of arrival; among
   * large reads, a smaller one may come first.
   * @returns a function that stops waiting
   */
  wait(purpose: Purpose, bytes: number, granted: () => void): () => void {
    const waiter: Waiter = { purpose, bytes, granted, passed: 0 };
    const waiting = this.waiting[this.laneOf(purpose, bytes)];
    waiting.add(waiter);
    return () => {
      // What came after it may fit.
      if (waiting.delete(waiter)) this.wake();
    };
  }

  /** What began has ended. */
  end(purpose: Purpose, bytes: number): void {
    const size = this.sizeOf(purpose, bytes);
    this.active[size] -= 1;
    if (size === 'small') this.small -= bytes;
    this.release(bytes);
  }

  /**
   * Handing over a large answer has taken so many milliseconds. After some of them, reads wait for the next turn of the
   * event loop.
   */
  spendTime(ms: number): void {
    if (this.takenOfTurn === 0) {
      setImmediate(() => {
        this.takenOfTurn = 0;
        this.wake();
      });
    }
    this.takenOfTurn += ms;
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
      // A stream of small calls must not keep out those who need more room for ever.
      const othersWait = waiting.large.size + waiting.body.size + waiting.write.size > 0;
      return this.held + bytes <= this.limit && (!othersWait || this.small + bytes <= this.reserve);
    }
    if (this.held + bytes <= this.limit - this.reserve) return true;
    // A call waits for calls and answers, a body also for bodies. Everything else that is held is waiting itself.
    const calls = active.small + active.large;
    return this.largeAnswers === 0 && calls === 0 && (size === 'large' || active.body === 0);
  }

  /**
   * What is granted may end at once, and so wake the next: one within the other, 1,300 reads that waited for the first
   * one of a server overran the stack, which ended the process. So it only notes that there is more to do.
   */
  private wake(): void {
    if (lanes.every((lane) => this.waiting[lane].size === 0)) return;
    this.due = true;
    if (this.waking) return;
    this.waking = true;
    try {
      while (this.due) {
        this.due = false;
        for (const lane of lanes) if (this.waiting[lane].size > 0) this.wakeAll(lane);
      }
    } finally {
      this.waking = false;
    }
  }

  /** Writes have small answers. */
  private hasTime(purpose: Purpose): boolean {
    return purpose !== 'read' || this.takenOfTurn < mostOfTurn;
  }

  private wakeAll(lane: Lane): void {
    const waiting = this.waiting[lane];
    let asked = 0;
    for (const waiter of waiting) {
      const oldest = firstOf(waiting);
      const isNext = waiter === oldest;
      if (!isNext && !mayPass(lane, oldest)) return;
      if (this.fits(waiter.purpose, waiter.bytes) && this.hasTime(waiter.purpose)) {
        if (!isNext && oldest !== undefined) oldest.passed++;
        waiting.delete(waiter);
        this.start(waiter.purpose, waiter.bytes);
        waiter.granted();
      }
      if (++asked === mostAsked) return;
    }
  }
}

/** Every call asks, and there is hardly ever one: an iterator would cost as much as everything else here. */
function firstOf(waiters: ReadonlySet<Waiter>): Waiter | undefined {
  if (waiters.size === 0) return undefined;
  const [first] = waiters;
  return first;
}

/** Large reads differ in size by orders of magnitude, and their order does not matter. */
function mayPass(lane: Lane, oldest: Waiter | undefined): boolean {
  return oldest === undefined || (lane === 'large' && oldest.passed < mostPassed);
}
