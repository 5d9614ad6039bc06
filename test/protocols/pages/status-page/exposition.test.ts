import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../../fast-check.js';
import { bucketsOf, parseFigures, quantile, sumOf } from '../../../../src/protocols/pages/status-page/exposition.js';

const text = `# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{operation="read_file",outcome="ok"} 7
calls_total{operation="edit_file",outcome="ok"} 2
calls_total{operation="edit_file",outcome="busy",code="-32000"} 1
# HELP seconds Time.
# TYPE seconds histogram
seconds_bucket{front="rest",le="0.1"} 3
seconds_bucket{front="rest",le="+Inf"} 5
seconds_bucket{front="mcp",le="0.1"} 1
seconds_bucket{front="mcp",le="+Inf"} 1
uptime 4.5e-3
`;

describe('the metrics that the status page reads', () => {
  const figures = parseFigures(text);

  it('are summed over all or matching labels', () => {
    assert.equal(sumOf(figures, 'calls_total'), 10);
    assert.equal(sumOf(figures, 'calls_total', /operation="(?:edit_file)"/), 3);
    assert.equal(sumOf(figures, 'calls_total', /outcome="(?!ok")/), 1);
    assert.equal(sumOf(figures, 'uptime'), 0.0045);
    assert.equal(sumOf(figures, 'nothing'), 0);
  });

  it('are buckets merged over all labels', () => {
    assert.deepEqual(
      [...bucketsOf(figures, 'seconds')],
      [
        [0.1, 4],
        [Infinity, 6],
      ],
    );
  });
});

describe('a quantile between two scrapes', () => {
  const bounds = [1, 2, 5, 10, Infinity];
  const cumulated = (values: readonly number[]): Map<number, number> =>
    new Map(bounds.map((bound) => [bound, values.filter((value) => value <= bound).length]));

  it('is null if nothing was counted in between', () => {
    const buckets = cumulated([1, 3, 7]);
    assert.equal(quantile(0.5, buckets, buckets), null);
    assert.equal(quantile(0.5, new Map(), new Map()), null);
  });

  it('lies in the bucket of the value it estimates, whatever was counted before', () => {
    const value = fc.double({ min: 0, max: 12, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(value),
        fc.array(value, { minLength: 1 }),
        fc.constantFrom(0.5, 0.99),
        (old, added, share) => {
          const estimate = quantile(share, cumulated(old), cumulated([...old, ...added]));
          const exact = added.toSorted((a, b) => a - b)[Math.ceil(share * added.length) - 1] ?? NaN;
          const place = bounds.findIndex((bound) => exact <= bound);
          const [from, to] = [bounds[place - 1] ?? 0, Math.min(bounds[place] ?? 0, 10)];
          assert.ok(
            estimate !== null && estimate >= from && estimate <= to,
            `${String(estimate)} for ${String(exact)}`,
          );
        },
      ),
    );
  });

  it('divides a bucket evenly, as Prometheus does', () => {
    assert.equal(
      quantile(
        0.5,
        new Map(),
        new Map([
          [1, 0],
          [2, 10],
          [Infinity, 10],
        ]),
      ),
      1.5,
    );
    assert.equal(
      quantile(
        0.99,
        new Map(),
        new Map([
          [1, 0],
          [2, 0],
          [Infinity, 4],
        ]),
      ),
      2,
    );
  });
});
