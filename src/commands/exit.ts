import { writeSync } from 'node:fs';
import { systemErrorCode } from '../core/error-code.js';

/** How long to wait for a reader that reads nothing, in milliseconds. */
const patienceMs = 5_000;
const pauseMs = 5;

/** Report why the start failed, one problem per line, and exit. */
export function exitWith(problems: readonly string[]): never {
  print(2, problems.map((problem) => `${problem}\n`).join(''));
  process.exit(1);
}

/**
 * Write a whole text. Synchronous, so an exit cannot lose it. Never throws: if the reader has gone, there is no one to
 * report to.
 */
export function print(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  const giveUpAt = performance.now() + patienceMs;
  for (let written = 0; written < bytes.length && performance.now() < giveUpAt;) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      // The pipe is full and non-blocking, as another process that shares it has set it.
      if (systemErrorCode(error) !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}
