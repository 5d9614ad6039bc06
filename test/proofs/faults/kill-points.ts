import assert from 'node:assert/strict';
import { spare, strike } from './attempts.js';
import { isBetween } from './change-sets.js';
import { effectsIn, possibleEffects } from './effects.js';
import type { Findings } from './findings.js';
import type { Lane, Ran } from './lane.js';
import { pointsOf } from './points.js';
import { checkHistory } from './recorded.js';
import { withoutPlaceholders } from './tree.js';

/**
 * Run a kind of write once for each of its system calls, and kill the server at the entry to that call, which is not
 * made. Checks the disk afterwards, and restarts the server. Changes of several files are finished by that start or,
 * in another run, by the next write of another server.
 * @param sampled 1, or one in so many points, with the one and the other by turns
 */
export async function killAtEachPoint(lane: Lane, findings: Findings, sampled = 1): Promise<void> {
  const points = await pointsOf(lane);
  const finishers: readonly Finisher[] = lane.kind.isWhole === true ? ['start', 'writer'] : ['start'];
  const places = await lane.prepare(finishers.length * points.length + spare);
  findings.points(points.length);
  for (const [index, point] of points.entries()) {
    if (index % sampled !== 0) continue;
    const turn = (index / sampled) % finishers.length;
    for (const finisher of sampled === 1 ? finishers : finishers.slice(turn, turn + 1)) {
      await findings.of(`${lane.kind.name}, killed at ${point.role} (${String(point.nth)}), ${finisher}`, async () => {
        const { place, ran } = await strike(lane, point, kill, places, ({ killed, calls }) =>
          killed ? calls.at(-1) : undefined,
        );
        findings.kill();
        await check(lane, place, ran, finisher);
      });
    }
  }
}

const kill = { effect: 'signal=SIGKILL', forEver: false };

/** Who finishes what the killed process had decided: the next server to start, or to write. */
type Finisher = 'start' | 'writer';

/** Acknowledged writes are there, all files are whole, and after a restart all locks are free and no litter is left. */
async function check(lane: Lane, at: string, { replies }: Ran, finisher: Finisher): Promise<void> {
  const { kind } = lane;
  const known = replies.map((reply) => {
    assert.notEqual(reply.kind, 'refused', JSON.stringify(reply));
    return reply.kind === 'done' ? true : undefined;
  });
  if (kind.isWhole === true) {
    const between = withoutPlaceholders(lane.tree(at));
    assert.ok(
      isBetween(between, kind.before(at), kind.after(at, [true])),
      `not between old and new: ${JSON.stringify(between)}`,
    );
    if (finisher === 'start') await lane.ready();
    else await lane.writeBeside();
  }
  const tree = lane.tree(at);
  const done = effectsIn(kind, at, tree, possibleEffects(known), kind.isWhole !== true);
  assert.ok(done, `neither old nor new: ${JSON.stringify(tree).slice(0, 500)}`);
  await lane.ready();
  let made = (kind.earlier?.(at).length ?? 0) + done.filter(Boolean).length;
  // A single call that had no effect succeeds now, despite the killed process's leftovers.
  if (done.length === 1 && done[0] === false) {
    const [again] = await lane.send(kind.calls(at));
    assert.equal(again?.kind, 'done', `the same call again: ${JSON.stringify(again)}`);
    assert.deepEqual(lane.tree(at), kind.after(at, [true]));
    made++;
  }
  const [next] = await lane.send([kind.next(at)]);
  assert.equal(next?.kind, 'done', `the next call: ${JSON.stringify(next)}`);
  await checkHistory(lane, at, [...replies, next], made + 1);
  assert.deepEqual(lane.inReserved, []);
}
