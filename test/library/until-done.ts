import assert from 'node:assert/strict';

/**
 * Repeat a call that came too late: on a slow machine, the last of many waits longer for the file than a call may. It
 * wrote nothing, so the repetition is the same edit.
 * @param attempt fulfils with `done`, or with the reason why it was refused
 */
export async function untilDone(attempt: () => Promise<string>): Promise<void> {
  let outcome: string;
  do outcome = await attempt();
  while (outcome === 'timeout');
  assert.equal(outcome, 'done');
}
