/** Answers to edits are figures, in bytes. */
export const editAnswerBytes = 1024;

/** How large the next answer may be, in bytes: as the largest of late, forgotten by an eighth with each smaller one. */
export class AnswerSize {
  /** @param estimate until there has been an answer */
  constructor(public estimate: number) {}

  learn(bytes: number): void {
    this.estimate = Math.max(bytes, this.estimate - Math.ceil((this.estimate - bytes) / 8));
  }
}
