import assert from 'node:assert/strict';
import type { Refused, Reply } from '../../reliability/client.js';
import { classOf, type Fault } from './errnos.js';
import type { Point } from './points.js';
import { isNotRecorded } from './recorded.js';

/** The locking call's errors for a lock held elsewhere: a lock held before has then been lost. */
const lockedByOthers = ['EACCES', 'EAGAIN', 'EBUSY'];

/** Whether the answer says that the write took effect although it failed. */
export function isApplied(reply: Reply): boolean {
  return reply.kind === 'refused' && reply.data['applied'] === true;
}

/** Whether the answer says that nobody knows yet whether the write takes effect. */
export function isUnknown(reply: Reply): boolean {
  return reply.kind === 'refused' && reply.data['applied'] === 'unknown';
}

/** Whether the answer says that one of several files was left as it is, since another program has changed it. */
export function isLeftOut(reply: Reply): boolean {
  return isApplied(reply) && reply.kind === 'refused' && /was modified concurrently$/.test(reply.message);
}

/**
 * An answer is a success, or the error that spec 5.5 or 11 assigns to the failure.
 * @param makesDirectories which can only be opened, to be synced, after the decision
 */
export function assertExplained(reply: Reply, point: Point, fault: Fault, makesDirectories: boolean): void {
  if (reply.kind === 'done') return;
  assert.equal(reply.kind, 'refused', 'it was answered');
  const shown = JSON.stringify(reply);
  if (isUnknown(reply)) return;
  assert.notEqual(reply.code, -32603, shown);
  assert.match(String(reply.data['details']), /^\S.*[.!?]$/s, shown);
  if (isLeftOut(reply)) {
    assert.equal(classOf(fault.name.split(' ')[0] ?? ''), 'telling', shown);
    return;
  }
  if (isNotRecorded(reply)) {
    assert.match(point.role, /\/history|\/kept|\.jsonl$/, `${point.role}: ${shown}`);
    return;
  }
  if (isApplied(reply)) {
    assert.equal(reply.message, 'Edit applied but not confirmed durable', shown);
    const isSync = point.name === 'fsync' || (makesDirectories && point.role === 'openat /.');
    assert.ok(isSync, `${point.role}: ${shown}`);
  }
  const [name = ''] = fault.name.split(' ');
  const kind = classOf(name);
  // There are many messages for what a path is or is not.
  if (kind === undefined || kind === 'telling') return;
  assert.equal(reply.code, -32001, shown);
  const status = statusOf(reply);
  if (reply.status !== undefined) assert.equal(reply.status, status, shown);
  if (status === 409 && isTakenForChange(point, name)) return;
  if (point.name === 'fcntl' && lockedByOthers.includes(name)) assert.equal(status, 409, shown);
  else if (kind !== 'denied' || isApplied(reply)) assert.equal(reply.data['errno'], name, shown);
  else assert.equal(status, 403, shown);
}

/**
 * What the check right before the commit reports as another program's change: an unreadable link, a device in place of
 * the file.
 */
function isTakenForChange(point: Point, error: string): boolean {
  return point.name === 'readlink' ? classOf(error) === 'denied' : point.name === 'openat' && error === 'ENODEV';
}

const statuses: readonly (readonly [RegExp, number])[] = [
  [/^Edit applied but not confirmed durable$/, 500],
  [/^Insufficient disk space/, 507],
  [/^Permission denied/, 403],
  [/^Cannot access working directory$/, 403],
  [/^Failed to write file atomically: E(?:ACCES|PERM)/, 403],
  [/^Failed to /, 500],
  [/was modified concurrently$/, 409],
];

/** The status of spec 5.5 and 11 for a message. */
function statusOf({ message }: Refused): number {
  // Of one of several changes.
  const alone = message.replace(/^Change \d+ of \d+ \([^)]*\) failed: /, '');
  const [, status] = statuses.find(([pattern]) => pattern.test(alone)) ?? assert.fail(`no such message: ${message}`);
  return status;
}
