import type { AnswerRoom } from '../held-memory.js';
import type { Budget, Purpose } from './http-budget.js';

/** The share of the budget that a running call has for its answer. */
export class Holding implements AnswerRoom {
  constructor(
    private readonly budget: Budget,
    private purpose: Purpose,
    /** As passed to `begin` or `wait`. */
    public bytes: number,
  ) {}

  /** Writes of a few bytes must not wait behind one with a large answer, so that one joins the reads. */
  async enlarge(bytes: number): Promise<this> {
    const { budget } = this;
    const purpose = 'read';
    this.end();
    this.purpose = purpose;
    this.bytes = bytes;
    if (!budget.begin(purpose, bytes)) await new Promise<void>((granted) => budget.wait(purpose, bytes, granted));
    return this;
  }

  /** The call has ended. */
  end(): void {
    this.budget.end(this.purpose, this.bytes);
  }
}
