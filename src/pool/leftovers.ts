/** What a start finds in the reserved directory. Looked up here, so that a start without leftovers starts no thread. */
import { readdirSync, statSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { historyName, recordName, reservedName } from '../core/names/reserved-name.js';

/**
 * When a thread must see to it: `now`, before anything is served; `later`, when nobody waits; undefined: not at all.
 * @param hasHistory whether changes are recorded
 */
export function whenToSweep(directory: string, hasHistory: boolean): 'now' | 'later' | undefined {
  const reserved = join(directory, reservedName);
  const log = join(reserved, historyName);
  const files = hasHistory ? namesIn(log).filter((name) => name.endsWith('.jsonl')) : [];
  const newest = files.toSorted().at(-1);
  const writtenAt = newest === undefined ? undefined : orUndefined(() => statSync(join(log, newest)).mtimeMs);
  // After a loss of power, the history may tell of changes that did not reach the disk.
  const isUnsettled = writtenAt !== undefined && writtenAt < Date.now() - uptime() * 1_000;
  // Temporary files of killed processes, or changes that they had decided (workers/changes/record).
  const hasLeftovers = namesIn(reserved).some((name) => name.endsWith('.tmp') || name === recordName);
  if (isUnsettled || hasLeftovers) return 'now';
  // Some changes may have to be forgotten.
  return files.length > 1 ? 'later' : undefined;
}

function namesIn(directory: string): string[] {
  return orUndefined(() => readdirSync(directory)) ?? [];
}

/** What cannot be looked at is no reason not to serve. */
function orUndefined<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
