/**
 * Whether operations that ran beside each other could have happened one after the other, each at one moment between its
 * question and its answer (linearizability, Herlihy & Wing 1990). The search is that of Wing & Gong (1993), with the
 * memory of Lowe (2017): operations that have been put in order, as a set, and what they have led to, are tried once.
 *
 * A server that is killed leaves a dozen questions open, which could have taken effect in 12! orders at any moment. So they
 * are tried last, and first only a few of them in a row (limited discrepancy search, Harvey & Ginsberg 1995): all that did
 * take effect are soon followed by an answer.
 */
import { Tried } from './tried.js';

export interface Operation<Action> {
  readonly action: Action;
  /** Positions of its request and answer among all events of the history. */
  readonly begin: number;
  readonly end: number;
  /** Unanswered: if it took effect at all, it did so between its begin and its end. */
  readonly open: boolean;
}

export interface Model<State, Action> {
  /** The state after the action; undefined if its answer does not fit the current state. */
  apply(state: State, action: Action): State | undefined;
  /** Whether the action changes no state that it fits. */
  isPure(action: Action): boolean;
  /** A key that is equal only for equal states. */
  key(state: State): string;
}

export type Verdict<State, Action> = Linearizable<Action> | Stuck<State, Action>;

interface Linearizable<Action> {
  readonly linearizable: true;
  /** An order that explains all answers, without the unanswered operations that need not have taken effect. */
  readonly order: readonly Operation<Action>[];
}

/** How far the best attempt got. */
export interface Stuck<State, Action> {
  /** Undecided if there were too many possible orders to try. */
  readonly linearizable: false | 'undecided';
  readonly order: readonly Operation<Action>[];
  readonly state: State;
  /** None of them fits this state, and one of them was answered before anything else was asked. */
  readonly unfit: readonly Operation<Action>[];
}

/** A begin or an end, in a ring of events not yet ordered. */
class Event {
  before: Event = this;
  after: Event = this;

  constructor(
    readonly operation: number,
    readonly isEnd: boolean,
  ) {}

  /** It keeps its links, so it can be reinserted. */
  leave(): void {
    this.before.after = this.after;
    this.after.before = this.before;
  }

  comeBack(): void {
    this.before.after = this;
    this.after.before = this;
  }
}

interface Step<State> {
  readonly begin: Event;
  readonly before: State;
  /** Open ones in a row before it. */
  readonly row: number;
  /** An operation that was applied, left out after all else had failed, or one for which nothing else needs to be tried. */
  readonly kind: 'applied' | 'left out' | 'pure';
}

/**
 * @param operations of one object, ordered by begin
 * @param mostOrders to try: answers that say less of the state than that cannot be judged
 */
export function checkHistory<State, Action>(
  operations: readonly Operation<Action>[],
  initial: State,
  model: Model<State, Action>,
  mostOrders = 2 ** 24,
): Verdict<State, Action> {
  for (let most = 0; ; most++) {
    const tried = new Tried(operations.length, mostOrders);
    const { verdict, isComplete } = search(operations, initial, model, tried, most);
    if (verdict.linearizable !== false || isComplete) return verdict;
  }
}

/**
 * @param most open operations that may take effect in a row
 * @returns `isComplete` if there was no more to try without that limit
 */
