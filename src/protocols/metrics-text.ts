/** `GET /metrics`: the figures in Prometheus's text format, version 0.0.4. Loaded when they are first asked for. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Failures, Metrics, Sources } from '../metrics.js';
import type { Distribution } from '../monitoring/histogram.js';
import type { LoopDelay } from '../monitoring/loop-delay.js';
import type { PoolFigures } from '../pool/pool-figures.js';
import { stateText, type ServerStatus } from '../status.js';

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** Names and values of labels. None needs escaping, except perhaps the version of the program. */
type Labels = Readonly<Record<string, string | number>>;
type Sample = readonly [Labels, number];
type Samples = readonly (readonly [Labels, Distribution, scale?: number])[];

const perMilli = 1 / 1000;

/** All figures as they are now. */
export function metricsText(metrics: Metrics, status: ServerStatus, loopDelay: LoopDelay): string {
  const { cache, pool, certificateEnds } = metrics.sources;
  return [
    ...server(status, certificateEnds),
    ...calls(metrics),
    ...(pool === undefined ? [] : work(pool.figures())),
    ...(cache === undefined ? [] : cacheFamilies(cache)),
    histogram(
      'file_editor_event_loop_delay_seconds',
      'How late the main thread is; measured while figures are asked for.',
      [[{}, loopDelay.seconds]],
    ),
    ...ofProcess(),
  ].join('');
}

function server({ state, version, uptimeS }: ServerStatus, certificateEnds: number | undefined): string[] {
  return [
    gauge('file_editor_info', 'The program that is running.', [[{ version, node: process.version }, 1]]),
    gauge(
      'file_editor_state',
      '1 for the state that the server is in.',
      Object.keys(stateText).map((each) => [{ state: each }, each === state ? 1 : 0]),
    ),
    gauge('file_editor_uptime_seconds', 'Time since the start.', [[{}, uptimeS]]),
    ...(certificateEnds === undefined
      ? []
      : [
          gauge('file_editor_tls_certificate_expiry_timestamp_seconds', 'When the certificate is out of date.', [
            [{}, certificateEnds / 1000],
          ]),
        ]),
  ];
}

function calls(metrics: Metrics): string[] {
  const all = metrics.series();
  const outcomes = all.flatMap(({ operation, front, succeeded, failures }) => [
    [{ operation, front, outcome: 'ok' }, succeeded] as const,
    ...failed(failures, { operation, front }),
  ]);
  const refusals = Object.entries(metrics.refusals).flatMap(([front, failures]) => failed(failures, { front }));
  const seconds = all.map(({ operation, front, seconds }) => [{ operation, front }, seconds] as const);
  return [
    counter(
      'file_editor_calls_total',
      'Calls by their outcome: ok, or what went wrong, with its JSON-RPC code.',
      outcomes,
    ),
    counter('file_editor_requests_refused_total', 'Requests that were refused before they were a call.', refusals),
    histogram('file_editor_call_duration_seconds', 'From the parameters of a call to its outcome.', seconds),
  ];
}

function failed(failures: Failures, labels: Labels): Sample[] {
  return failures.all().map(({ kind, code, count }) => [{ ...labels, outcome: kind, code }, count]);
}

function work({ unanswered, running, waiting, batches, timings, ...threads }: PoolFigures): string[] {
  const { lock_wait, file_sync, directory_sync } = timings;
  return [
    gauge('file_editor_calls_in_flight', 'Calls that are not answered yet.', [[{}, unanswered]]),
    gauge('file_editor_calls_running', 'Calls in the worker threads.', [[{}, running]]),
    gauge(
      'file_editor_calls_waiting',
      'Calls that wait: for --max-concurrent, for an earlier write of their file, for a thread.',
      Object.entries(waiting).map(([reason, count]) => [{ for: reason }, count]),
    ),
    histogram('file_editor_batch_calls', 'Calls that went to a worker thread together.', [
      [{ kind: 'read' }, batches.read],
      [{ kind: 'write' }, batches.write],
    ]),
    gauge('file_editor_worker_threads', 'Worker threads that are running.', [[{}, threads.threads]]),
    gauge('file_editor_worker_threads_limit', 'Worker threads at most.', [[{}, threads.mostThreads]]),
    counter('file_editor_worker_deaths_total', 'Worker threads that died.', [[{}, threads.deaths]]),
    histogram(
      'file_editor_lock_wait_seconds',
      'Waits for the lock of a file that another thread, server or program held.',
      [[{}, lock_wait, perMilli]],
    ),
    histogram('file_editor_sync_seconds', 'Waits for the disk to have what was written.', [
      [{ what: 'file' }, file_sync, perMilli],
      [{ what: 'directory' }, directory_sync, perMilli],
    ]),
  ];
}

