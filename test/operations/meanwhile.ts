import { Progress } from '../../workers/progress.js';
import type { Phase } from '../../src/core/thread/task.js';

/** Runs something when the call has taken its locks, or is about to be claimed. */
export class Meanwhile extends Progress {
  #done = false;

  constructor(
    private readonly at: Phase,
    private readonly act: () => void,
    private readonly cancels = false,
  ) {
    super(new Int32Array(new SharedArrayBuffer(4)), 0);
  }

  override advance(next: Phase): boolean {
    if (next === this.at && !this.#done) {
      this.#done = true;
      this.act();
      if (this.cancels) return false;
    }
    return super.advance(next);
  }
}
