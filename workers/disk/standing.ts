import type { BigIntStats } from 'node:fs';
import { identityOf, isDoubtful, sameIdentity, type FileIdentity } from '../../src/file-identity.js';
import { fstat } from './calls.js';
import type { OpenFile } from './confine.js';

/** A file that is written all the time must not be read for ever. */
const mostAttempts = 3;

/**
 * Read an open file as one version: what was read while it changed may be a mix of two, or an error that neither has, so
 * it is read again, three times at most. Then what came is given: a reader cannot lock out those who write in place.
 *
 * @param read gets what the file was before; may throw
 * @returns what `read` returned last; the identity of the file if it stood still and a later write would show in it
 */
export function readStanding<Result>(
  file: OpenFile,
  read: (stats: BigIntStats) => Result,
): { result: Result; identity: FileIdentity | undefined } {
  let before = file.stats;
  for (let attempt = 1; ; attempt++) {
    const now = Date.now();
    const outcome = attemptTo(read, before);
    const after = fstat(file.fd);
    const stood = sameIdentity(before, after);
    if (stood || attempt === mostAttempts) {
      if ('error' in outcome) throw outcome.error;
      return { result: outcome.result, identity: stood && !isDoubtful(after, now) ? identityOf(after) : undefined };
    }
    before = after;
  }
}

function attemptTo<Result>(
  read: (stats: BigIntStats) => Result,
  stats: BigIntStats,
): { result: Result } | { error: unknown } {
  try {
    return { result: read(stats) };
  } catch (error) {
    return { error };
  }
}
