import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { budgetFigures } from '../../bench/budget-figures.js';
import { budgetsTable } from '../../bench/report/record.js';
import { attempts, check, headroom, parseBudgets, recorded, type Budget, type Budgets } from '../../bench/budgets.js';

const mostTen: Budget = { at_most: 10, mark: 10, unit: 'ms', measured: 8 };
const leastTen: Budget = { at_least: 10, mark: 10, unit: '×', measured: 15 };

function file(entries: Readonly<Record<string, Budget>>): Budgets {
  return { machine: 'a', date: '2026-01-01', how: '', figures: entries };
}

/** Yields the given figures of each name in turn, and records the requested names. */
function meter(series: Readonly<Record<string, readonly (number | undefined)[]>>) {
  const asked: string[][] = [];
  const measure = (names: ReadonlySet<string>): Promise<Map<string, number | undefined>> => {
    asked.push([...names]);
    const times = (name: string): number => asked.flat().filter((each) => each === name).length;
    return Promise.resolve(new Map([...names].map((name) => [name, series[name]?.[times(name) - 1]])));
  };
  return { asked, measure };
}

describe('the budget check', () => {
  it('measures a figure within its budget once; the budget itself is allowed', async () => {
    const { asked, measure } = meter({ a: [10], b: [10] });
    const verdicts = await check({ a: mostTen, b: leastTen }, measure);
    assert.deepEqual(
      verdicts.map(({ outcome }) => outcome),
      ['kept', 'kept'],
    );
    assert.deepEqual(asked, [['a', 'b']]);
  });

  it('measures only missed figures again', async () => {
    const { asked, measure } = meter({ a: [9], b: [11, 12, 9], c: [9, 8, 11] });
    const verdicts = await check({ a: mostTen, b: mostTen, c: leastTen }, measure);
    assert.deepEqual(asked, [
      ['a', 'b', 'c'],
      ['b', 'c'],
      ['b', 'c'],
    ]);
    assert.deepEqual(
      verdicts.map(({ name, outcome, measured, attempts: tried }) => [name, outcome, measured, tried]),
      [
        ['a', 'kept', 9, 1],
        ['b', 'kept', 9, 3],
        ['c', 'kept', 11, 3],
      ],
    );
  });

  it('counts a figure as missed after three misses, and reports the best', async () => {
    const { asked, measure } = meter({ a: [13, 11, 12, 1], b: [7, 9, 8, 100] });
    const [most, least] = await check({ a: mostTen, b: leastTen }, measure);
    assert.deepEqual([most?.outcome, most?.measured], ['missed', 11]);
    assert.deepEqual([least?.outcome, least?.measured], ['missed', 9]);
    assert.equal(asked.length, 3);
  });

  it('neither fails nor retries if the platform cannot measure', async () => {
    const { asked, measure } = meter({ a: [undefined] });
    const [verdict] = await check({ a: mostTen }, measure);
    assert.equal(verdict?.outcome, 'not measured');
    assert.equal(asked.length, 1);
  });
});

