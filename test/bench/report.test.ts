import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chart } from '../../bench/report/chart.js';
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
  const beside = (name: string, more: Partial<Result> = {}): Result => ({
    ...ratio,
    baseline: { name, value: 1000, unit: '/s' },
    ...more,
  });

  it('shows ratios to other programs, without yardsticks or marks', () => {
    const results = [beside('node:http by hand'), beside('a constant', { name: 'a yardstick' }), time];
    const svg = chart({ ...run, results });
    assert.match(svg, />than node:http and fs\.promises by hand</);
    assert.match(svg, />reads &amp; &lt;writes&gt;</);
    assert.match(svg, />5\.00 ×</);
    assert.doesNotMatch(svg, /a yardstick|a start|missed|7 ×/);
  });

  it('shows counts for both sides', () => {
    const lost = beside('MCP server-filesystem', { name: 'edits lost', unit: '', result: 0, demand: 'at most' });
    const own = { name: 'this server', value: 0, unit: '' };
    const svg = chart({
      ...run,
      results: [{ ...lost, own, baseline: { name: 'MCP server-filesystem', value: 19, unit: '' } }],
    });
    assert.match(svg, />Edits lost</);
    assert.deepEqual(
      [...svg.matchAll(/<rect [^>]*width="([\d.]+)" height="10" class="(\w+)"/g)].map(([, length, kind]) => [
        kind,
        length,
      ]),
      [
        ['own', '0'],
        ['other', '344'],
      ],
    );
  });

  it('puts the line of equal speed at the end of a 1 × bar', () => {
    const svg = chart({ ...run, results: [beside('nginx, sendfile', { result: 1 }), beside('nginx, sendfile')] });
    assert.match(svg, /width="68.8" height="10"/);
    assert.match(svg, /<line x1="84.8" x2="84.8"/);
  });

  it('is legible on light and dark pages', () => {
    assert.match(chart(run), /@media \(prefers-color-scheme: dark\)/);
  });
});

describe('the section recorded in docs/benchmarks.md', () => {
  it('replaces the text between the marks, repeatedly, and nothing else', () => {
    const once = replaceMarked('before\n<!-- a -->\nold\n<!-- /a -->\nafter\n', 'a', 'new');
    assert.equal(once, 'before\n<!-- a -->\nnew\n<!-- /a -->\nafter\n');
    assert.equal(replaceMarked(once, 'a', 'new'), once);
  });

  it('is refused if there are no marks', () => {
    assert.throws(() => replaceMarked('text', 'a', 'new'), /no place is marked "a"/);
  });

  it('is a table with a line for each figure', () => {
    const lines = markdownTable(run).split('\n');
    assert.ok(lines.includes('| reads & <writes> | 5,000 /s | 1,000 /s (by hand) | 5.00 × | ≥ 7, **missed** |'));
    assert.ok(lines.includes('| a start | 5,000 /s |  |  | ≤ 7, **missed** |'));
  });
});
