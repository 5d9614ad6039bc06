/**
 * The memory that clients make a server hold (spec 6): bodies, answers that they have not taken, and what the calls
 * that are running may answer. Each server has one budget. What does not fit waits, in order of arrival, until a client
 * makes progress or is cut off.
 *
 * There are three queues. Large calls and large bodies leave a reserve to small calls, so clients that ask for
 * megabytes without taking any delay only those who want as much. In each queue one begins in any case when nothing is
 * left that could make room for it, so nobody waits for ever.
 */

/** What waits when there is no room. A small call, or a large one, is counted until its answer is. */
export type Queued = 'small' | 'large' | 'body';

/**
 * What is held: a call or an answer, small or large; a large body, until its call is answered; or what is never asked
 * for before it is there, such as a small body.
 */
export type Held = Queued | 'other';

interface Waiter {
  readonly bytes: number;
  readonly granted: () => void;
}

/** In the order in which they are served. */
const order: readonly Queued[] = ['small', 'large', 'body'];

/**
 * Of one turn of the event loop, in milliseconds, for handing large answers to the system: for 9 MB that are kept ready
 * it takes 5 ms, and 1,000 clients that asked for them together kept everyone else waiting for 4.6 s.
 */
const mostOfTurn = 10;

/** Counts what is held, and keeps those waiting who would take too much. */
export class Budget {
  private readonly held: Record<Held, number> = { small: 0, large: 0, body: 0, other: 0 };
  private total = 0;
  private readonly queues: Readonly<Record<Queued, Set<Waiter>>> = {
    small: new Set(),
    large: new Set(),
    body: new Set(),
  };
  /** What is released when this turn of the event loop ends. */
  private readonly leaving = { small: 0, large: 0 };
  /** What large answers have taken of this turn, in milliseconds. */
  private takenOfTurn = 0;
  private turnEnds = false;
  /** Room may have been made since those that wait were last looked at. */
  private due = false;
  private waking = false;
  private closed = false;
  private readonly mostSmall: number;

  /**
   * @param limit in bytes, like everything here
   * @param reserve what large calls, answers and bodies leave free
   */
  constructor(
    private readonly limit: number,
    private readonly reserve = limit / 8,
  ) {
    // The reserve has room for five of them, each of which may take six times as much as JSON.
    this.mostSmall = reserve / 32;
  }

  /** Whether an answer of so many bytes counts as small or as large. */
  sizeOf(bytes: number): 'small' | 'large' {
    return bytes <= this.mostSmall ? 'small' : 'large';
  }

  /** What large calls and bodies may hold together. */
  get mostLarge(): number {
    return this.limit - this.reserve;
  }

  /** A large call of so many bytes would take nothing from anyone. */
  hasRoom(bytes: number): boolean {
    return this.total + bytes <= this.mostLarge && !this.pressed;
  }

  /** More is held than may be: nothing more should be read. */
  get isFull(): boolean {
    return this.total > this.limit;
  }

  /** Someone waits for memory: then clients that make no progress are cut off sooner. */
  get pressed(): boolean {
    return order.some((as) => {
      const first = firstOf(this.queues[as]);
      return first !== undefined && !this.fits(as, first.bytes);
    });
  }

  /** Count what is there already. */
  hold(as: Held, bytes: number): void {
    this.held[as] += bytes;
    this.total += bytes;
  }

  /** No longer count it. */
  release(as: Held, bytes: number): void {
    this.held[as] -= bytes;
    this.total -= bytes;
    this.wake();
  }

  /** A call has ended. It is counted until the end of this turn: by then, its answer is taken or counted itself. */
  endCall(as: 'small' | 'large', bytes: number): void {
    this.leaving[as] += bytes;
    this.awaitEndOfTurn();
  }

  /** Hold so much from now on; false if it has to wait. */
  begin(as: Queued, bytes: number): boolean {
    if (this.queues[as].size > 0 || !this.mayBegin(as, bytes)) return false;
    this.hold(as, bytes);
    return true;
  }

  /**
   * To be called after `begin` has returned false: `granted` is called once so much is held.
   * @returns a function that stops waiting
   */
  wait(as: Queued, bytes: number, granted: () => void): () => void {
    const waiter = { bytes, granted };
    const queue = this.queues[as];
    queue.add(waiter);
    return () => {
      // What came after it may fit.
      if (queue.delete(waiter)) this.wake();
    };
  }

  /** Handing over a large answer has taken so many milliseconds. After some of them, large calls wait for the next turn. */
  spendTime(ms: number): void {
    this.takenOfTurn += ms;
    this.awaitEndOfTurn();
  }

  /** Nothing waits any more: at the end of a server, every call goes on to be told so. */
  close(): void {
    this.closed = true;
    this.wake();
  }

  private mayBegin(as: Queued, bytes: number): boolean {
    if (this.closed) return true;
    return (as !== 'large' || this.takenOfTurn < mostOfTurn) && this.fits(as, bytes);
  }

  private fits(as: Queued, bytes: number): boolean {
    const { held, total, limit, reserve, mostLarge, queues } = this;
    switch (as) {
      case 'small': {
        // A stream of small calls must not keep out for ever those who need more room.
        const most = queues.large.size + queues.body.size > 0 ? reserve : limit;
        return held.small === 0 || (total + bytes <= limit && held.small + bytes <= most);
      }
      case 'large':
        return held.large === 0 || total + bytes <= mostLarge;
      case 'body':
        // The calls of other bodies, and large answers, will end. All else that is held may be waiting itself.
        return held.large + held.body === 0 || total + bytes <= mostLarge;
    }
  }

  private awaitEndOfTurn(): void {
    if (this.turnEnds) return;
    this.turnEnds = true;
    setImmediate(this.endTurn);
  }

  private readonly endTurn = (): void => {
    const { small, large } = this.leaving;
    this.turnEnds = false;
    this.takenOfTurn = 0;
    this.leaving.small = 0;
    this.leaving.large = 0;
    this.held.small -= small;
    this.held.large -= large;
    this.total -= small + large;
    this.wake();
  };

  /**
   * What is granted may end at once, and so wake the next: one within the other, 1,300 reads that waited for the first
   * one of a server overran the stack, which ended the process. So it only notes that there is more to do.
   */
  private wake(): void {
    this.due = true;
    if (this.waking) return;
    this.waking = true;
    try {
      while (this.due) {
        this.due = false;
        for (const as of order) if (this.queues[as].size > 0) this.serve(as);
      }
    } finally {
      this.waking = false;
    }
  }

  private serve(as: Queued): void {
    const queue = this.queues[as];
    for (const waiter of queue) {
      if (!this.mayBegin(as, waiter.bytes)) return;
      queue.delete(waiter);
      this.hold(as, waiter.bytes);
      waiter.granted();
    }
  }
}

function firstOf(waiters: ReadonlySet<Waiter>): Waiter | undefined {
  const [first] = waiters;
  return first;
}
