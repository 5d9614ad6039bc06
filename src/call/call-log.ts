import type { Caller } from '../access/permission.js';
import type { Front } from '../observe/metrics.js';
import { codeOf, errorKinds, type Failure, type Outcome } from '../core/errors.js';
import type { Log } from '../observe/log.js';
import { type Operation, subjectOf } from '../core/operations.js';

/** A call that has ended. */
export interface EndedCall {
  readonly operation: Operation;
  readonly params: unknown;
  readonly front: Front;
  readonly requestId: string | undefined;
  /** With `--tokens`. */
  readonly caller: Caller | undefined;
  /** As the caller receives it. */
  readonly outcome: Outcome;
  readonly ms: number;
}

/** Log the outcome of a call and its notices. */
export function logCall(log: Log, { operation, params, front, requestId, caller, outcome, ms }: EndedCall): void {
  const about = {
    operation: operation.name,
    front,
    requestId,
    caller: caller?.name,
    filename: subjectOf(operation, params),
    ms: Math.round(ms * 1000) / 1000,
  };
  for (const notice of outcome.notices ?? []) {
    log.warn({ ...about, errno: notice.errno, category: 'file_system' }, notice.message);
  }
  if (outcome.ok) {
    log.debug({ ...about, outcome: 'ok' }, 'done');
    return;
  }
  const { kind, message, data, cause } = outcome;
  const code = codeOf(outcome);
  const { errno, applied } = data ?? {};
  log[levelOf(outcome)]({ ...about, outcome: 'error', code, category: kind, errno, applied, cause }, message);
}

function levelOf({ kind }: Failure): 'error' | 'warn' | 'info' | 'debug' {
  if (kind === 'internal') return 'error';
  // The only sign of a disk that hangs.
  if (kind === 'timed_out') return 'warn';
  const { code, callersOwn } = errorKinds[kind];
  // Every failure about files is logged (spec 6), whatever code the caller gets.
  if (code !== undefined) return 'debug';
  return callersOwn ? 'info' : 'warn';
}
