import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import { subjectOf, type Operation } from '../operations.js';

/** Answers to edits are figures, and so are errors, in bytes. */
export const editAnswerBytes = 1024;

/** Bodies up to this many bytes are looked into: they are parsed once more, or kept parsed. */
export const mostLookedAt = 64 * 1024;

/** How large the next answer may be, in bytes: as the largest of late, forgotten by an eighth with each smaller one. */
export class AnswerSize {
  /** There has been an answer, or a look at what it will tell. */
  known = false;

  /** @param estimate until then */
  constructor(public estimate: number) {}

  learn(bytes: number): void {
    this.known = true;
    this.estimate = Math.max(bytes, this.estimate - Math.ceil((this.estimate - bytes) / 8));
  }
}

/** A long name and what is told of its file. */
const entryBytes = 400;

/** What is learned of lists before there has been one, by counting what is there (1 ms for a thousand). */
export function learnList(size: AnswerSize, { directory }: Pick<Config, 'directory'>, operation: Operation): void {
  // What needs no parameters is about all files.
  if (size.known || !operation.emptyBody) return;
  try {
    size.estimate = 0;
    size.learn(readdirSync(directory).length * entryBytes);
  } catch {
    // A worker will say what is wrong with it.
    size.learn(editAnswerBytes);
  }
}

/** A text becomes longer as JSON, or as base64. */
const growth = 1.5;

/**
 * How large the answer to a call that reads one file will be, in bytes, by the size of that file now (2 µs).
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
