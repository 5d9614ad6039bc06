import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failure } from '../../../../src/core/errors.js';
import { Metrics } from '../../../../src/observe/metrics.js';
import { LoopDelay } from '../../../../src/observe/loop-delay.js';
import { metricsText } from '../../../../src/protocols/pages/metrics-text.js';
import { operationsLabel } from '../../../../src/protocols/pages/status-page/browser/look.js';
import { panels } from '../../../../src/protocols/pages/status-page/browser/panels.js';
import { callsOf, failureRows, totals } from '../../../../src/protocols/pages/status-page/browser/totals.js';
import { parseFigures, type Figures } from '../../../../src/protocols/pages/status-page/exposition.js';
import { read } from '../../../transports/http/harness.js';

function figuresOf(metrics: Metrics): Figures {
  return parseFigures(metricsText(metrics, { state: 'ok', version: '1.2.3', uptimeS: 4.5 }, new LoopDelay()));
}

function shown(metrics: Metrics): Record<string, string> {
  const figures = figuresOf(metrics);
  const writing = operationsLabel(['edit_file', 'create']);
  return Object.fromEntries(totals.map(({ name, of }) => [name, of(figures, writing)]));
}

describe('the totals since the start', () => {
  it('count calls and refusals over all fronts', () => {
    const metrics = new Metrics();
    for (let each = 0; each < 1500; each++) metrics.count('read_file', 'rest', read, 1);
    metrics.count('read_file', 'mcp', failure('not_found', 'x'), 1);
    metrics.count('edit_file', 'mcp', failure('busy', 'x'), 1);
    metrics.refuse('rest', 'parse_error', -32700);
    const { reads, writes, 'failed calls': failed, 'refused requests': refused } = shown(metrics);
    assert.deepEqual([reads, writes, failed, refused], ['1,501', '1', '2', '1']);
    assert.deepEqual(callsOf(figuresOf(metrics), 'read_file'), { all: 1501, failed: 1 });
    assert.deepEqual(callsOf(figuresOf(metrics), 'view'), { all: 0, failed: 0 });
  });

  it('give the share of reads answered by the cache, once there are any', () => {
    const cache = { hits: 0, misses: 0, size: 0, bytes: 0, limit: 0 };
    assert.equal(shown(new Metrics({ cache }))['of reads from the cache'], '–');
    assert.equal(shown(new Metrics({ cache: { ...cache, hits: 3, misses: 1 } }))['of reads from the cache'], '75 %');
  });
});

describe('the failures by kind', () => {
  it('start with the most recent, and say how often and where', (test) => {
    test.mock.timers.enable({ apis: ['Date'] });
    const metrics = new Metrics();
    const fails: readonly (() => void)[] = [
      () => metrics.count('read_file', 'rest', failure('not_found', 'x'), 1),
      () => metrics.refuse('rest', 'parse_error', -32700),
      () => metrics.count('view', 'mcp', failure('not_found', 'x'), 1),
      () => metrics.count('view', 'mcp', read, 1),
    ];
    for (const fail of fails) {
      test.mock.timers.tick(1000);
      fail();
    }
    assert.deepEqual(
      failureRows(figuresOf(metrics)).map(([kind, times, , where]) => [kind, times, where]),
      [
        ['not found', '2', 'read_file, view'],
        ['parse error', '1', 'refused before it was a call'],
      ],
    );
  });

  it('are empty if nothing has failed', () => {
    assert.deepEqual(failureRows(figuresOf(new Metrics())), []);
  });
});

describe('the charts', () => {
  it('are four', () => {
    assert.deepEqual(
      panels.map(({ title }) => title),
      ['Calls', 'Latency', 'Errors', 'Memory'],
    );
  });

  it('have lines of one unit each, named on the axis', () => {
    const unitOf = (text: string): string => text.replace(/^[\d.,]+ ?/, '').replace(/^(?:µs|kB)$/, '');
    for (const { title, unit, lines } of panels) {
      assert.ok(unit !== '', title);
      assert.equal(new Set(lines.map(({ show }) => unitOf(show(50)))).size, 1, title);
    }
  });
});