function cacheFamilies({ hits, misses, size, bytes, limit }: NonNullable<Sources['cache']>): string[] {
  return [
    counter('file_editor_cache_hits_total', 'Reads that were answered from the cache.', [[{}, hits]]),
    counter('file_editor_cache_misses_total', 'Reads that were not.', [[{}, misses]]),
    gauge('file_editor_cache_answers', 'Answers that the cache holds.', [[{}, size]]),
    gauge('file_editor_cache_bytes', 'Memory that they take.', [[{}, bytes]]),
    gauge('file_editor_cache_limit_bytes', 'Memory that they may take.', [[{}, limit]]),
  ];
}

/** Figures that Prometheus defines for every program, and those that are usual for Node, under their names. */
function ofProcess(): string[] {
  const { user, system } = process.cpuUsage();
  const [open, most] = descriptors();
  return [
    counter('process_cpu_seconds_total', 'Processor time of all threads.', [[{}, (user + system) / 1e6]]),
    // Constant: a different value would mean a new process.
    gauge('process_start_time_seconds', 'When the process was started.', [[{}, performance.timeOrigin / 1000]]),
    ...memory(),
    ...(open === undefined ? [] : [gauge('process_open_fds', 'Open descriptors.', [[{}, open]])]),
    ...(most === undefined ? [] : [gauge('process_max_fds', 'Descriptors at most.', [[{}, most]])]),
  ];
}

/** Node opens a file for this, and throws without a free descriptor: just then the other figures are needed. */
function memory(): string[] {
  try {
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    return [
      gauge('process_resident_memory_bytes', 'Resident memory.', [[{}, rss]]),
      gauge('nodejs_heap_size_total_bytes', 'Heap of the main thread.', [[{}, heapTotal]]),
      gauge('nodejs_heap_size_used_bytes', 'What is in use of it.', [[{}, heapUsed]]),
      gauge('nodejs_external_memory_bytes', 'Memory outside of the heap, such as that of answers.', [[{}, external]]),
    ];
  } catch {
    return [];
  }
}

/** How many are open, and how many may be; undefined if the system has no /proc. */
function descriptors(): [open: number | undefined, most: number | undefined] {
  try {
    // One of them is the one that lists them.
    const open = readdirSync('/proc/self/fd').length - 1;
    const [, most] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return [open, most === undefined ? undefined : Number(most)];
  } catch {
    return [undefined, undefined];
  }
}

function counter(name: string, help: string, samples: readonly Sample[]): string {
  return family(
    name,
    'counter',
    help,
    samples.map(([labels, value]) => line(name, labels, value)),
  );
}

function gauge(name: string, help: string, samples: readonly Sample[]): string {
  return family(
    name,
    'gauge',
    help,
    samples.map(([labels, value]) => line(name, labels, value)),
  );
}

function histogram(name: string, help: string, samples: Samples): string {
  return family(
    name,
    'histogram',
    help,
    samples.flatMap(([labels, distribution, scale = 1]) => {
      const { bounds, counts, sum } = distribution;
      let below = 0;
      const buckets = Array.from(counts, (count, index) => {
        below += count;
        const bound = bounds[index];
        // Rounded: it is used as a name, and 25 / 1000 may not be 0.025.
        const le = bound === undefined ? '+Inf' : String(Number((bound * scale).toPrecision(12)));
        return line(`${name}_bucket`, { ...labels, le }, below);
      });
      return [...buckets, line(`${name}_sum`, labels, sum * scale), line(`${name}_count`, labels, below)];
    }),
  );
}

function family(name: string, type: string, help: string, lines: readonly string[]): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${String(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${String(value)}\n`;
}
