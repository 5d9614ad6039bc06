/** Memory that is put aside for the answer of a read before anybody knows how large it is (contract 6). */
export interface AnswerRoom {
  /** For an answer of up to so many. */
  readonly bytes: number;
  /** Give it back, and wait until there is room for so many. */
  enlarge(bytes: number): Promise<AnswerRoom>;
}
