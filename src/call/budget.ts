/**
 * The memory that clients make a server hold (spec 6): bodies of requests, answers that they have not taken, and what
 * running calls may answer. Each server has one budget. What does not fit waits until a client makes progress or is cut
 * off.
 *
 * There are three queues, each in order of arrival: small calls, large calls, and large bodies. A reserve is kept for
 * small calls, so clients that ask for megabytes and take none of them delay only each other. In each queue the first
 * one begins in any case once nothing is held that could still be released for it, so none waits for ever.
 */

/** What can wait for memory: a small call, a large call, a large body. */
export type Queued = 'small' | 'large' | 'body';

/**
 * What memory is counted as: a call, and then its answer, as small or large; a large body, until its call is answered.
 * `other` is memory that is already taken when it is counted, such as a small body.
 */
export type Held = Queued | 'other';

interface Waiter {
  readonly bytes: number;
  readonly granted: () => void;
}

/** In the order in which the queues are served. */
const queuedKinds: readonly Queued[] = ['small', 'large', 'body'];

/**
 * How long handing large answers to the system may take in one turn of the event loop, in milliseconds; the other large
 * calls wait for the next turn. An answer of 9 MB takes 5 ms: 1,000 clients that asked for one together kept everyone
 * else waiting for 4.6 s.
 */
const mostOfTurn = 10;

/** Counts what is held, and lets wait what would be too much. All sizes are in bytes. */
export class Budget {
  private readonly held: Record<Held, number> = { small: 0, large: 0, body: 0, other: 0 };
  /** The sum of those. */
  private total = 0;
  private readonly queues: Readonly<Record<Queued, Set<Waiter>>> = {
    small: new Set(),
    large: new Set(),
    body: new Set(),
  };
  /** Memory of calls that have ended in this turn of the event loop: released when the turn ends. */
  private readonly endedInTurn = { small: 0, large: 0 };
  /** How long handing over large answers has taken in this turn, in milliseconds. */
  private spentInTurn = 0;
  /** Whether `endTurn` is scheduled. */
  private awaitsEndOfTurn = false;
  private isServing = false;
  /** Room may have been made while the queues were being served. */
  private mustServeAgain = false;
  private closed = false;
  private readonly mostSmall: number;

  /** @param reserve what large calls, large answers and large bodies leave free */
  constructor(
    private readonly limit: number,
    private readonly reserve = limit / 8,
  ) {
    // The reserve has room for five small calls, each of which may take six times as much as JSON.
    this.mostSmall = reserve / 32;
  }

  /** Whether a call or an answer of so many bytes counts as small or as large. */
  sizeOf(bytes: number): 'small' | 'large' {
    return bytes <= this.mostSmall ? 'small' : 'large';
  }

  /** How much may be held when a large call or body begins. */
  get mostLarge(): number {
    return this.limit - this.reserve;
  }

  /** Whether a large call of so many bytes could begin without delaying anything that waits. */
  hasRoom(bytes: number): boolean {
    return this.total + bytes <= this.mostLarge && !this.pressed;
  }

  /** Whether more is held than the limit: nothing more should be read from clients. */
  get isFull(): boolean {
    return this.total > this.limit;
  }

  /** Whether something waits for memory: then clients that make no progress are cut off sooner. */
  get pressed(): boolean {
    return queuedKinds.some((as) => {
      const [first] = this.queues[as];
      return first !== undefined && !this.fits(as, first.bytes);
    });
  }

  /** Counts memory whether there is room for it or not. */
  hold(as: Held, bytes: number): void {
    this.held[as] += bytes;
    this.total += bytes;
  }

  /** No longer counts it. */
  release(as: Held, bytes: number): void {
    this.held[as] -= bytes;
    this.total -= bytes;
    this.serve();
  }

  /**
   * Releases what a call held, at the end of this turn of the event loop: by then its answer has been taken, or is counted
   * itself.
   */
  endCall(as: 'small' | 'large', bytes: number): void {
    this.endedInTurn[as] += bytes;
    this.scheduleEndOfTurn();
  }

  /** Holds so much if there is room, and nothing of its kind waits. @returns false if it has to wait */
  begin(as: Queued, bytes: number): boolean {
    if (this.queues[as].size > 0 || !this.mayBegin(as, bytes)) return false;
    this.hold(as, bytes);
    return true;
  }

  /**
   * For what `begin` has refused.
   * @param granted is called once so much is held
   * @returns a function that stops waiting
   */
  wait(as: Queued, bytes: number, granted: () => void): () => void {
    const waiter = { bytes, granted };
    const queue = this.queues[as];
    queue.add(waiter);
    return () => {
      // What came after it may fit.
      if (queue.delete(waiter)) this.serve();
    };
  }

  /** Notes how long handing over a large answer has taken. */
  spendTime(ms: number): void {
    this.spentInTurn += ms;
    this.scheduleEndOfTurn();
  }

  /** Nothing waits any more: the server ends, and every call goes on to be told so. */
  close(): void {
    this.closed = true;
    this.serve();
  }

  private mayBegin(as: Queued, bytes: number): boolean {
    if (this.closed) return true;
    return (as !== 'large' || this.spentInTurn < mostOfTurn) && this.fits(as, bytes);
  }

  private fits(as: Queued, bytes: number): boolean {
    const { held, total, limit, reserve, mostLarge, queues } = this;
    switch (as) {
      case 'small': {
        // A stream of small calls must not keep larger ones out for ever.
        const most = queues.large.size + queues.body.size > 0 ? reserve : limit;
        return held.small === 0 || (total + bytes <= limit && held.small + bytes <= most);
      }
      case 'large':
        return held.large === 0 || total + bytes <= mostLarge;
      case 'body':
        // Large answers will be taken, and the calls of other bodies will end. All else may itself be waiting.
        return held.large + held.body === 0 || total + bytes <= mostLarge;
    }
  }

  private scheduleEndOfTurn(): void {
    if (this.awaitsEndOfTurn) return;
    this.awaitsEndOfTurn = true;
    setImmediate(this.endTurn);
  }

  private readonly endTurn = (): void => {
    const { small, large } = this.endedInTurn;
    this.awaitsEndOfTurn = false;
    this.spentInTurn = 0;
    this.endedInTurn.small = 0;
    this.endedInTurn.large = 0;
    this.held.small -= small;
    this.held.large -= large;
    this.total -= small + large;
    this.serve();
  };

  /**
   * Begins what fits now. What begins may end at once, which calls this again. Done recursively, 1,300 reads that waited
   * for the first one of a server overran the stack and ended the process; so the inner call only notes that there is more
   * to do.
   */
  private serve(): void {
    this.mustServeAgain = true;
    if (this.isServing) return;
    this.isServing = true;
    try {
      while (this.mustServeAgain) {
        this.mustServeAgain = false;
        for (const as of queuedKinds) if (this.queues[as].size > 0) this.serveQueue(as);
      }
    } finally {
      this.isServing = false;
    }
  }

  private serveQueue(as: Queued): void {
    const queue = this.queues[as];
    for (const waiter of queue) {
      if (!this.mayBegin(as, waiter.bytes)) return;
      queue.delete(waiter);
      this.hold(as, waiter.bytes);
      waiter.granted();
    }
  }
}
