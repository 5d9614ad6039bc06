import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import fc from '../../fast-check.js';
import { failure } from '../../../src/core/errors.js';
import { Metrics } from '../../../src/observe/metrics.js';
import { Histogram } from '../../../src/observe/histogram.js';
import { LoopDelay } from '../../../src/observe/loop-delay.js';
import { operations } from '../../../src/core/operations.js';
import { metricsText } from '../../../src/protocols/pages/metrics-text.js';
import { LatePages } from '../../../src/protocols/pages/late-pages.js';
import { platform } from '../../../src/core/platform.js';
import { withDirectory } from '../../directory.js';
import { startHttpServer } from '../../fronts/server-process.js';
import { readExposition, valueOf, type Family } from '../../prometheus.js';
import { read, testConfig } from '../../transports/http/harness.js';

type Families = ReadonlyMap<string, Family>;

const status = { state: 'ok', version: '1.2.3', uptimeS: 4.5 } as const;

function textOf(metrics: Metrics): string {
  return metricsText(metrics, status, new LoopDelay());
}

const post = (url: string, path: string, body: string, headers = {}): Promise<Response> =>
  fetch(url + path, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body });

async function figuresOf(url: string): Promise<Families> {
  return readExposition(await (await fetch(`${url}/metrics`)).text());
}

