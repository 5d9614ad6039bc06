/** A failed start that the user can fix: one line for each problem, with the name of its flag. */
export class StartError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'StartError';
    this.problems = problems;
  }
}
