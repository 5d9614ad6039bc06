/** One poll of the server's figures, and the difference between two polls. */
import { bucketsOf, parseFigures, quantile, sumOf, type Figures } from '../exposition.js';

export interface Look {
  /** Seconds since 1970. */
  readonly time: number;
  /** The state that the server reports. */
  readonly state: string;
  readonly figures: Figures;
}

/** Null if nothing measurable happened. */
export interface Point {
  readonly time: number;
  /** Calls a second. */
  readonly reads: number;
  readonly writes: number;
  readonly failed: number;
  readonly refused: number;
  /** Milliseconds. */
  readonly p50: number | null;
  readonly p99: number | null;
  readonly cacheMb: number;
  readonly memoryMb: number;
}

/** Milliseconds: a server that takes longer to answer is as good as gone. */
const longestLook = 5000;
const bytesPerMb = 1_048_576;

/** @throws Error if the server does not answer in time, or something else answers, such as a proxy with its own page */
export async function look(): Promise<Look> {
  const options = { cache: 'no-store', signal: AbortSignal.timeout(longestLook) } as const;
  const response = await fetch('metrics', options);
  if (!response.ok) throw new Error(`the server answers ${String(response.status)}`);
  const figures = parseFigures(await response.text());
  const state = stateIn(figures);
  if (state === undefined) throw new Error('what answers is not the server');
  return { time: Date.now() / 1000, state, figures };
}

function stateIn(figures: Figures): string | undefined {
  const state = figures.get('file_editor_state')?.find(({ value }) => value === 1);
  return /state="(\w+)"/.exec(state?.labels ?? '')?.[1];
}

export function uptimeOf({ figures }: Look): number {
  return sumOf(figures, 'file_editor_uptime_seconds');
}

/**
 * Append a point, keeping at most `most` of them. Consecutive gaps become one, and none comes before the first point,
 * where it would have no time.
 */
export function keep(points: (Point | null)[], point: Point | null, most: number): void {
  if (point === null && (points.at(-1) ?? null) === null) return;
  points.push(point);
  if (points.length > most) points.shift();
  if (points[0] === null) points.shift();
}

/** Matches the labels of calls of these operations. */
export function operationsLabel(names: readonly string[]): RegExp {
  return new RegExp(`operation="(?:${names.join('|')})"`);
}

/** @param writing matches the labels of the operations that write */
export function between(before: Look, now: Look, writing: RegExp): Point {
  const seconds = Math.max(0.1, now.time - before.time);
  const inMb = (name: string): number => sumOf(now.figures, name) / bytesPerMb;
  const rate = (name: string, labels?: RegExp): number =>
    Math.max(0, sumOf(now.figures, name, labels) - sumOf(before.figures, name, labels)) / seconds;
  const milliseconds = (name: string, share: number): number | null => {
    const value = quantile(share, bucketsOf(before.figures, name), bucketsOf(now.figures, name));
    return value === null ? null : value * 1000;
  };
  const writes = rate('file_editor_calls_total', writing);
  return {
    time: now.time,
    writes,
    reads: rate('file_editor_calls_total') - writes,
    failed: rate('file_editor_calls_total', /outcome="(?!ok")/),
    refused: rate('file_editor_requests_refused_total'),
    p50: milliseconds('file_editor_call_duration_seconds', 0.5),
    p99: milliseconds('file_editor_call_duration_seconds', 0.99),
    cacheMb: inMb('file_editor_cache_bytes'),
    memoryMb: inMb('process_resident_memory_bytes'),
  };
}
