/** Kinds of writes in a directory with a history (spec 18): what it tells after a fault, and what can be taken back. */
import assert from 'node:assert/strict';
import { isRecord, type Reply } from '../../reliability/client.js';
import type { Lane } from './lane.js';
import { sameTree, withoutLitter } from './tree.js';
import { writeKinds, type WriteKind } from './write-kinds.js';

export const recordedKinds: readonly WriteKind[] = writeKinds.map((kind) => ({
  ...kind,
  name: withHistory(kind.name),
  isRecorded: true,
}));

/** The name of the same kind with a history. */
export function withHistory(name: string): string {
  return `${name}, with history`;
}

/** Newest changes to look at: those of one place and its neighbours. */
const newest = 100;

/**
 * The history tells of no change that is not made, of every acknowledged one, and of every change set that is made. What
 * it tells can be taken back.
 * @param replies of all calls at the place that were answered
 * @param made how many changes were made there
 */
export async function checkHistory(lane: Lane, at: string, replies: readonly Reply[], made: number): Promise<void> {
  if (lane.kind.isRecorded !== true) return;
  const told = await toldAt(lane, at);
  for (const reply of replies)
    if (reply.kind === 'done') assert.ok(told.includes(String(reply.result['change_id'])), `not told: ${shown(reply)}`);
  assert.ok(told.length <= made, `${String(told.length)} changes are told, ${String(made)} are made`);
  if (lane.kind.isWhole === true && !replies.some(isNotRecorded)) assert.equal(told.length, made, 'changes told');
  // What was there before a change that is not told cannot be expected back.
  if (told.length < made) return;
  for (const id of told) {
    const [reply] = await lane.send([{ operation: 'undo', params: { changes: [id] } }]);
    assert.equal(reply?.kind, 'done', `undo of ${id}: ${shown(reply)}`);
  }
  const [left, before] = [lane.tree(at), lane.kind.before(at)];
  assert.ok(sameTree(withoutLitter(left), withoutLitter(before)), `taken back: ${JSON.stringify(left).slice(0, 500)}`);
}

/** Whether the answer says that the change is made and the history lacks it. */
export function isNotRecorded(reply: Reply): boolean {
  return reply.kind === 'refused' && reply.message === 'Edit applied but not recorded in the history';
}

/** Ids of the changes of a place, newest first. */
async function toldAt(lane: Lane, at: string): Promise<readonly string[]> {
  const [reply] = await lane.send([{ operation: 'history', params: { limit: newest } }]);
  assert.equal(reply?.kind, 'done', shown(reply));
  const { changes } = reply.result;
  assert.ok(Array.isArray(changes));
  return changes
    .filter((each) => isRecord(each) && JSON.stringify(each['files']).includes(`"${at}`))
    .map((each) => (isRecord(each) ? String(each['id']) : ''));
}

function shown(reply: Reply | undefined): string {
  return JSON.stringify(reply ?? 'no answer').slice(0, 500);
}
