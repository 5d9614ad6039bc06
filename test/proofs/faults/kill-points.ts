import assert from 'node:assert/strict';
import { spare, strike } from './attempts.js';
import { effectsIn, possibleEffects } from './effects.js';
import type { Findings } from './findings.js';
import type { Lane, Ran } from './lane.js';
import { pointsOf } from './points.js';

/**
 * Run a kind of write as often as it makes system calls, and kill the server at another of them each time: when the
 * call begins, so that it is not made. Looks at what is on the disk then, and starts the server again.
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

/** What was acknowledged is there, all is whole, and after another start all is free and clean. */
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
  // A single call that took no effect goes through now, over what the killed process has left.
  if (done.length === 1 && done[0] === false) {
    const [again] = await lane.send(kind.calls(at));
    assert.equal(again?.kind, 'done', `the same call again: ${JSON.stringify(again)}`);
    assert.deepEqual(lane.tree(at), kind.after(at, [true]));
  }
  const [next] = await lane.send([kind.next(at)]);
  assert.equal(next?.kind, 'done', `the next call: ${JSON.stringify(next)}`);
  assert.deepEqual(lane.temporaryFiles, []);
}
