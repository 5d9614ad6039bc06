import { failure, type Failure } from '../errors.js';
import { subjectOf, type Operation } from '../operations.js';

/** No worker thread can be started, for want of descriptors or memory: the next call may find them again. */
export class NoThread extends Error {
  constructor(readonly reason: unknown) {
    super(reason instanceof Error ? reason.message : String(reason));
  }

  /** The answer to a call that waited for the thread; it names the errno where Node does. */
  answer(operation: Operation, params: unknown): Failure {
    // Worker initialization failure: EMFILE
    const errno = /\b(?:E[A-Z]{3,})$/.exec(this.message)?.[0];
    const cause = this.message;
    if (errno === undefined) return failure('internal', 'Internal error', { cause });
    const more = { data: { errno }, cause };
    if (operation.writes) return failure('write_failed', `Failed to write file atomically: ${errno}`, more);
    const subject = subjectOf(operation, params);
    const what = subject === undefined ? 'the working directory' : `'${subject}'`;
    return failure('read_failed', `Failed to read ${what}: ${errno}`, more);
  }
}
