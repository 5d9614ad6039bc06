import type { AnswerRoom } from '../memory/held.js';
import type { Budget, Purpose } from './http-budget.js';

/** The share of the budget that a running call has for its answer. */
export class Holding implements AnswerRoom {
  /** Set while it waits for more, and holds nothing. */
  private stopWaiting: (() => void) | undefined;

  constructor(
    private readonly budget: Budget,
    private purpose: Purpose,
    /** As passed to `begin` or `wait`. */
    public bytes: number,
  ) {}

  /**
   * Writes of a few bytes must not wait behind one with a large answer, so that one joins the reads. If the call ends
   * meanwhile, this is never resolved.
   */
  enlarge(bytes: number): Promise<this> {
    const { budget } = this;
    const purpose = 'read';
    this.end();
    this.purpose = purpose;
    this.bytes = bytes;
    if (budget.begin(purpose, bytes)) return Promise.resolve(this);
    return new Promise((resolve) => {
      this.stopWaiting = budget.wait(purpose, bytes, () => {
        this.stopWaiting = undefined;
        resolve(this);
      });
    });
  }

  /** The call has ended, perhaps while it waits for more. */
  end(): void {
    if (this.stopWaiting !== undefined) this.stopWaiting();
    else this.budget.end(this.purpose, this.bytes);
  }
}
