import { presentChanges } from './apply-changes.js';
import { resultOrFailure } from './storage.js';
import type { ObjectSchema, Tool } from './tool.js';

/** The rest is as in apply_changes: every agent would pay for its repetition. */
function ownMembers({ properties: { undone } = {} }: ObjectSchema): ObjectSchema {
  return { type: 'object', properties: undone === undefined ? {} : { undone } };
}

export const undoTool: Tool<'undo'> = {
  purpose: 'takes changes back',
  description: () => 'Take changes back, all or nothing; what others changed since stays.',
  output: ownMembers(resultOrFailure('undo')),
  selfExplanatory: ['dry_run', 'return_hash'],
  present: presentChanges,
};
