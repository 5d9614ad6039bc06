import { usualRoom, type TaskCall } from '../../workers/task.js';
import type { Lane } from './lane.js';
import type { PendingCall } from './pending-call.js';

const unlimited = { bytes: Infinity };

/** Send the call into the thread of this lane. */
export function put(call: PendingCall, lane: Lane): TaskCall {
  const slot = lane.take();
  call.markSent(lane.stages, slot);
  const { operation, params, context } = call;
  const { precondition, lineBase, model, room: { bytes } = unlimited } = context;
  // A write that begins with less would have to run again for a diff of a few lines.
  const room = operation.writes ? Math.max(bytes, usualRoom) : bytes;
  return {
    params,
    slot,
    // Most calls have the usual room, and absent members need not be copied to the thread.
    ...(room === usualRoom ? {} : { room }),
    ...(precondition === undefined ? {} : { precondition }),
    ...(lineBase === undefined ? {} : { lineBase }),
    ...(model === undefined ? {} : { model }),
  };
}
