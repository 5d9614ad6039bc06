/** Checks the linearizability checker itself, with known good and bad histories, and by brute force. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { checkHistory, type Model, type Operation } from './checker.js';

/** A register: `+a` appends, `?ab` has read that, `=ab>x` sets x if it is that, `!ab>x` has been refused to. */
type Action = string;

const register: Model<string, Action> = {
  apply(state, action) {
    const [value = '', next = ''] = action.slice(1).split('>');
    switch (action[0]) {
      case '+':
        return state + value;
      case '?':
        return state === value ? state : undefined;
      case '=':
        return state === value ? next : undefined;
      default:
        return state === value ? undefined : state;
    }
  },
  isPure: (action) => action.startsWith('?') || action.startsWith('!'),
  key: (state) => state,
};

/** One line for each client: an action lasts from its first to its last character. `~` was not answered. */
function history(...lines: readonly string[]): Operation<Action>[] {
  return lines
    .flatMap((line) =>
      [...line.matchAll(/\S+/g)].map(({ 0: text, index }) => {
        const open = text.startsWith('~');
        const action = text.replace(/^~/, '').replace(/-+$/, '');
        return { action, begin: 2 * index, end: 2 * (index + text.length) - 1, open };
      }),
    )
    .sort((a, b) => a.begin - b.begin);
}

const good: Readonly<Record<string, readonly string[]>> = {
  'one after the other': ['+a- +b- ?ab'],
  'concurrent, in either order': ['+a---', '+b---', '      ?ba'],
  'a read that overlaps a write sees it or not': ['+a--------', ' ?a--  ', '     ?a-'],
  'readers that see the same order': ['+a-------------', '+b-------------', ' ?b-  ?ba  ', '   ?b-   ?ba'],
  'an unanswered write that took effect': ['~+a--', '      ?a'],
  'an unanswered write that did not take effect': ['~+a--', '      ?-', '      ?-'],
  'two unanswered writes, one of which took effect': ['~+a---', '~+b---', '       ?b'],
  'a precondition that held in between': ['+a-------- ?x', ' =a>x-----'],
  'a refusal that was right in between': ['+a--------', ' !>x------'],
};

const bad: Readonly<Record<string, readonly string[]>> = {
  'a lost update': ['+a---', '+b---', '      ?a'],
  'a write applied twice': ['+a- ?aa'],
  'a stale read': ['+a-', '    ?-'],
  'a stale read of another client, when one has seen the write already': ['+a-----------', ' ?a-', '     ?--'],
  'readers that disagree on the order': ['+a-------------', '+b-------------', ' ?a- ?ab', ' ?b- ?ba'],
  'acknowledgements in the wrong order': ['+a- +b- ?ba'],
  'a write that vanished': ['~+a--', '      ?a ?-'],
  'a write that reappears after its server died': ['~+a--', '      ?- ?a'],
  'two preconditions that cannot both have held': ['=>x---', '=>y---'],
  'a refusal without a reason': ['+a- !a>x'],
};

/** Every order, with and without each unanswered operation. */
function bruteForce(rest: readonly Operation<Action>[], state: string): boolean {
  if (rest.every(({ open }) => open)) return true;
  const firstEnd = Math.min(...rest.map(({ end }) => end));
  return rest.some((operation) => {
    if (operation.begin > firstEnd) return false;
    const others = rest.filter((other) => other !== operation);
    const next = register.apply(state, operation.action);
    return (next !== undefined && bruteForce(others, next)) || (operation.open && bruteForce(others, state));
  });
}

const action = fc.constantFrom('+a', '+b', '?', '?a', '?b', '?ab', '?ba', '=a>b', '=>a', '!>a', '!a>b');
const histories = fc
  .array(fc.record({ action, from: fc.nat(12), length: fc.integer({ min: 1, max: 6 }), open: fc.boolean() }), {
    maxLength: 6,
  })
  .map((drawn) =>
    drawn
      .map(({ action: each, from, length, open }, index) => ({
        action: each,
        // No two events share a time.
        begin: 100 * from + 2 * index,
        end: 100 * (from + length) + 2 * index + 1,
        open: open && !each.startsWith('?'),
      }))
      .sort((a, b) => a.begin - b.begin),
  );

describe('a history is linearizable', () => {
  for (const [what, lines] of Object.entries(good)) {
    it(`with ${what}`, () => {
      assert.equal(checkHistory(history(...lines), '', register).linearizable, true);
    });
  }

  it('at any length and with any number of unanswered operations', () => {
    const letters = Array.from({ length: 20 }, (_, i) => String.fromCharCode(97 + i));
    const open = letters.map((letter, i) => ({ action: `+${letter}`, begin: i, end: 2_000 + i, open: true }));
    // Those that took effect: two concurrent, and one later.
    const told = ['?', '?os', '?osc'].map((each, i) => {
      return { action: each, begin: 100 + 10 * i, end: 105 + 10 * i, open: false };
    });
    const writes = Array.from({ length: 40 }, (_, i): Operation<Action> => {
      const [now, next] = [i, i + 1].map((sum) => `osc${'x'.repeat(sum)}`);
      return { action: `=${String(now)}>${String(next)}`, begin: 200 + 10 * i, end: 205 + 10 * i, open: false };
    });
    assert.ok(checkHistory([...open, ...told, ...writes], '', register).linearizable);
  });

  it('at any length and with any number of concurrent operations', () => {
    const writes = Array.from({ length: 2_000 }, (_, i): Operation<Action> => {
      return { action: `+${String(i % 10)}`, begin: 10 * i, end: 10 * i + 205, open: false };
    });
    const last = { action: `?${writes.map(({ action: each }) => each.slice(1)).join('')}`, begin: 1e6, end: 1e6 + 1 };
    assert.ok(checkHistory([...writes, { ...last, open: false }], '', register).linearizable);
  });
});

describe('a history is not linearizable', () => {
  for (const [what, lines] of Object.entries(bad)) {
    it(`with ${what}`, () => {
      assert.equal(checkHistory(history(...lines), '', register).linearizable, false);
    });
  }

  it('and the best attempt is reported', () => {
    const verdict = checkHistory(history('+a- +b- ?ba'), '', register);
    assert.ok(!verdict.linearizable);
    assert.deepEqual(
      [verdict.order, verdict.unfit].map((operations) => operations.map(({ action: each }) => each)),
      [['+a', '+b'], ['?ba']],
    );
    assert.equal(verdict.state, 'ab');
  });
});

describe('a history is undecided', () => {
  /** Any may be first: 2^16 sets. */
  const writes = Array.from({ length: 16 }, (_, i): Operation<Action> => {
    return { action: `+${String.fromCharCode(97 + i)}`, begin: i, end: 100 + i, open: false };
  });
  const last = { action: '?abcdefghijklmnopqrst', begin: 200, end: 201, open: false };

  it('if there are more orders than may be tried, and the best attempt is reported', () => {
    const verdict = checkHistory([...writes, last], '', register, 10_000);
    assert.equal(verdict.linearizable, 'undecided');
    assert.equal(verdict.order.length, writes.length);
    assert.deepEqual(verdict.unfit, [last]);
  });
});

describe('the verdict', () => {
  it('agrees with trying every order', () => {
    fc.assert(
      fc.property(histories, (operations) => {
        assert.equal(checkHistory(operations, '', register).linearizable, bruteForce(operations, ''));
      }),
      { numRuns: 3_000 },
    );
  });
});
