/**
 * Counters of every call. Only numbers are kept here; the code that renders `GET /metrics` is loaded on the first
 * request (protocols/pages/metrics-text.ts). Handwritten, since prom-client takes 33 ms and 11 MB.
 */
import { codeOf, type Outcome } from '../core/errors.js';
import { Histogram } from './histogram.js';
import type { Pool } from '../pool/pool.js';
import type { ReadCache } from '../call/read-cache.js';

/** In seconds: a cached read takes 5 to 10 µs, a durable write 0.5 ms and more, `--timeout` allows up to 300 s. */
const callSeconds = [
  0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
  1, 2.5, 5, 10, 30,
];

/** Limit on callers with their own series (spec 16); all others share one. */
const mostCallers = 100;
const otherCallers = '(others)';

/** The protocol of a call. */
export type Front = 'rest' | 'json-rpc' | 'mcp';

/** Calls of one operation over one protocol. */
class Series {
  readonly seconds = new Histogram(callSeconds);
  succeeded = 0;
  readonly failures = new Failures();

  constructor(
    readonly operation: string,
    readonly front: Front,
  ) {}
}

/** Counts failures by kind and code. */
export class Failures {
  private readonly counts = new Map<string, { readonly kind: string; readonly code: number; count: number }>();

  add(kind: string, code: number): void {
    const key = `${kind} ${String(code)}`;
    const counted = this.counts.get(key) ?? { kind, code, count: 0 };
    counted.count += 1;
    this.counts.set(key, counted);
  }

  all(): readonly { readonly kind: string; readonly code: number; readonly count: number }[] {
    return [...this.counts.values()];
  }
}

/** Figures that are read when metrics are requested. */
export interface Sources {
  readonly cache?: Pick<ReadCache, 'hits' | 'misses' | 'bytes' | 'size' | 'limit'>;
  readonly pool?: Pick<Pool, 'figures'>;
  /** When the server's certificate expires, in milliseconds since 1970. */
  readonly certificateEnds?: number;
}

/** Counters since the start, and the sources of current figures. */
export class Metrics {
  /** Requests that were refused before their operation was known. */
  readonly refusals: Readonly<Record<Front, Failures>> = {
    rest: new Failures(),
    'json-rpc': new Failures(),
    mcp: new Failures(),
  };
  /** When each kind of failure last happened, in milliseconds since 1970. */
  readonly lastFailures = new Map<string, number>();
  /** Calls of each caller, with `--tokens`. */
  readonly callers = new Map<string, { ok: number; failed: number }>();
  private readonly operations = new Map<string, Partial<Record<Front, Series>>>();

  constructor(readonly sources: Sources = {}) {}

  /**
   * A call has ended.
   * @param operation of the table
   * @param ms duration in milliseconds
   * @param caller the name of its token, with `--tokens`
   */
  count(operation: string, front: Front, outcome: Outcome, ms: number, caller?: string): void {
    if (caller !== undefined) this.countCaller(caller, outcome.ok);
    const counted = this.seriesOf(operation, front);
    counted.seconds.add(ms / 1000);
    if (outcome.ok) counted.succeeded += 1;
    else this.fail(counted.failures, outcome.kind, codeOf(outcome));
  }

  /** A request was refused before it became a call. @param code of its JSON-RPC error */
  refuse(front: Front, kind: string, code: number): void {
    this.fail(this.refusals[front], kind, code);
  }

  series(): readonly Series[] {
    return [...this.operations.values()].flatMap((fronts) => Object.values(fronts));
  }

  private countCaller(caller: string, ok: boolean): void {
    const { callers } = this;
    const name = callers.has(caller) || callers.size < mostCallers ? caller : otherCallers;
    let counts = callers.get(name);
    if (counts === undefined) callers.set(name, (counts = { ok: 0, failed: 0 }));
    if (ok) counts.ok += 1;
    else counts.failed += 1;
  }

  private fail(failures: Failures, kind: string, code: number): void {
    failures.add(kind, code);
    this.lastFailures.set(kind, Date.now());
  }

  private seriesOf(operation: string, front: Front): Series {
    let fronts = this.operations.get(operation);
    if (fronts === undefined) this.operations.set(operation, (fronts = {}));
    return (fronts[front] ??= new Series(operation, front));
  }
}