function search<State, Action>(
  operations: readonly Operation<Action>[],
  initial: State,
  model: Model<State, Action>,
  tried: Tried,
  most: number,
): { verdict: Verdict<State, Action>; isComplete: boolean } {
  const head = eventsOf(operations);
  const begins = new Map<number, Event>();
  const ends = new Map<number, Event>();
  for (const event of walk(head)) (event.isEnd ? ends : begins).set(event.operation, event);
  const steps: Step<State>[] = [];
  let best: Stuck<State, Action> | undefined;
  let state = initial;
  let row = 0;
  let isComplete = true;

  const take = (event: Event, next: State, kind: Step<State>['kind']): Event => {
    const begin = begins.get(event.operation) ?? event;
    steps.push({ begin, before: state, row, kind });
    state = next;
    if (kind === 'applied') row = operations[event.operation]?.open === true ? row + 1 : 0;
    begin.leave();
    ends.get(event.operation)?.leave();
    tried.place(event.operation);
    return head.after;
  };

  /** What changes nothing and fits now never needs to come later. */
  const findPure = (): Event | undefined => {
    for (const event of walk(head)) {
      if (event.isEnd) return undefined;
      const action = operations[event.operation]?.action;
      if (action !== undefined && model.isPure(action) && model.apply(state, action) !== undefined) return event;
    }
    return undefined;
  };

  /** Whether unanswered operations are next; answered ones have been tried by then. */
  let turnOfOpen = false;
  for (let event = head.after; head.after !== head;) {
    const pure = event === head.after && !turnOfOpen ? findPure() : undefined;
    if (pure !== undefined) {
      event = take(pure, state, 'pure');
      continue;
    }
    const operation = operations[event.operation];
    if (operation === undefined) throw new RangeError('an event of no operation');
    const { action, open } = operation;
    if (!event.isEnd) {
      const next = open !== turnOfOpen || model.isPure(action) ? undefined : model.apply(state, action);
      const isBeyond = open && row >= most;
      if (next !== undefined && isBeyond) isComplete = false;
      const isTried =
        next === undefined || isBeyond || !tried.isNew(event.operation, model.key(next), open ? row + 1 : 0);
      if (isTried) event = event.after;
      else {
        event = take(event, next, 'applied');
        turnOfOpen = false;
      }
      continue;
    }
    if (!turnOfOpen) {
      turnOfOpen = true;
      event = head.after;
      continue;
    }
    // It was answered, and does not fit after anything that was tried.
    if (open && tried.isNew(event.operation, model.key(state), row)) {
      event = take(event, state, 'left out');
      turnOfOpen = false;
      continue;
    }
    if (best === undefined || steps.length > best.order.length) {
      best = describe(operations, steps, state, head, event);
    }
    if (tried.isFull) return { verdict: { ...best, linearizable: 'undecided' }, isComplete };
    for (let back = steps.pop(); ; back = steps.pop()) {
      if (back === undefined) return { verdict: best, isComplete };
      ends.get(back.begin.operation)?.comeBack();
      back.begin.comeBack();
      tried.takeBack(back.begin.operation);
      state = back.before;
      row = back.row;
      if (back.kind !== 'applied') continue;
      event = back.begin.after;
      turnOfOpen = operations[back.begin.operation]?.open === true;
      break;
    }
  }
  return { verdict: { linearizable: true, order: orderOf(operations, steps) }, isComplete };
}

/** The head of a ring of all events, in the order in which they happened. */
function eventsOf(operations: readonly Operation<unknown>[]): Event {
  const events = operations.flatMap(({ begin, end }, operation) => [
    { at: begin, event: new Event(operation, false) },
    { at: end, event: new Event(operation, true) },
  ]);
  const head = new Event(-1, false);
  for (const { event } of events.sort((a, b) => a.at - b.at)) {
    event.before = head.before;
    event.after = head;
    event.comeBack();
  }
  return head;
}

function* walk(head: Event): Generator<Event> {
  for (let event = head.after; event !== head; event = event.after) yield event;
}

function orderOf<State, Action>(
  operations: readonly Operation<Action>[],
  steps: readonly Step<State>[],
): Operation<Action>[] {
  return steps
    .filter(({ kind }) => kind !== 'left out')
    .flatMap(({ begin: { operation } }) => operations.slice(operation, operation + 1));
}

function describe<State, Action>(
  operations: readonly Operation<Action>[],
  steps: readonly Step<State>[],
  state: State,
  head: Event,
  end: Event,
): Stuck<State, Action> {
  const at = (number: number): Operation<Action>[] => operations.slice(number, number + 1);
  const waiting: number[] = [];
  for (const event of walk(head)) {
    if (event === end) break;
    waiting.push(event.operation);
  }
  return { linearizable: false, order: orderOf(operations, steps), state, unfit: waiting.flatMap(at) };
}
