import type { BigIntStats } from 'node:fs';
import { isDoubtful, sameIdentity } from '../../../src/core/file-identity.js';
import { fstat } from '../calls.js';
import type { OpenFile } from '../paths/open-file.js';
import { errnoOf } from '../system-error.js';

/** So that a file that is written all the time is not read for ever. */
const mostAttempts = 3;

/** What was read of a file, and whether it is one version. */
interface Standing<Result> {
  readonly result: Result;
  /** From behind the last read. */
  readonly stats: BigIntStats;
  /** The file did not change meanwhile. */
  readonly stood: boolean;
  /** The stats prove nothing: a later write could leave them unchanged (src/core/file-identity.ts). */
  readonly doubtful: boolean;
}

/**
 * Read an open file as one version. What was read while it changed may be a mix of two versions, or an error that
 * neither has, so it is read again, up to three times; so is a file that could not be read to its end. After that the
 * last result counts: a reader cannot lock out programs that write in place.
 * @param read receives the stats from before the read; may throw
 * @throws what `read` has thrown last
 */
export function readStanding<Result>(file: OpenFile, read: (stats: BigIntStats) => Result): Standing<Result> {
  let before = file.stats;
  for (let attempt = 1; ; attempt++) {
    const now = Date.now();
    const outcome = tryTo(read, before);
    const stats = fstat(file.fd);
    const stood = sameIdentity(before, stats);
    const failed = 'error' in outcome && errnoOf(outcome.error) === 'EIO';
    if ((stood && !failed) || attempt === mostAttempts) {
      if ('error' in outcome) throw outcome.error;
      return { result: outcome.result, stats, stood, doubtful: isDoubtful(stats, now) };
    }
    before = stats;
  }
}

function tryTo<Result>(
  read: (stats: BigIntStats) => Result,
  stats: BigIntStats,
): { result: Result } | { error: unknown } {
  try {
    return { result: read(stats) };
  } catch (error) {
    return { error };
  }
}
