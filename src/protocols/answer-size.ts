import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.js';
import { subjectOf, type Operation } from '../operations.js';

/** Answers to edits are figures, and so are errors, in bytes. */
export const editAnswerBytes = 1024;

/** Bodies up to this many bytes are looked into: they are parsed once more, or kept parsed. */
export const mostLookedAt = 64 * 1024;

/** How large the next answer may be, in bytes: as the largest of late, forgotten by an eighth with each smaller one. */
export class AnswerSize {
  /** @param estimate until there has been an answer */
  constructor(public estimate: number) {}

  learn(bytes: number): void {
    this.estimate = Math.max(bytes, this.estimate - Math.ceil((this.estimate - bytes) / 8));
  }
}

/** A text becomes longer as JSON, or as base64. */
const growth = 1.5;

/**
 * How large the answer to a call will be that reads one file, in bytes, by the size of that file now (2 µs).
 * @param params not checked yet
 * @returns undefined if that does not tell
 */
export function answerBytes(
  { directory, maxBytes }: Pick<Config, 'directory' | 'maxBytes'>,
  operation: Operation,
  params: unknown,
): number | undefined {
  const path = operation.writes ? undefined : subjectOf(operation, params);
  if (path === undefined || !mayLookAt(path)) return undefined;
  try {
    const stats = lstatSync(join(directory, path), { throwIfNoEntry: false });
    if (stats?.isFile() !== true) return undefined;
    return editAnswerBytes + (stats.size > maxBytes ? 0 : growth * stats.size);
  } catch {
    // A worker will say what is wrong with it.
    return undefined;
  }
}

/** Nothing outside of the directory is looked at: what begins there, or leads there, is refused later. */
function mayLookAt(path: string): boolean {
  return !/^[/\\]|\.\.|[:\0]/.test(path);
}
