import { usualRoom } from '../../workers/task.js';
import { isAboutAll, type Operation } from '../operations.js';

/** In bytes: the answers to edits, and errors, hold little more than numbers. */
export const editAnswerBytes = 1024;

/** Files of one kind differ a little, and reading one again for a few more bytes would cost as much as two. */
const spare = 1.25;

/**
 * Predicts the size of the next answer, in bytes: the largest recent one, forgotten by an eighth with each smaller one.
 */
export class AnswerSize {
  private known = false;

  /** @param estimate used until there has been an answer */
  constructor(public estimate: number) {}

  learn(bytes: number): void {
    this.known = true;
    this.estimate = Math.max(bytes, this.estimate - Math.ceil((this.estimate - bytes) / 8));
  }

  /** Room that a read will probably find sufficient. */
  get likely(): number {
    return Math.max(usualRoom, spare * this.estimate);
  }

  /**
   * Room with which a read can begin while others wait. Files differ in size, but a list is as long as the last one
   * was.
   */
  leastFor(operation: Operation): number {
    return this.known && isAboutAll(operation) ? this.likely : usualRoom;
  }
}
