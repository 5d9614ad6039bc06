import { writeSync } from 'node:fs';

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
