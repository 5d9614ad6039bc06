/** Of one turn of the event loop, in milliseconds. */
const mostOfTurn = 5;

/**
 * Work that may wait until others have had their turn. 1,000 calls of one batch are refused in one turn of the event loop
 * otherwise: with 20 unknown members each, for which the nearest known ones are sought, everyone waited for 0.5 s.
 */
export class Turns {
  /** When work of this turn began; undefined if there was none yet. */
  #began: number | undefined;
  readonly #waiting: (() => void)[] = [];

  /**
   * Do it now; or, if this turn has done enough, in one of the next ones, in order.
   * @throws what `act` throws, if it is done now
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
    return performance.now();
  }

  get #isOver(): boolean {
    return this.#began !== undefined && performance.now() - this.#began > mostOfTurn;
  }

  async #goOn(): Promise<void> {
    while (!this.#isOver) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      next();
      // What is done with its result belongs to the same turn.
      await Promise.resolve();
    }
  }
}
