import { writeSync } from 'node:fs';

/** A start that failed for reasons its user can mend: each problem is one line that names its flag. */
export class StartError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'StartError';
    this.problems = problems;
  }
}

/** Tell why nothing was started, a problem a line, and end the process. */
export function exitWith(problems: readonly string[]): never {
  print(2, problems.map((problem) => `${problem}\n`).join(''));
  process.exit(1);
}

/** At once, so that no exit loses it. */
export function print(descriptor: 1 | 2, text: string): void {
  try {
    writeSync(descriptor, text);
  } catch {
    // The reader has gone away: nobody is left to be told.
  }
}
