/** What `GET /metrics` reports, in the text format of Prometheus (seed figure of its own library: 33 ms, 11 MB). */

export interface Metrics {
  /** One call has ended. `outcome` is `ok` or the kind of its failure; `ms` milliseconds. */
  count(operation: string, outcome: string, ms: number): void;
  /** A call has begun (+1) or ended (-1). */
  inFlight(change: 1 | -1): void;
  /** Text in the exposition format 0.0.4. */
  render(): string;
}

interface Series {
  readonly operation: string;
  readonly outcome: string;
  calls: number;
  seconds: number;
}

/** What the read cache tells about itself. */
export interface CacheFigures {
  /** Answers given from it so far. */
  readonly hits: number;
  /** Held now, in bytes. */
  readonly bytes: number;
}

/** Counters that start now. */
export function createMetrics(cache: CacheFigures = { hits: 0, bytes: 0 }): Metrics {
  const began = performance.now();
  const operations = new Map<string, Map<string, Series>>();
  let running = 0;

  function series(operation: string, outcome: string): Series {
    let outcomes = operations.get(operation);
    if (outcomes === undefined) operations.set(operation, (outcomes = new Map<string, Series>()));
    let found = outcomes.get(outcome);
    if (found === undefined) outcomes.set(outcome, (found = { operation, outcome, calls: 0, seconds: 0 }));
    return found;
  }

  return {
    count(operation, outcome, ms) {
      const counted = series(operation, outcome);
      counted.calls += 1;
      counted.seconds += ms / 1000;
    },
    inFlight(change) {
      running += change;
    },
    render() {
      const all = [...operations.values()].flatMap((outcomes) => [...outcomes.values()]);
      return [
        family('file_editor_calls_total', 'counter', 'Calls by operation and outcome.', [
          ...all.map((each) => [labels(each), each.calls] as const),
        ]),
        family('file_editor_call_seconds_total', 'counter', 'Time spent on them, in seconds.', [
          ...all.map((each) => [labels(each), each.seconds] as const),
        ]),
        family('file_editor_calls_in_flight', 'gauge', 'Calls that are not answered yet.', [['', running]]),
        family('file_editor_cache_hits_total', 'counter', 'Reads answered from the cache.', [['', cache.hits]]),
        family('file_editor_cache_bytes', 'gauge', 'Memory that the cache holds, in bytes.', [['', cache.bytes]]),
        family('file_editor_uptime_seconds', 'gauge', 'Time since the start, in seconds.', [
          ['', (performance.now() - began) / 1000],
        ]),
        family('process_resident_memory_bytes', 'gauge', 'Resident memory, in bytes.', [
          ['', process.memoryUsage.rss()],
        ]),
      ].join('');
    },
  };
}

/** Names of operations and kinds of failures need no escaping. */
function labels({ operation, outcome }: Series): string {
  return `{operation="${operation}",outcome="${outcome}"}`;
}

function family(name: string, type: string, help: string, samples: readonly (readonly [string, number])[]): string {
  const lines = samples.map(([label, value]) => `${name}${label} ${String(value)}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
