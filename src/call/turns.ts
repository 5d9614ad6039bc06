/** Budget of one turn of the event loop, in milliseconds. */
const mostOfTurn = 5;

/**
 * Spreads deferrable work over turns of the event loop. Without it, the 1,000 calls of a batch are refused in one turn:
 * with 20 unknown members each, all looked up by nearest name, this blocked everyone for 0.5 s.
 */
export class Turns {
  /** Start of this turn's work; undefined if there was none yet. */
  #began: number | undefined;
  readonly #waiting: (() => void)[] = [];

  /** @param now in milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Run `act` now or, once this turn's budget is spent, in a later turn, in order.
   * @throws what `act` throws, if it runs now
   */
  run<Result>(act: () => Result | Promise<Result>): Result | Promise<Result> {
    this.#began ??= this.#begin();
    if (this.#waiting.length === 0 && !this.#isOver) return act();
    return new Promise<void>((resolve) => this.#waiting.push(resolve)).then(act);
  }

  #begin(): number {
    setImmediate(() => {
      this.#began = this.#waiting.length === 0 ? undefined : this.#begin();
      void this.#goOn();
    });
    return this.now();
  }

  get #isOver(): boolean {
    return this.#began !== undefined && this.now() - this.#began > mostOfTurn;
  }

  async #goOn(): Promise<void> {
    while (!this.#isOver) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      next();
      // Handling of the result belongs to the same turn.
      await Promise.resolve();
    }
  }
}
