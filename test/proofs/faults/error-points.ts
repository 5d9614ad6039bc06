import assert from 'node:assert/strict';
import { spare, strike } from './attempts.js';
import { effectsIn, possibleEffects } from './effects.js';
import { isBetween } from './change-sets.js';
import { assertExplained, isApplied, isLeftOut, isUnknown } from './expected-error.js';
import type { Lane, Ran } from './lane.js';
import { pointsOf, type Point } from './points.js';
import { checkHistory } from './recorded.js';
import type { Fault } from './errnos.js';
import type { Findings } from './findings.js';

/**
 * Run a kind of write once for each of its system calls and each fault. Checks the answer and the disk afterwards, and
 * writes there again.
 * @param oneIn only one in so many of the calls
 */
export async function failAtEachPoint(
  lane: Lane,
  faults: readonly Fault[],
  findings: Findings,
  oneIn = 1,
): Promise<void> {
  const points = await pointsOf(lane);
  const chosen = points.filter((_, index) => index % oneIn === 0);
  const injections = chosen.flatMap((point) =>
    faults.filter(({ calls }) => calls?.test(point.name) !== false).map((fault) => ({ point, fault })),
  );
  const places = await lane.prepare(injections.length + spare);
  findings.points(points.length);
  const kept = new Set<string>();
  for (const { point, fault } of injections) {
    await findings.of(`${lane.kind.name}, ${fault.name} of ${point.role} (${point.nth})`, async () => {
      const { place, ran } = await strike(lane, point, fault, places, ({ calls }) =>
        calls.find(({ injected }) => injected),
      );
      findings.error();
      await check(lane, place, point, fault, ran, kept);
    });
  }
  await lane.restart();
}

/** @param kept temporary files that a fault kept from being removed: they stay until a start */
async function check(lane: Lane, at: string, point: Point, fault: Fault, ran: Ran, kept: Set<string>): Promise<void> {
  const { kind } = lane;
  const { replies, killed } = ran;
  assert.ok(!killed, 'the server is gone');
  const isWhole = kind.isWhole === true;
  for (const reply of replies) assertExplained(reply, point, fault, isWhole);
  if (replies.some(isLeftOut)) {
    assert.ok(isBetween(lane.tree(at), kind.before(at), kind.after(at, [true])), JSON.stringify(lane.tree(at)));
    assert.deepEqual(
      lane.inReserved.filter((name) => !kept.has(name)),
      [],
    );
    return;
  }
  const isOpen = replies.some(isUnknown);
  if (isOpen) {
    assert.ok(isWhole, JSON.stringify(replies));
    await lane.writeBeside();
  }
  const known = replies.map((reply) => (isUnknown(reply) ? undefined : reply.kind === 'done' || isApplied(reply)));
  const tree = lane.tree(at);
  // Leftovers that the fault kept from being removed are litter; a later call on the path, or a start, removes them.
  const litter =
    /^(?:unlink|rmdir)/.test(point.name) || (fault.forEver && !/^(?:write|pwrite64|fsync)$/.test(point.name));
  const done = effectsIn(kind, at, tree, possibleEffects(known), litter);
  assert.ok(
    done,
    `${known.join()} was answered (${JSON.stringify(replies).slice(0, 300)}), and there is ${JSON.stringify(tree).slice(0, 500)}`,
  );
  if (isOpen)
    assert.deepEqual(
      lane.inReserved.filter((name) => !kept.has(name)),
      [],
    );
  // The record stays if the changes may not be on disk: the next writer syncs them again.
  else if (!litter && !(isWhole && replies.some(isApplied))) assert.deepEqual(ran.leftovers, []);
  let made = (kind.earlier?.(at).length ?? 0) + done.filter(Boolean).length;
  if (known.length === 1 && known[0] === false) {
    const [again] = await lane.send(kind.calls(at));
    assert.equal(again?.kind, 'done', `the same call again: ${JSON.stringify(again)}`);
    assert.deepEqual(lane.tree(at), kind.after(at, [true]));
    made++;
  }
  const [next] = await lane.send([kind.next(at)]);
  assert.equal(next?.kind, 'done', `the next call: ${JSON.stringify(next)}`);
  assert.ok(!lane.inReserved.includes('changes'), 'all changes are finished');
  const left = lane.inReserved.filter((name) => !kept.has(name));
  if (litter) for (const name of left) kept.add(name);
  else if (isWhole) assert.deepEqual(left, []);
  await checkHistory(lane, at, [...replies, next], made + 1);
  // An idle thread that dies costs no answer, but it must not die either.
  assert.ok(!lane.log.includes('A worker thread died'), 'the thread died');
}
