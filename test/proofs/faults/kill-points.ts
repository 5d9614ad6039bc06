import assert from 'node:assert/strict';
import { spare, strike } from './attempts.js';
import { effectsIn, possibleEffects } from './effects.js';
import type { Findings } from './findings.js';
import type { Lane, Ran } from './lane.js';
import { pointsOf } from './points.js';

/**
 * Run a kind of write once for each of its system calls, and kill the server at the entry to that call, which is not
 * made. Checks the disk afterwards, and restarts the server.
 */
export async function killAtEachPoint(lane: Lane, findings: Findings): Promise<void> {
  const points = await pointsOf(lane);
  const places = await lane.prepare(points.length + spare);
  findings.points(points.length);
  for (const point of points) {
    await findings.of(`${lane.kind.name}, killed at ${point.role} (${point.nth})`, async () => {
      const fault = { effect: 'signal=SIGKILL', forEver: false };
      const { place, ran } = await strike(lane, point, fault, places, ({ killed, calls }) =>
        killed ? calls.at(-1) : undefined,
      );
      findings.kill();
      await check(lane, place, ran);
    });
  }
}

/** Acknowledged writes are there, all files are whole, and after a restart all locks are free and no litter is left. */
async function check(lane: Lane, at: string, { replies }: Ran): Promise<void> {
  const { kind } = lane;
  const known = replies.map((reply) => {
    assert.notEqual(reply.kind, 'refused', JSON.stringify(reply));
    return reply.kind === 'done' ? true : undefined;
  });
  const tree = lane.tree(at);
  const done = effectsIn(kind, at, tree, possibleEffects(known), true);
  assert.ok(done, `neither old nor new: ${JSON.stringify(tree).slice(0, 500)}`);
  await lane.ready();
  // A single call that had no effect succeeds now, despite the killed process's leftovers.
  if (done.length === 1 && done[0] === false) {
    const [again] = await lane.send(kind.calls(at));
    assert.equal(again?.kind, 'done', `the same call again: ${JSON.stringify(again)}`);
    assert.deepEqual(lane.tree(at), kind.after(at, [true]));
  }
  const [next] = await lane.send([kind.next(at)]);
  assert.equal(next?.kind, 'done', `the next call: ${JSON.stringify(next)}`);
  assert.deepEqual(lane.temporaryFiles, []);
}
