/** Totals since the start of the server: THE TABLE of totals, failures by kind, calls by operation. */
import { labelOf, sumOf, type Figures } from '../exposition.js';
import { count, dateText, percent } from './words.js';

const calls = 'file_editor_calls_total';
const refusals = 'file_editor_requests_refused_total';
const failed = /outcome="(?!ok")/;

interface Total {
  readonly name: string;
  /** @param writing matches the labels of the operations that write */
  readonly of: (figures: Figures, writing: RegExp) => string;
}

/** To add one, add a row. */
export const totals: readonly Total[] = [
  { name: 'reads', of: (figures, writing) => count(sumOf(figures, calls) - sumOf(figures, calls, writing)) },
  { name: 'writes', of: (figures, writing) => count(sumOf(figures, calls, writing)) },
  { name: 'failed calls', of: (figures) => count(sumOf(figures, calls, failed)) },
  { name: 'refused requests', of: (figures) => count(sumOf(figures, refusals)) },
  { name: 'of reads from the cache', of: cacheShare },
  { name: 'waits for locks', of: (figures) => count(sumOf(figures, 'file_editor_lock_wait_seconds_count')) },
  { name: 'disk syncs', of: (figures) => count(sumOf(figures, 'file_editor_sync_seconds_count')) },
  { name: 'threads that died', of: (figures) => count(sumOf(figures, 'file_editor_worker_deaths_total')) },
];

function cacheShare(figures: Figures): string {
  const hits = sumOf(figures, 'file_editor_cache_hits_total');
  const asked = hits + sumOf(figures, 'file_editor_cache_misses_total');
  return asked === 0 ? '–' : percent((100 * hits) / asked);
}

/** One operation since the start. */
export function callsOf(figures: Figures, operation: string): { readonly all: number; readonly failed: number } {
  const its = `operation="${operation}",`;
  return {
    all: sumOf(figures, calls, new RegExp(its)),
    failed: sumOf(figures, calls, new RegExp(`${its}.*${failed.source}`)),
  };
}

interface FailuresOfKind {
  readonly times: number;
  /** Seconds since 1970. */
  readonly last: number;
  readonly where: ReadonlySet<string>;
}

/** Rows of texts: kind, count, last time, place; the most recent kind is first. */
export function failureRows(figures: Figures): readonly (readonly string[])[] {
  const kinds = new Map<string, FailuresOfKind>();
  for (const { labels, value } of [...(figures.get(calls) ?? []), ...(figures.get(refusals) ?? [])]) {
    const kind = labelOf(labels, 'outcome');
    if (kind === 'ok' || value === 0) continue;
    const known = kinds.get(kind);
    const outcome = new RegExp(`outcome="${kind}"`);
    kinds.set(kind, {
      times: (known?.times ?? 0) + value,
      last: sumOf(figures, 'file_editor_last_failure_timestamp_seconds', outcome),
      where: new Set(known?.where).add(labelOf(labels, 'operation') || 'refused before it was a call'),
    });
  }
  return [...kinds]
    .sort(([, a], [, b]) => b.last - a.last)
    .map(([kind, { times, last, where }]) => [
      kind.replaceAll('_', ' '),
      count(times),
      dateText(last),
      [...where].join(', '),
    ]);
}
