import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operations } from '../../src/operations.js';
import { createMetrics } from '../../src/metrics.js';
import { answerTo, Client, first, kinds, request, withServer } from '../transports/http-harness.js';

const pages = [
  ['/', 'text/html; charset=utf-8'],
  ['/health', 'application/json; charset=utf-8'],
  ['/metrics', 'text/plain; version=0.0.4; charset=utf-8'],
  ['/openapi.json', 'application/json; charset=utf-8'],
] as const;

for (const kind of kinds) {
  describe(`pages (${kind})`, { concurrency: true }, () => {
    it('answer GET, HEAD without a body but with its length, and OPTIONS', async () => {
      await withServer(kind, async ({ port }) => {
        for (const [path, type] of pages) {
          const got = await answerTo(port, request(`GET ${path}?query`));
          assert.deepEqual([got.status, got.headers.get('content-type')], [200, type], path);
          assert.equal(got.headers.get('content-length'), String(Buffer.byteLength(got.body)));

          const head = await Client.connect(port);
          await head.send(request(`HEAD ${path}`));
          const reply = await head.reply(1, 'HEAD');
          const { status, headers } = first(reply);
          assert.deepEqual([status, headers.get('content-type'), reply.rest], [200, type, '']);
          // The time since the start is in some of them.
          assert.ok(Math.abs(Number(headers.get('content-length')) - got.body.length) < 60);
          // Nothing of a body may come later either: it would be read as the next answer.
          await head.send(request(`OPTIONS ${path}`));
          const options = (await head.reply(2, 'HEAD')).responses[1];
          assert.deepEqual([options?.status, options?.headers.get('allow')], [204, 'GET, HEAD, OPTIONS']);
          head.leave();
        }
      });
    });

    it('health says how the server is: 503 unless it works', async () => {
      await withServer(kind, async (server) => {
        for (const [state, status, text] of [
          ['ok', 200, 'ok'],
          ['shutting_down', 503, 'shutting down'],
          ['no_directory', 503, 'working directory missing'],
        ] as const) {
          server.state = state;
          const answer = await answerTo(server.port, request('GET /health'));
          assert.equal(answer.status, status);
          assert.deepEqual(JSON.parse(answer.body), { status: text, version: '1.2.3', uptime_s: 4.568 });
        }
      });
    });

    it('the status page shows what is served, escaped, and loads nothing from elsewhere', async () => {
      await withServer(
        kind,
        async ({ port }) => {
          const { body: html } = await answerTo(port, request('GET /'));
          for (const operation of operations.keys()) assert.ok(html.includes(`POST /${operation}`));
          assert.ok(html.includes('/srv/&lt;b&gt;&amp;'));
          assert.ok(html.includes('1.2.3'));
          assert.doesNotMatch(html, /<b>|https?:|<script/);
        },
        { config: { directory: '/srv/<b>&' } },
      );
    });

    it('OpenAPI describes each operation by the schemas of the table', async () => {
      await withServer(kind, async ({ port }) => {
        const { body } = await answerTo(port, request('GET /openapi.json'));
        const document: unknown = JSON.parse(body);
        assert.equal(at(document, 'openapi'), '3.1.0');
        assert.equal(at(document, 'info', 'version'), '1.2.3');
        for (const row of operations.values()) {
          const post = at(document, 'paths', `/${row.name}`, 'post');
          assert.deepEqual(at(post, 'requestBody', 'content', 'application/json', 'schema'), row.params);
          assert.deepEqual(at(post, 'responses', '200', 'content', 'application/json', 'schema'), row.result);
          assert.equal(at(post, 'operationId'), row.name);
        }
      });
    });
  });
}

/** A member of a member of a value. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    assert.ok(typeof inner === 'object' && inner !== null, `nothing at ${key}`);
    return Reflect.get(inner, key);
  }, value);
}

describe('metrics', () => {
  it('count calls by operation and outcome, with their time', () => {
    const metrics = createMetrics();
    metrics.count('read_file', 'ok', 1.5);
    metrics.count('read_file', 'ok', 0.5);
    metrics.count('read_file', 'not_found', 1);
    metrics.inFlight(1);
    const lines = metrics.render().split('\n');
    assert.ok(lines.includes('file_editor_calls_total{operation="read_file",outcome="ok"} 2'));
    assert.ok(lines.includes('file_editor_call_seconds_total{operation="read_file",outcome="ok"} 0.002'));
    assert.ok(lines.includes('file_editor_calls_total{operation="read_file",outcome="not_found"} 1'));
    assert.ok(lines.includes('file_editor_calls_in_flight 1'));
    assert.ok(lines.some((line) => /^process_resident_memory_bytes \d+$/.test(line)));
    assert.ok(lines.some((line) => /^file_editor_uptime_seconds \d/.test(line)));
  });

  it('are lines that Prometheus reads: each sample belongs to a family that was announced', () => {
    const metrics = createMetrics();
    metrics.count('list_files', 'ok', 1);
    const announced = new Set<string>();
    for (const line of metrics.render().trimEnd().split('\n')) {
      const [, type] = /^# TYPE (\w+) (?:counter|gauge)$/.exec(line) ?? [];
      if (type !== undefined) announced.add(type);
      if (line.startsWith('#')) continue;
      const [, sample = ''] = /^(\w+)(?:\{\w+="\w+",\w+="\w+"\})? [\d.e+-]+$/.exec(line) ?? [];
      assert.ok(announced.has(sample), line);
    }
  });
});