describe('the metrics of calls', () => {
  it('count them by operation, front and outcome, and record how long they took', () => {
    const metrics = new Metrics();
    metrics.count('read_file', 'rest', read, 1.5);
    metrics.count('read_file', 'rest', read, 0.02);
    metrics.count('read_file', 'mcp', read, 700);
    metrics.count('read_file', 'rest', failure('not_found', 'x'), 1);
    metrics.refuse('mcp', 'parse_error', -32700);
    const figures = readExposition(textOf(metrics));
    const rest = { operation: 'read_file', front: 'rest' };
    assert.equal(valueOf(figures, 'file_editor_calls_total', { ...rest, outcome: 'ok' }), 2);
    assert.equal(valueOf(figures, 'file_editor_calls_total', { ...rest, outcome: 'not_found', code: '-32001' }), 1);
    assert.equal(
      valueOf(figures, 'file_editor_calls_total', { operation: 'read_file', front: 'mcp', outcome: 'ok' }),
      1,
    );
    const refused = { front: 'mcp', outcome: 'parse_error', code: '-32700' };
    assert.equal(valueOf(figures, 'file_editor_requests_refused_total', refused), 1);
    const bucket = (le: string): number =>
      valueOf(figures, 'file_editor_call_duration_seconds_bucket', { ...rest, le });
    assert.deepEqual(
      [bucket('0.00001'), bucket('0.000025'), bucket('0.001'), bucket('0.0025'), bucket('+Inf')],
      [0, 1, 2, 3, 3],
    );
    assert.ok(Math.abs(valueOf(figures, 'file_editor_call_duration_seconds_sum', rest) - 0.00252) < 1e-9);
  });

  it('name the first 100 callers, and count all others together', () => {
    const metrics = new Metrics();
    assert.doesNotMatch(textOf(metrics), /caller/);
    for (let number = 1; number <= 102; number++) metrics.count('view', 'mcp', read, 1, `agent-${String(number)}`);
    metrics.count('view', 'mcp', failure('not_found', 'x'), 1, 'agent-100');
    const figures = readExposition(textOf(metrics));
    const callsOf = (caller: string, outcome: string): number =>
      valueOf(figures, 'file_editor_caller_calls_total', { caller, outcome });
    assert.deepEqual([callsOf('agent-100', 'ok'), callsOf('agent-100', 'failed')], [1, 1]);
    assert.deepEqual([callsOf('(others)', 'ok'), callsOf('(others)', 'failed')], [2, 0]);
    assert.equal(metrics.callers.size, 101);
  });

  it('start alerted counters at 0, since Prometheus sees no increase in one that starts at 1', () => {
    const guide = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8');
    const alerts = [...guide.matchAll(/file_editor_server_failures_total\{outcome=~"([a-z_|]+)"\}/g)];
    const outcomes = alerts.flatMap(([, names = '']) => names.split('|'));
    assert.ok(alerts.length === 2 && !guide.includes('rate(file_editor_calls_total'));
    const metrics = new Metrics();
    const sums = (): number[] => {
      const figures = readExposition(textOf(metrics));
      return outcomes.map((outcome) => valueOf(figures, 'file_editor_server_failures_total', { outcome }));
    };
    assert.deepEqual(
      sums(),
      outcomes.map(() => 0),
    );
    metrics.count('edit_file', 'rest', failure('write_failed', 'x'), 1);
    metrics.count('str_replace', 'mcp', failure('write_failed', 'x', { data: { reason: 'disk_full' } }), 1);
    metrics.count('read_file', 'mcp', failure('not_found', 'x'), 1);
    metrics.refuse('rest', 'internal', -32603);
    const expected = new Map([
      ['write_failed', 2],
      ['internal', 1],
    ]);
    assert.deepEqual(
      sums(),
      outcomes.map((outcome) => expected.get(outcome) ?? 0),
    );
  });

  it('include the time of the last failure of each kind, in a call or before one', () => {
    const metrics = new Metrics();
    const name = 'file_editor_last_failure_timestamp_seconds';
    assert.deepEqual(readExposition(textOf(metrics)).get(name)?.samples, []);
    const before = Date.now() / 1000;
    metrics.count('read_file', 'rest', read, 1);
    metrics.count('read_file', 'rest', failure('not_found', 'x'), 1);
    metrics.refuse('mcp', 'parse_error', -32700);
    const samples = readExposition(textOf(metrics)).get(name)?.samples ?? [];
    assert.deepEqual(
      samples.map(({ labels }) => labels),
      [{ outcome: 'not_found' }, { outcome: 'parse_error' }],
    );
    for (const { value } of samples) assert.ok(value >= before && value <= Date.now() / 1000, String(value));
  });

  it('include the process start time, which is the same at every scrape', async () => {
    const start = (): number => valueOf(readExposition(textOf(new Metrics())), 'process_start_time_seconds');
    const first = start();
    assert.ok(first > 1e9 && first <= Date.now() / 1000, String(first));
    await setTimeout(10);
    assert.equal(start(), first);
  });

  it("check the server's health, disk included, once per scrape", async () => {
    let asked = 0;
    const ask = (): typeof status => {
      asked++;
      return status;
    };
    const parts = { config: testConfig(), operations, status: ask, metrics: new Metrics() };
    const pages = new LatePages(parts);
    let looks = 0;
    const delays = (): number => {
      looks++;
      return valueOf(readExposition(pages.metrics().text), 'file_editor_event_loop_delay_seconds_count');
    };
    while (delays() < 3) await setTimeout(50);
    assert.equal(asked, looks);
  });

  it("include the certificate's expiry if there is one", () => {
    const name = 'file_editor_tls_certificate_expiry_timestamp_seconds';
    const figures = readExposition(textOf(new Metrics({ certificateEnds: 1_800_000_000_500 })));
    assert.equal(valueOf(figures, name), 1_800_000_000.5);
    assert.ok(!readExposition(textOf(new Metrics())).has(name));
  });

  it('are text that Prometheus can parse, whatever was counted', () => {
    const count = fc.record({
      operation: fc.constantFrom('read_file', 'edit_file', 'unknown'),
      front: fc.constantFrom('rest', 'json-rpc', 'mcp'),
      kind: fc.constantFrom('ok', 'not_found', 'internal', 'busy'),
      ms: fc.oneof(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.constantFrom(0, 0.01, 0.025, 1, 30_000)),
    });
    fc.assert(
      fc.property(fc.array(count, { maxLength: 20 }), (counts) => {
        const metrics = new Metrics();
        for (const { operation, front, kind, ms } of counts) {
          metrics.count(operation, front, kind === 'ok' ? read : failure(kind, 'x'), ms);
        }
        const calls = readExposition(textOf(metrics)).get('file_editor_calls_total')?.samples ?? [];
        assert.equal(
          calls.reduce((sum, { value }) => sum + value, 0),
          counts.length,
        );
      }),
      { numRuns: 15 },
    );
  });
});

