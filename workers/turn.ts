/**
 * Calls of a thread take turns, one in each round of its event loop. When several messages arrive at once, the
 * calls would otherwise run within one round and their answers leave after the last of them: if that one killed
 * the thread, the edits before it would be written and their callers told that nobody knows.
 */
const waiting: (() => void)[] = [];

/** Resolves in a round of the event loop of its own, in order of arrival. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(takeTurn);
  });
}

/** So many calls of this thread wait for their turn. */
export function turnsWaiting(): number {
  return waiting.length;
}

function takeTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(takeTurn);
}
