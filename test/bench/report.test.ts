import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chart, logScale } from '../../bench/report/chart.js';
import { markdownTable, replaceMarked } from '../../bench/report/record.js';
import type { Result } from '../../bench/report/results.js';

const ratio: Result = {
  name: 'reads & <writes>',
  own: { name: 'this server', value: 5000, unit: '/s' },
  baseline: { name: 'by hand', value: 1000, unit: '/s' },
  result: 5,
  unit: '×',
  demand: 'at least',
  must: 7,
  aim: 9,
  outcome: 'missed',
};
const time: Result = { ...ratio, name: 'a start', baseline: undefined, result: 90, unit: 'ms', demand: 'at most' };
const run = { machine: 'a machine', date: '2026-01-01', load: 'wrk', results: [ratio, time] };

describe('the chart', () => {
  it('shows the ratios, each against what it is of, and nothing else', () => {
    const svg = chart(run);
    assert.match(svg, />reads &amp; &lt;writes&gt;</);
    assert.match(svg, />beside by hand</);
    assert.match(svg, /class="missed"/);
    assert.doesNotMatch(svg, /a start/);
  });

  it('can be read on light and on dark pages', () => {
    assert.match(chart(run), /@media \(prefers-color-scheme: dark\)/);
  });

  it('puts equal factors at equal distances', () => {
    const { x, ticks } = logScale([0.5, 8]);
    assert.ok(Math.abs(x(2) - x(1) - (x(8) - x(4))) < 0.2);
    assert.ok(x(0.5) < x(1) && ticks.includes(1) && ticks.includes(8));
  });
});

describe('what is recorded in the README', () => {
  it('replaces what is between the marks, again and again, and nothing else', () => {
    const once = replaceMarked('before\n<!-- a -->\nold\n<!-- /a -->\nafter\n', 'a', 'new');
    assert.equal(once, 'before\n<!-- a -->\nnew\n<!-- /a -->\nafter\n');
    assert.equal(replaceMarked(once, 'a', 'new'), once);
  });

  it('is refused where there are no marks', () => {
    assert.throws(() => replaceMarked('text', 'a', 'new'), /no place is marked "a"/);
  });

  it('is a table with a line for each figure', () => {
    const lines = markdownTable(run).split('\n');
    assert.ok(lines.includes('| reads & <writes> | 5,000 /s | 1,000 /s (by hand) | 5.00 × |'));
    assert.ok(lines.includes('| a start | 5,000 /s |  |  |'));
  });
});
