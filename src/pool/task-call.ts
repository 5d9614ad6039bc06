import type { TaskCall } from '../../workers/task.js';
import type { Lane } from './lane.js';
import type { PendingCall } from './pending-call.js';

/** Send the call into the thread of this lane. */
export function put(call: PendingCall, lane: Lane): TaskCall {
  const slot = lane.take();
  call.markSent(lane.stages, slot);
  const { params, context } = call;
  const { precondition, lineBase, model } = context;
  return {
    params,
    slot,
    // Absent members need not be copied to the thread.
    ...(precondition === undefined ? {} : { precondition }),
    ...(lineBase === undefined ? {} : { lineBase }),
    ...(model === undefined ? {} : { model }),
  };
}