describe('a recorded budget', () => {
  const measured = fc.double({ min: 0.01, max: 1000, noNaN: true });
  /** The noise of a busy machine in each attempt, as a share of the figure. */
  const noise = fc.array(fc.double({ min: 0, max: 20, noNaN: true }), { minLength: attempts, maxLength: attempts });
  const ratios = file({
    cost: { at_most: 1, mark: 0.001, waived: 'why', unit: '×', measured: 1 },
    speed: { at_least: 1, mark: 9_999, waived: 'why', unit: '×', measured: 1 },
  });
  const recordOf = (value: number): Budgets['figures'] => {
    const figures = new Map([
      ['cost', value],
      ['speed', value],
    ]);
    return recorded(ratios, figures, 'b', '2026-01-02').figures;
  };
  /** Both figures in three attempts, each made worse by the noise. */
  const attemptsOf = (cost: number, speed: number, additions: readonly number[]) => ({
    cost: additions.map((addition) => cost * (1 + addition)),
    speed: additions.map((addition) => speed / (1 + addition)),
  });

  it('tolerates a small change despite the noise of two attempts', () =>
    fc.assert(
      fc.asyncProperty(measured, noise, fc.nat(attempts - 1), async (value, additions, quiet) => {
        const noisy = additions.map((addition, index) => (index === quiet ? 0 : addition));
        const series = attemptsOf(value * (1 + headroom / 2), value * (1 - headroom / 2), noisy);
        for (const { outcome } of await check(recordOf(value), meter(series).measure)) assert.equal(outcome, 'kept');
      }),
    ));

  it('never tolerates a loss of more than a third: noise can only add to it', () =>
    fc.assert(
      fc.asyncProperty(measured, noise, async (value, additions) => {
        const series = attemptsOf(value * 1.35, value * 0.65, additions);
        for (const { outcome } of await check(recordOf(value), meter(series).measure)) assert.equal(outcome, 'missed');
      }),
    ));

  it('of a time is the mark, which holds on every machine', () => {
    const time = file({ a: { at_most: 40, mark: 50, unit: 'ms', measured: 30, note: 'n' } });
    const { figures: renewed, machine, date } = recorded(time, new Map([['a', 12.3456]]), 'b', '2026-01-02');
    assert.deepEqual(renewed, { a: { at_most: 50, mark: 50, unit: 'ms', measured: 12.3, note: 'n' } });
    assert.deepEqual([machine, date], ['b', '2026-01-02']);
  });

  it('is within the mark unless that is waived', () => {
    const most: Budget = { at_most: 10, mark: 10, unit: 'MB', measured: 5 };
    const least: Budget = { at_least: 10, mark: 10, unit: '×', measured: 15 };
    const renewed = (budget: Budget, figure: number): Budget | undefined =>
      recorded(file({ a: budget }), new Map([['a', figure]]), 'b', '2026-01-02').figures['a'];
    assert.equal(renewed(most, 9)?.at_most, 10);
    assert.equal(renewed({ ...most, waived: 'why' }, 9)?.at_most, 12);
    assert.equal(renewed(least, 12)?.at_least, 10);
    assert.equal(renewed({ ...least, waived: 'why' }, 12)?.at_least, 8);
  });

  it('is unchanged if nothing was measured', () => {
    const before = file({ a: mostTen });
    assert.deepEqual(recorded(before, new Map([['a', undefined]]), 'b', '2026-01-02').figures, before.figures);
  });
});

describe('perf-budgets.json', () => {
  const text = readFileSync(new URL('../../perf-budgets.json', import.meta.url), 'utf8');

  it('has a budget for each measured figure, of the same kind, and no other', () => {
    const { figures } = parseBudgets(text);
    const budgets = Object.entries(figures).map(([name, { at_least: least }]) => [name, least === undefined]);
    const measured = budgetFigures.flatMap((each) => each.figures);
    const kinds = measured.map(({ name, compare }) => [name, compare.demand === 'at most']);
    assert.deepEqual(Object.fromEntries(budgets), Object.fromEntries(kinds));
  });

  it('is printed in docs/benchmarks.md: if not, run npm run bench -- check --record --only=none', () => {
    const page = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8');
    assert.ok(page.includes(`<!-- budgets -->\n${budgetsTable(parseBudgets(text))}\n<!-- /budgets -->`));
  });

  it('is refused if a budget is looser than its mark without a reason, has no kind or both, or is not a number', () => {
    const wrong = (change: Partial<Record<keyof Budget, unknown>>): string =>
      JSON.stringify(file({ a: { ...mostTen, ...change } as Budget }));
    assert.throws(() => parseBudgets(wrong({ mark: 9 })), /a: 10 is looser than the mark 9: say why in waived/);
    assert.throws(() => parseBudgets(wrong({ waived: 'noise' })), /a: the mark is kept: waived says nothing/);
    assert.throws(() => parseBudgets(wrong({ at_most: '10ms' })), /a: budget, mark and measured must be numbers/);
    assert.throws(() => parseBudgets(wrong({ mark: undefined })), /a: budget, mark and measured must be numbers/);
    assert.throws(() => parseBudgets(wrong({ measured: null })), /a: budget, mark and measured must be numbers/);
    assert.throws(() => parseBudgets(wrong({ at_most: undefined })), /a: at_most or at_least/);
    assert.throws(() => parseBudgets(wrong({ at_least: 1 })), /a: at_most or at_least/);
  });
});
