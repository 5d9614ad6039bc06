import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { takeTurns } from '../../bench/turns.js';
import { comparisons } from '../../bench/comparisons.js';
import {
  above,
  alone,
  timesAsFast,
  timesAsMany,
  timesTheCost,
  whereBaselineTakes,
  type Quantities,
  type Row,
  type Subject,
} from '../../bench/figures.js';
import { Observations } from '../../bench/observations.js';
import { resultOfRow } from '../../bench/report/results.js';

const unknown = (): Promise<Quantities> => Promise.reject(new Error('these tests bring the figures'));

function subject(name: string): Subject {
  return { name, observe: unknown };
}

function row(change: Partial<Row>): Row {
  return { name: 'r', own: subject('own'), quantity: 'rate', compare: timesAsMany, must: 2, aim: 4, ...change };
}

/** Results of several rounds, from the quantities of each subject. */
function seen(...all: readonly (readonly [Subject, ...(readonly Quantities[])])[]): Observations {
  const observations = new Observations();
  for (const [each, ...series] of all) for (const quantities of series) observations.add(each, quantities);
  return observations;
}

describe('a comparison', () => {
  it('measures each subject once a round, and alternates the order', async () => {
    const [a, b] = [subject('a'), subject('b')];
    const order: string[] = [];
    const figures = [row({ own: a, baseline: b }), row({ own: a })];
    await takeTurns({ rounds: 3, figures }, async ({ name }) => void order.push(name));
    assert.deepEqual(order, ['a', 'b', 'b', 'a', 'a', 'b']);
  });

  it('leaves out what is not installed, and its row says so', async () => {
    const own = subject('own');
    const figure = row({ own, baseline: { ...subject('nginx'), missing: 'nginx is not installed' } });
    const visited: string[] = [];
    await takeTurns({ rounds: 1, figures: [figure] }, async ({ name }) => void visited.push(name));
    assert.deepEqual(visited, ['own']);
    const result = resultOfRow(figure, seen([own, { rate: 7 }]).medians);
    assert.deepEqual([result.own?.value, result.baseline, result.result], [7, undefined, undefined]);
    assert.deepEqual([result.outcome, result.problem], ['not measured', 'nginx is not installed']);
  });

  it('compares medians of the rounds; the best is the largest rate, otherwise the smallest value', () => {
    const own = subject('own');
    const observations = seen([own, { rate: 1, p50: 1 }, { rate: 5, p50: 2 }, { rate: 9, p50: 30 }]);
    assert.deepEqual(observations.medians(own), { rate: 5, p50: 2 });
    assert.deepEqual(observations.best(own), { rate: 9, p50: 1 });
  });
});

describe('a figure', () => {
  const cases: readonly [Partial<Row>, Quantities, Quantities, number | undefined, string][] = [
    [{ compare: timesAsMany }, { rate: 40 }, { rate: 10 }, 4, 'aim'],
    [{ compare: timesAsMany }, { rate: 20 }, { rate: 10 }, 2, 'must'],
    [{ compare: timesAsMany }, { rate: 19 }, { rate: 10 }, 1.9, 'missed'],
    [{ compare: timesAsFast, quantity: 'p50' }, { p50: 10 }, { p50: 30 }, 3, 'must'],
    [{ compare: whereBaselineTakes(50), quantity: 'ms', must: 90, aim: 80 }, { ms: 90 }, { ms: 50 }, 90, 'must'],
    [
      { compare: whereBaselineTakes(50), quantity: 'ms', must: 90, aim: 80 },
      { ms: 160 },
      { ms: 51 },
      undefined,
      'not measured',
    ],
    [{ compare: timesTheCost, quantity: 'p50', must: 3, aim: 2 }, { p50: 30 }, { p50: 10 }, 3, 'must'],
    [{ compare: timesTheCost, quantity: 'p50', must: 3, aim: 2 }, { p50: 31 }, { p50: 10 }, 3.1, 'missed'],
    [{ compare: above, quantity: 'mb', must: 12, aim: 8 }, { mb: 50 }, { mb: 42 }, 8, 'aim'],
    [{ compare: alone, quantity: 'lost', must: 0, aim: 0 }, { lost: 0 }, { lost: 19 }, 0, 'aim'],
  ];
  for (const [change, own, baseline, result, outcome] of cases) {
    it(`${String(result)} is "${outcome}" for ${JSON.stringify([change.quantity ?? 'rate', own, baseline])}`, () => {
      const [a, b] = [subject('own'), subject('baseline')];
      const actual = resultOfRow(row({ ...change, own: a, baseline: b }), seen([a, own], [b, baseline]).medians);
      assert.deepEqual([actual.result, actual.outcome], [result, outcome]);
    });
  }
});

describe('the table of npm run bench', () => {
  it('aims at no less than it requires', () => {
    for (const { name, compare, must, aim } of comparisons.flatMap(({ figures }) => figures)) {
      assert.ok(compare.demand === 'at least' ? aim >= must : aim <= must, name);
    }
  });
});