describe('a histogram', () => {
  it('counts each value in the first bucket that fits', () => {
    const bounds = [1, 2, 5];
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 8, noNaN: true })), (values) => {
        const histogram = new Histogram(bounds);
        for (const value of values) histogram.add(value);
        const limits = [-Infinity, ...bounds, Infinity];
        const expected = [...bounds, Infinity].map(
          (bound, index) => values.filter((value) => value > (limits[index] ?? 0) && value <= bound).length,
        );
        assert.deepEqual(Array.from(histogram.counts), expected);
      }),
    );
  });
});

describe('the metrics of a server', () => {
  it('cover calls, refusals, the cache, threads, locks, the disk and the process', () =>
    withDirectory({ 'a.txt': 'one\n', 'large.txt': 'x'.repeat(300_000) }, async (directory) => {
      const server = await startHttpServer(directory, { workers: 2 });
      try {
        const { url } = server;
        const before = await figuresOf(url);
        assert.equal(valueOf(before, 'file_editor_worker_threads'), 0);
        // The text is not cached until the file's timestamps are old enough to be trusted.
        const hits = async (): Promise<number> => valueOf(await figuresOf(url), 'file_editor_cache_hits_total');
        while ((await hits()) === 0) await post(url, '/read_file', '{"name":"a.txt"}');
        await post(url, '/edit_file', '{"name":"a.txt","append":"two"}');
        await post(url, '/read_file', '{"name":"none.txt"}');
        await post(url, '/read_file', '{');
        await post(url, '/nowhere', '{}');
        const tool = { name: 'list_files', arguments: {} };
        await post(url, '/mcp', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool }));
        await post(url, '/mcp', '{');
        const crowd = { ...tool, arguments: Array.from({ length: 200_000 }, () => 1) };
        await post(url, '/mcp', JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: crowd }));

        // A large file needs a thread.
        await post(url, '/read_file', '{"name":"large.txt"}');

        const figures = await figuresOf(url);
        const value = (name: string, labels = {}): number => valueOf(figures, `file_editor_${name}`, labels);
        assert.equal(value('calls_total', { operation: 'edit_file', front: 'rest', outcome: 'ok' }), 1);
        assert.equal(value('calls_total', { operation: 'list_files', front: 'mcp', outcome: 'ok' }), 1);
        const missing = { operation: 'read_file', front: 'rest', outcome: 'not_found', code: '-32001' };
        assert.equal(value('calls_total', missing), 1);
        assert.equal(value('requests_refused_total', { front: 'rest', outcome: 'parse_error', code: '-32700' }), 1);
        assert.equal(
          value('requests_refused_total', { front: 'rest', outcome: 'unknown_operation', code: '-32601' }),
          1,
        );
        assert.equal(value('requests_refused_total', { front: 'mcp', outcome: 'parse_error', code: '-32700' }), 1);
        assert.equal(value('requests_refused_total', { front: 'mcp', outcome: 'invalid_params', code: '-32602' }), 1);
        assert.equal(value('call_duration_seconds_count', { operation: 'edit_file', front: 'rest' }), 1);
        assert.equal(value('state', { state: 'ok' }), 1);
        assert.ok(value('cache_misses_total') > 0 && value('cache_limit_bytes') === 64 * 1_048_576);
        assert.ok(value('worker_threads') >= 1 && value('worker_threads_limit') === 2);
        assert.equal(value('worker_deaths_total'), 0);
        assert.equal(value('batch_calls_count', { kind: 'write' }), 1);
        assert.equal(value('sync_seconds_count', { what: 'file' }), 1);
        assert.equal(value('sync_seconds_count', { what: 'directory' }), platform.canSyncDirectories ? 1 : 0);
        assert.ok(value('sync_seconds_sum', { what: 'file' }) > 0);
        assert.equal(value('lock_wait_seconds_count'), 0);
        for (const queue of ['concurrency', 'file', 'thread']) assert.equal(value('calls_waiting', { for: queue }), 0);
        assert.equal(value('calls_in_flight'), 0);
        for (const name of ['cpu_seconds_total', 'resident_memory_bytes', 'start_time_seconds']) {
          assert.ok(valueOf(figures, `process_${name}`) > 0, name);
        }
        if (process.platform === 'linux') {
          const [open, most] = ['open', 'max'].map((which) => valueOf(figures, `process_${which}_fds`));
          assert.ok(open !== undefined && most !== undefined && open > 5 && open < most);
        }
        assert.ok(figures.get('file_editor_event_loop_delay_seconds') !== undefined);
      } finally {
        await server.stop();
      }
    }));

  it('use the code that the caller gets, even where the path tools have their own', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      const server = await startHttpServer(directory, { toolset: 'all', logLevel: 'debug' });
      const closed = once(server.child, 'close');
      try {
        const params = { path: 'a.txt', insert_line: 9, new_str: 'x' };
        assert.equal((await post(server.url, '/insert', JSON.stringify(params))).status, 400);
        const labels = { operation: 'insert', front: 'rest', outcome: 'invalid_range', code: '-32001' };
        assert.equal(valueOf(await figuresOf(server.url), 'file_editor_calls_total', labels), 1);
      } finally {
        await server.stop();
      }
      await closed;
      assert.match(server.errors(), /"category":"invalid_range"/);
      assert.match(server.errors(), /"operation":"insert".*"code":-32001/);
    }));

  it('cover waits for a lock that another server holds', () =>
    withDirectory({ 'a.txt': '' }, async (directory) => {
      const servers = await Promise.all([1, 2].map(() => startHttpServer(directory, { timeout: 120 })));
      try {
        let waits = 0;
        while (waits === 0) {
          const edits = servers.flatMap(({ url }) =>
            Array.from({ length: 20 }, () => post(url, '/edit_file', '{"name":"a.txt","append":"x"}')),
          );
          for (const { status: code } of await Promise.all(edits)) assert.equal(code, 200);
          const all = await Promise.all(servers.map(({ url }) => figuresOf(url)));
          waits = Math.max(...all.map((figures) => valueOf(figures, 'file_editor_lock_wait_seconds_count')));
        }
      } finally {
        await Promise.all(servers.map((server) => server.stop()));
      }
    }));
});

