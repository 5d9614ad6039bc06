/**
 * Changes of several files by one call take effect in all of these files or in none (spec 14). Of a call that was not
 * answered, each file's history alone may leave open whether it did; so the histories are explained together.
 */
import { checkHistory, type Model, type Operation, type Stuck } from './checker.js';

/** The calls on one object, ordered by begin. */
export interface Told<State, Action> {
  readonly name: string;
  readonly operations: readonly Operation<Action>[];
  readonly initial: State;
}

type Explained<State, Action> =
  | { readonly kind: 'explained'; readonly undecided: readonly string[] }
  | { readonly kind: 'wrong'; readonly name: string; readonly verdict: Stuck<State, Action> }
  | { readonly kind: 'partial'; readonly set: number };

/** What is assumed of unanswered calls: whether they took effect. */
type Assumed = ReadonlyMap<number, boolean>;

/**
 * @param setOf the number of the call that an action is part of; undefined if it is one of its own
 * @returns `wrong` if one history cannot be explained by itself, `partial` if all of them together cannot
 */
export function explainTogether<State, Action>(
  told: readonly Told<State, Action>[],
  model: Model<State, Action>,
  setOf: (action: Action) => number | undefined,
): Explained<State, Action> {
  const undecided: string[] = [];
  for (const { name, operations, initial } of told) {
    const verdict = checkHistory(operations, initial, model);
    if (verdict.linearizable === false) return { kind: 'wrong', name, verdict };
    if (verdict.linearizable === 'undecided') undecided.push(name);
  }
  const decided = told.filter(({ name }) => !undecided.includes(name));
  const open = new Set(
    decided.flatMap(({ operations }) =>
      operations.filter((operation) => operation.open).flatMap(({ action }) => setOf(action) ?? []),
    ),
  );
  const concerned = decided.filter(({ operations }) => operations.some(({ action }) => open.has(setOf(action) ?? -1)));
  const search = (assumed: Assumed): number | undefined => {
    const torn = findTorn(concerned, assumed, model, setOf);
    if (torn === 'impossible') return -1;
    if (torn === undefined) return undefined;
    const failed = [true, false].every((effect) => search(new Map([...assumed, [torn, effect]])) !== undefined);
    return failed ? torn : undefined;
  };
  const set = search(new Map());
  return set === undefined ? { kind: 'explained', undecided } : { kind: 'partial', set };
}

/** A call that took effect in one history and not in another, as far as the assumptions allow to say. */
function findTorn<State, Action>(
  told: readonly Told<State, Action>[],
  assumed: Assumed,
  model: Model<State, Action>,
  setOf: (action: Action) => number | undefined,
): number | 'impossible' | undefined {
  const effects = new Map<number, boolean>();
  let torn: number | undefined;
  for (const { operations, initial } of told) {
    const fixed = operations.flatMap((operation) => {
      const effect = operation.open ? assumed.get(setOf(operation.action) ?? -1) : undefined;
      if (effect === undefined) return [operation];
      return effect ? [{ ...operation, open: false }] : [];
    });
    const verdict = checkHistory(fixed, initial, model);
    if (verdict.linearizable !== true) return 'impossible';
    const applied = new Set(verdict.order.map(({ action }) => setOf(action)));
    for (const { action, open } of fixed) {
      const set = setOf(action);
      if (!open || set === undefined) continue;
      const before = effects.get(set);
      effects.set(set, applied.has(set));
      if (before !== undefined && before !== applied.has(set)) torn ??= set;
    }
  }
  return torn;
}
