import { getSystemErrorMap } from 'node:util';
import { failure, type Failure } from '../errors.js';
import { internalError, notRead, notWritten } from '../failures.js';
import { type Operation, subjectOf } from '../operations.js';

/**
 * `EMFILE: too many open files, open '…'` for a file of its code; `EAGAIN` or `Worker initialization failure: EMFILE` for
 * the thread.
 */
const namedErrno = /^E[A-Z]{3,}(?=: |$)|(?<=: )E[A-Z]{3,}$/;

/** No worker thread can be started, for lack of descriptors or memory; the next call may find some again. */
export class NoThread extends Error {
  constructor(readonly reason: unknown) {
    super(reason instanceof Error ? reason.message : String(reason));
  }

  /** The answer to a call that waited for the thread; names the errno if Node does. */
  answer(operation: Operation, params: unknown): Failure {
    const errno = namedErrno.exec(this.message)?.[0];
    const cause = this.message;
    if (errno === undefined) return internalError({ cause });
    const more = { data: { errno }, cause };
    const shortage = described(errno);
    if (operation.writes) return failure('write_failed', notWritten(shortage), more);
    return notRead(subjectOf(operation, params), shortage, more);
  }
}

/** In Node's words for the same error of a file. */
function described(errno: string): string {
  const known = [...getSystemErrorMap().values()].find(([name]) => name === errno);
  return known === undefined ? errno : known.join(': ');
}
