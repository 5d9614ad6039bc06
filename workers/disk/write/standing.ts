import type { BigIntStats } from 'node:fs';
import { isDoubtful, sameIdentity } from '../../../src/core/file-identity.js';
import { fstat } from '../calls.js';
import type { OpenFile } from '../paths/open-file.js';
import { errnoOf } from '../system-error.js';

/** Bounds the reads of a file that is written all the time. */
const mostAttempts = 3;

/** The result of reading a file, and whether it is one version. */
interface Standing<Result> {
  readonly result: Result;
  /** Taken after the last read. */
  readonly stats: BigIntStats;
  /** The file did not change during the read. */
  readonly stood: boolean;
  /** The stats prove nothing: a later write could leave them unchanged (src/core/file-identity.ts). */
  readonly doubtful: boolean;
}

/**
 * Read an open file as one version. A read during a change may return a mix of two versions, or an error that neither
 * would give, so it is repeated, up to three times; so is a read that could not reach the end. After that the last
 * result counts: a reader cannot lock out programs that write in place.
 * @param read receives the stats from before the read; may throw
 * @throws the last error of `read`
 */
export function readStanding<Result>(
  file: Pick<OpenFile, 'fd' | 'stats'>,
  read: (stats: BigIntStats) => Result,
): Standing<Result> {
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