describe('the log line of each call', () => {
  const lines = (text: string): Record<string, unknown>[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('is written at --log-level=debug, with the request id, and at info only for failures', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      for (const [level, expected] of [
        ['debug', ['mine ok rest', 'missing error rest', 'tool ok mcp']],
        ['info', ['missing error rest']],
      ] as const) {
        const server = await startHttpServer(directory, { logLevel: level });
        const id = (name: string): object => ({ 'X-Request-Id': name });
        await post(server.url, '/read_file', '{"name":"a.txt"}', id('mine'));
        await post(server.url, '/read_file', '{"name":"none.txt"}', id('missing'));
        const params = { name: 'read_file', arguments: { name: 'a.txt' } };
        const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
        await post(server.url, '/mcp', message, id('tool'));
        await post(server.url, '/read_file', '{', id('unread'));
        const closed = once(server.child, 'close');
        await server.stop();
        await closed;
        const told = lines(server.errors()).filter((line) => 'ms' in line);
        assert.deepEqual(
          told.map(({ requestId, outcome, front }) => `${String(requestId)} ${String(outcome)} ${String(front)}`),
          expected,
        );
        for (const line of told) {
          assert.equal(line['operation'], 'read_file');
          assert.match(String(line['filename']), /^(?:a|none)\.txt$/);
          assert.ok(typeof line['ms'] === 'number' && line['ms'] >= 0);
        }
        const refused = lines(server.errors()).filter(({ requestId }) => requestId === 'unread');
        assert.equal(refused.length, level === 'debug' ? 1 : 0);
      }
    }));
});
