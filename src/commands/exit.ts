import { writeSync } from 'node:fs';

/** Report why nothing was started, one problem per line, and end the process. */
export function exitWith(problems: readonly string[]): never {
  print(2, problems.map((problem) => `${problem}\n`).join(''));
  process.exit(1);
}

/** Synchronous, so that no exit loses it. */
export function print(descriptor: 1 | 2, text: string): void {
  try {
    writeSync(descriptor, text);
  } catch {
    // The reader has gone: nobody is left to be told.
  }
}
