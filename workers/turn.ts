/**
 * The writes of a thread take turns, one per iteration of its event loop. Otherwise calls that arrive together would
 * run in one iteration and be answered after the last one: if that one killed the thread, the earlier edits would be
 * written but reported with an unknown outcome. Reads can be rerun, and are answered 5 % sooner without turns.
 */
const waiting: (() => void)[] = [];

/** Resolves in its own iteration of the event loop, in order of arrival. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(takeTurn);
  });
}

/** Number of calls of this thread waiting for their turn. */
export function turnsWaiting(): number {
  return waiting.length;
}

/** On a shared thread, long work pauses for other calls after this many milliseconds. */
const sliceMs = 5;

/**
 * Do work that can pause after each of its steps.
 * @param sharesThread whether other work shares the thread; otherwise there are no pauses
 */
export function inSlices<Result>(steps: Generator<undefined, Result>, sharesThread = false): Result | Promise<Result> {
  return sharesThread ? withPauses(steps) : atOnce(steps);
}

/** Do work without a pause. */
export function atOnce<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

async function withPauses<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  for (let pauseAt = performance.now() + sliceMs; ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() < pauseAt) continue;
    await nextTurn();
    pauseAt = performance.now() + sliceMs;
  }
}

function takeTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(takeTurn);
}
