import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { attempts, check, headroom, parseBudgets, recorded, type Budget, type Budgets } from '../../bench/budgets.js';
import { figures } from '../../bench/figures.js';

const ofTen: Budget = { budget: 10, unit: 'ms', measured: 8, note: '' };

function file(entries: Readonly<Record<string, Budget>>): Budgets {
  return { machine: 'a', date: '2026-01-01', how: '', figures: entries };
}

/** Yields the given figures of each name, one after the other, and remembers what it was asked for. */
function meter(series: Readonly<Record<string, readonly (number | undefined)[]>>) {
  const asked: string[][] = [];
  const measure = (names: ReadonlySet<string>): Promise<Map<string, number | undefined>> => {
    asked.push([...names]);
    const times = (name: string): number => asked.flat().filter((each) => each === name).length;
    return Promise.resolve(new Map([...names].map((name) => [name, series[name]?.[times(name) - 1]])));
  };
  return { asked, measure };
}

describe('the check of the budgets', () => {
  it('measures a figure that keeps its budget once; the budget itself is allowed', async () => {
    const { asked, measure } = meter({ a: [10] });
    const [verdict] = await check({ a: ofTen }, measure);
    assert.equal(verdict?.outcome, 'kept');
    assert.deepEqual(asked, [['a']]);
  });

  it('measures what misses again, and nothing else', async () => {
    const { asked, measure } = meter({ a: [9], b: [11, 12, 9] });
    const verdicts = await check({ a: ofTen, b: ofTen }, measure);
    assert.deepEqual(asked, [['a', 'b'], ['b'], ['b']]);
    assert.deepEqual(
      verdicts.map(({ name, outcome, measured, attempts: tried }) => [name, outcome, measured, tried]),
      [
        ['a', 'kept', 9, 1],
        ['b', 'kept', 9, 3],
      ],
    );
  });

  it('counts a figure as missed that missed three times, and reports the best of it', async () => {
    const { asked, measure } = meter({ a: [13, 11, 12, 1] });
    const [verdict] = await check({ a: ofTen }, measure);
    assert.equal(verdict?.outcome, 'missed');
    assert.equal(verdict.measured, 11);
    assert.equal(asked.length, 3);
  });

  it('neither fails nor tries again where the platform cannot measure', async () => {
    const { asked, measure } = meter({ a: [undefined] });
    const [verdict] = await check({ a: ofTen }, measure);
    assert.equal(verdict?.outcome, 'not measured');
    assert.equal(asked.length, 1);
  });
});

describe('a budget that was recorded', () => {
  const measured = fc.double({ min: 0.01, max: 1000, noNaN: true });
  /** What a busy machine adds to each attempt, as a share of the figure. */
  const noise = fc.array(fc.double({ min: 0, max: 20, noNaN: true }), { minLength: attempts, maxLength: attempts });
  const ratio = file({ a: { budget: 1, unit: '×', measured: 1, note: '' } });
  const recordOf = (value: number): Budgets['figures'] =>
    recorded(ratio, new Map([['a', value]]), 'b', '2026-01-02').figures;

  it('lets a good change through whatever the noise of two attempts is', () =>
    fc.assert(
      fc.asyncProperty(measured, noise, fc.nat(attempts - 1), async (value, additions, quiet) => {
        const series = additions.map((addition, index) => value * (1 + (index === quiet ? headroom / 2 : addition)));
        const [verdict] = await check(recordOf(value), meter({ a: series }).measure);
        assert.equal(verdict?.outcome, 'kept');
      }),
    ));

  it('never lets a regression of a third through: noise can only add to it', () =>
    fc.assert(
      fc.asyncProperty(measured, noise, async (value, additions) => {
        const series = additions.map((addition) => value * (4 / 3) * (1 + addition));
        const [verdict] = await check(recordOf(value), meter({ a: series }).measure);
        assert.equal(verdict?.outcome, 'missed');
      }),
    ));

  it('of a time is the limit, which holds on every machine', () => {
    const time = file({ a: { limit: 50, budget: 40, unit: 'ms', measured: 30, note: 'n' } });
    const { figures: renewed, machine, date } = recorded(time, new Map([['a', 12.3456]]), 'b', '2026-01-02');
    assert.deepEqual(renewed, { a: { limit: 50, budget: 50, unit: 'ms', measured: 12.3, note: 'n' } });
    assert.deepEqual([machine, date], ['b', '2026-01-02']);
  });

  it('is never above the limit', () => {
    const memory = file({ a: { limit: 10, budget: 10, unit: 'MB', measured: 5, note: '' } });
    assert.equal(recorded(memory, new Map([['a', 9]]), 'b', '2026-01-02').figures['a']?.budget, 10);
  });

  it('stays as it was where nothing was measured', () => {
    const before = file({ a: ofTen });
    assert.deepEqual(recorded(before, new Map([['a', undefined]]), 'b', '2026-01-02').figures, before.figures);
  });
});

describe('perf-budgets.json', () => {
  const text = readFileSync(new URL('../../perf-budgets.json', import.meta.url), 'utf8');

  it('has a budget for each figure that is measured, and no other', () => {
    assert.deepEqual(Object.keys(parseBudgets(text).figures).toSorted(), Object.keys(figures).toSorted());
  });

  it('is refused with a budget above its limit or a figure that is no number', () => {
    const wrong = (change: Partial<Record<keyof Budget, unknown>>): string =>
      JSON.stringify(file({ a: { ...ofTen, ...change } as Budget }));
    assert.throws(() => parseBudgets(wrong({ limit: 9 })), /a: the budget 10 is above the limit 9/);
    assert.throws(() => parseBudgets(wrong({ budget: '10ms' })), /a: budget and measured must be numbers/);
    assert.throws(() => parseBudgets(wrong({ measured: null })), /a: budget and measured must be numbers/);
  });
});
