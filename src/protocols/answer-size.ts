import { usualRoom } from '../../workers/task.js';
import { isAboutAll, type Operation } from '../operations.js';

/** Answers to edits are figures, and so are errors, in bytes. */
export const editAnswerBytes = 1024;

/** Files of one kind differ a little; to read one again for a few bytes would cost as much as two. */
const spare = 1.25;

/** How large the next answer may be, in bytes: as the largest of late, forgotten by an eighth with each smaller one. */
export class AnswerSize {
  private known = false;

  /** @param estimate until there has been one */
  constructor(public estimate: number) {}

  learn(bytes: number): void {
    this.known = true;
    this.estimate = Math.max(bytes, this.estimate - Math.ceil((this.estimate - bytes) / 8));
  }

  /** Room with which a read is likely to need no more. */
  get likely(): number {
    return Math.max(usualRoom, spare * this.estimate);
  }

  /** Room with which a read can begin while others wait. Files differ in size, but a list is as long as the last one was. */
  leastFor(operation: Operation): number {
    return this.known && isAboutAll(operation) ? this.likely : usualRoom;
  }
}
