import { writeSync } from 'node:fs';
import { systemErrorCode } from '../core/error-code.js';

/** How long a reader that takes nothing is waited for, in milliseconds. */
const patienceMs = 5_000;
const pauseMs = 5;

/** Report why nothing was started, one problem per line, and end the process. */
export function exitWith(problems: readonly string[]): never {
  print(2, problems.map((problem) => `${problem}\n`).join(''));
  process.exit(1);
}

/**
 * Write a whole text. Synchronous, so that no exit loses it. Throws nothing: if its reader has gone, nobody is left to
 * be told.
 */
export function print(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  const giveUpAt = performance.now() + patienceMs;
  for (let written = 0; written < bytes.length && performance.now() < giveUpAt;) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      // A pipe that is full. It only says so, instead of waiting, if another process that has it wants that.
      if (systemErrorCode(error) !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}
