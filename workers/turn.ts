/**
 * The writes of a thread take turns, one per iteration of its event loop. Otherwise calls that arrive together would
 * all run within one iteration, and their answers would leave after the last one: if that one killed the thread, the
 * edits before it would be written but reported with an unknown outcome. Reads can be rerun, and are answered 5 %
 * sooner without turns.
 */
const waiting: (() => void)[] = [];

/** Resolves in its own iteration of the event loop, in order of arrival. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(takeTurn);
  });
}

/** Number of calls of this thread that wait for their turn. */
export function turnsWaiting(): number {
  return waiting.length;
}

function takeTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(takeTurn);
}
