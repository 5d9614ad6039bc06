/**
 * The memory that clients make a server hold (spec 6): request bodies, answers they have not read yet, and the possible
 * answers of running calls. Each server has one budget. Requests that do not fit wait until a client makes progress or
 * is cut off.
 *
 * There are three FIFO queues: small calls, large calls and large bodies. A reserve is kept for small calls, so clients
 * that ask for megabytes and never read them delay only each other. No queue starves: once nothing of its kind is
 * held (for a body: neither a body nor a large call or answer), its first request starts, however large.
 */

/** Kinds of request that can wait for memory. */
export type Queued = 'small' | 'large' | 'body';

/**
 * How memory is accounted: a call, and later its answer, as small or large; a large body as `body` until its call is
 * answered; memory that is already allocated when counted, such as a small body, as `other`.
 */
export type Held = Queued | 'other';

interface Waiter {
  readonly bytes: number;
  readonly granted: () => void;
}

/** In service order. */
const queuedKinds: readonly Queued[] = ['small', 'large', 'body'];

/**
 * How long one turn of the event loop may spend on handing large answers to the system, in milliseconds; further large
 * calls wait for the next turn. An answer of 9 MB takes 5 ms: 1,000 clients that asked for one at the same moment
 * blocked everyone else for 4.6 s.
 */
const mostMsPerTurn = 10;

/** Counts held memory and makes requests wait when the limit is reached. All sizes are in bytes. */
export class Budget {
  private readonly held: Record<Held, number> = { small: 0, large: 0, body: 0, other: 0 };
  /** Sum of `held`. */
  private total = 0;
  private readonly queues: Readonly<Record<Queued, Set<Waiter>>> = {
    small: new Set(),
    large: new Set(),
    body: new Set(),
  };
  /** Memory of calls that ended in this turn of the event loop, released when the turn ends. */
  private readonly endedInTurn = { small: 0, large: 0 };
  /** Milliseconds spent on handing over large answers in this turn. */
  private spentInTurn = 0;
  /** Whether `endTurn` is scheduled. */
  private awaitsEndOfTurn = false;
  private isServing = false;
  /** Set if memory was released while the queues were being served. */
  private mustServeAgain = false;
  private closed = false;
  private readonly mostSmall: number;

  /** @param reserve bytes that large calls, large answers and large bodies must leave free */
  constructor(
    private readonly limit: number,
    private readonly reserve = limit / 8,
  ) {
    // The reserve then holds five small calls, each of which may grow sixfold as JSON.
    this.mostSmall = reserve / 32;
  }

  /** Classifies a call or an answer of `bytes` bytes. */
  sizeOf(bytes: number): 'small' | 'large' {
    return bytes <= this.mostSmall ? 'small' : 'large';
  }

  /** The most that may be held, including a large call or body that starts. */
  get mostLarge(): number {
    return this.limit - this.reserve;
  }

  /** Whether a large call could start now without delaying a waiting request. */
  hasRoom(bytes: number): boolean {
    return this.total + bytes <= this.mostLarge && !this.pressed;
  }

  /** Whether the limit is exceeded: the transport should stop reading from clients. */
  get isFull(): boolean {
    return this.total > this.limit;
  }

  /** Whether a request waits for memory: clients that make no progress are then cut off sooner. */
  get pressed(): boolean {
    return queuedKinds.some((as) => {
      const [first] = this.queues[as];
      return first !== undefined && !this.fits(as, first.bytes);
    });
  }

  /** Counts memory without checking the limit. */
  hold(as: Held, bytes: number): void {
    this.held[as] += bytes;
    this.total += bytes;
  }

  release(as: Held, bytes: number): void {
    this.held[as] -= bytes;
    this.total -= bytes;
    this.serve();
  }

  /**
   * Releases a call's memory at the end of this turn of the event loop. By then its answer has been read, or is counted
   * separately.
   */
  endCall(as: 'small' | 'large', bytes: number): void {
    this.endedInTurn[as] += bytes;
    this.scheduleEndOfTurn();
  }

  /** Holds the bytes if there is room and nothing of this kind is queued. @returns false if the request must wait */
  begin(as: Queued, bytes: number): boolean {
    if (this.queues[as].size > 0 || !this.mayBegin(as, bytes)) return false;
    this.hold(as, bytes);
    return true;
  }

  /**
   * Queues a request that `begin` refused.
   * @param granted called once the bytes are held
   * @returns a function that stops waiting
   */
  wait(as: Queued, bytes: number, granted: () => void): () => void {
    const waiter = { bytes, granted };
    const queue = this.queues[as];
    queue.add(waiter);
    return () => {
      // The next in the queue may fit.
      if (queue.delete(waiter)) this.serve();
    };
  }

  /** Records the time spent on handing over a large answer. */
  spendTime(ms: number): void {
    this.spentInTurn += ms;
    this.scheduleEndOfTurn();
  }

  /** The server is shutting down: every waiting call proceeds and gets that answer. */
  close(): void {
    this.closed = true;
    this.serve();
  }

  private mayBegin(as: Queued, bytes: number): boolean {
    if (this.closed) return true;
    return (as !== 'large' || this.spentInTurn < mostMsPerTurn) && this.fits(as, bytes);
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
        // Large answers will be read, and calls that hold a body will end. Other memory may belong to a request that is
        // waiting, too: a body that waited for it could wait for ever.
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
   * Starts every queued request that fits. A request may end synchronously and call this again. Real recursion over
   * 1,300 queued reads, all waiting for a server's first one, overflowed the stack and ended the process, so the inner
   * call only sets a flag.
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
