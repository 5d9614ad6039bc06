/** A start that failed for reasons its user can mend: each problem is one line that names its flag. */
export class StartError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'StartError';
    this.problems = problems;
  }
}
