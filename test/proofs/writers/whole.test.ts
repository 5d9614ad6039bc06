/** Checks the judge of changes of several objects itself, with known good and bad histories, and by brute force. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { checkHistory, type Model, type Operation } from './checker.js';
import { explainTogether, type Told } from './whole.js';

/** `+a` appends, `?ab` has read that; `+a1` is a part of change 1. */
type Action = string;

const register: Model<string, Action> = {
  apply(state, action) {
    if (action.startsWith('+')) return state + (action[1] ?? '');
    return state === action.slice(1) ? state : undefined;
  },
  isPure: (action) => action.startsWith('?'),
  key: (state) => state,
};

const setOf = (action: Action): number | undefined => {
  const number = action.startsWith('+') ? action.slice(2) : '';
  return number === '' ? undefined : Number(number);
};

/** One line for each object: an action lasts from its first to its last character. `~` was not answered. */
function told(lines: readonly string[]): Told<string, Action>[] {
  return lines.map((line, i) => ({
    name: String(i),
    initial: '',
    operations: [...line.matchAll(/\S+/g)].map(({ 0: text, index }) => ({
      action: text.replace(/^~/, '').replace(/-+$/, ''),
      begin: 2 * index,
      end: 2 * (index + text.length) - 1,
      open: text.startsWith('~'),
    })),
  }));
}

const kindOf = (...lines: readonly string[]): string => explainTogether(told(lines), register, setOf).kind;

describe('a change of several objects that was not answered', () => {
  it('took effect in all of them', () => {
    assert.equal(kindOf('~+a1- ?a', '~+b1- ?b'), 'explained');
  });

  it('took effect in none', () => {
    assert.equal(kindOf('~+a1- ?', '~+b1- ?'), 'explained');
  });

  it('took effect in one, and so in another that does not say', () => {
    assert.equal(kindOf('~+a1- ?a', '~+b1-'), 'explained');
  });

  it('took effect in one only', () => {
    assert.equal(kindOf('~+a1- ?a', '~+b1- ?'), 'partial');
  });

  it('is told apart from one that did the same', () => {
    assert.equal(kindOf('~+a1- ~+a2- ?a', '~+b1- ?b', '~+c2- ?'), 'explained');
    assert.equal(kindOf('~+a1- ~+a2- ?a', '~+b1- ?', '~+c2- ?c'), 'explained');
    assert.equal(kindOf('~+a1- ~+a2- ?a', '~+b1- ?b', '~+c2- ?c'), 'partial');
  });
});

it('a history that is wrong by itself is named', () => {
  const explained = explainTogether(told(['+a1- ?a', '+b1- ?']), register, setOf);
  assert.ok(explained.kind === 'wrong' && explained.name === '1');
});

const action = fc.constantFrom('+a1', '+a2', '+a3', '+a', '?', '?a', '?aa');
const line = fc.uniqueArray(
  fc.record({ action, from: fc.nat(6), length: fc.integer({ min: 1, max: 4 }), open: fc.boolean() }),
  { maxLength: 5, selector: ({ action: each }) => each },
);
const histories = fc.array(line, { minLength: 2, maxLength: 3 }).map((lines) =>
  lines.map((drawn, i) => ({
    name: String(i),
    initial: '',
    operations: drawn
      .map(({ action: each, from, length, open }, index) => ({
        action: each,
        begin: 100 * from + 2 * index,
        end: 100 * (from + length) + 2 * index + 1,
        open: open && each.startsWith('+'),
      }))
      .sort((a, b) => a.begin - b.begin),
  })),
);

/** With every choice of changes that took effect. */
function isExplained(all: readonly Told<string, Action>[]): boolean {
  return Array.from({ length: 8 }, (_, bits) => bits).some((bits) =>
    all.every(({ operations, initial }) => {
      const chosen = operations.flatMap((operation): Operation<Action>[] => {
        const set = setOf(operation.action);
        if (!operation.open || set === undefined) return [operation];
        return ((bits >> (set - 1)) & 1) === 1 ? [{ ...operation, open: false }] : [];
      });
      return checkHistory(chosen, initial, register).linearizable === true;
    }),
  );
}

it('agrees with trying every choice', () => {
  fc.assert(
    fc.property(histories, (all) => {
      assert.equal(explainTogether(all, register, setOf).kind === 'explained', isExplained(all));
    }),
    { numRuns: 2_000 },
  );
});
