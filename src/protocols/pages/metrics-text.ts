/** `GET /metrics`: the figures. Loaded on first request. */
import type { ErrorKindName } from '../../core/errors.js';
import type { Failures, Metrics, Sources } from '../../observe/metrics.js';
import type { LoopDelay } from '../../observe/loop-delay.js';
import type { PoolFigures } from '../../pool/pool-figures.js';
import { stateText, type ServerStatus } from './status.js';
import { ofProcess } from './process-metrics.js';
import { counter, gauge, histogram, type Labels, type Sample } from './prometheus.js';

const perMilli = 1 / 1000;

/**
 * The figures that alert operators (docs/operating.md). Prometheus misses the first rise of a series that starts at 1,
 * so these exist from the start, as totals: per operation and front, they would be 120 series.
 */
const alarming: readonly ErrorKindName[] = [
  'write_failed',
  'not_durable',
  'internal',
  'busy',
  'timed_out',
  'lock_timeout',
];

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
  const failures = [...all.map((each) => each.failures), ...Object.values(metrics.refusals)];
  const seconds = all.map(({ operation, front, seconds }) => [{ operation, front }, seconds] as const);
  return [
    counter(
      'file_editor_calls_total',
      'Calls by their outcome: ok, or what went wrong, with its JSON-RPC code.',
      outcomes,
    ),
    counter('file_editor_requests_refused_total', 'Requests that were refused before they were a call.', refusals),
    counter(
      'file_editor_server_failures_total',
      'Calls and requests that failed for a reason that operators look after; each kind is there from the start.',
      alarming.map((outcome) => [{ outcome }, sumOf(failures, outcome)]),
    ),
    gauge(
      'file_editor_last_failure_timestamp_seconds',
      'When a call or a request last failed like this.',
      [...metrics.lastFailures].map(([outcome, ms]) => [{ outcome }, ms / 1000]),
    ),
    ...(metrics.callers.size === 0 ? [] : [callers(metrics)]),
    histogram('file_editor_call_duration_seconds', 'From the parameters of a call to its outcome.', seconds),
  ];
}

function callers({ callers }: Metrics): string {
  return counter(
    'file_editor_caller_calls_total',
    'Calls of each token, by its name; with --tokens.',
    [...callers].flatMap(([caller, { ok, failed }]): Sample[] => [
      [{ caller, outcome: 'ok' }, ok],
      [{ caller, outcome: 'failed' }, failed],
    ]),
  );
}

function sumOf(failures: readonly Failures[], wanted: ErrorKindName): number {
  return failures
    .flatMap((each) => each.all())
    .reduce((sum, { kind, count }) => (kind === wanted ? sum + count : sum), 0);
}

function failed(failures: Failures, labels: Labels): Sample[] {
  return failures.all().map(({ kind, code, count }) => [{ ...labels, outcome: kind, code }, count]);
}

function work({ unanswered, running, waiting, batches, timings, history, ...threads }: PoolFigures): string[] {
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
    ...(history === undefined ? [] : ofHistory(history)),
  ];
}

function ofHistory({ changes_recorded, records_failed, history_bytes }: NonNullable<PoolFigures['history']>): string[] {
  return [
    counter('file_editor_changes_recorded_total', 'Changes in the history, by this server.', [[{}, changes_recorded]]),
    counter(
      'file_editor_records_failed_total',
      'Changes that were made and could not be recorded: their calls failed.',
      [[{}, records_failed]],
    ),
    gauge('file_editor_history_bytes', 'Disk space of the history, as far as this server knows.', [
      [{}, history_bytes],
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
