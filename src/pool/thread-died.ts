import { Stage } from '../../workers/task.js';
import { unknownOutcome, type Failure } from '../errors.js';
import { internalError } from '../failures.js';

/** The answer to a call whose thread has died. @param stage how far it had got (spec 5.5) */
export function threadDied(error: unknown, stage: Stage): Failure {
  const cause = `the worker thread died: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  if (stage !== Stage.claimed) return internalError({ cause });
  return internalError({ cause, ...unknownOutcome });
}
