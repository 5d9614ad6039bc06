import type { Caller } from '../access/permission.js';
import type { Front } from '../observe/metrics.js';
import { codeOf, errorKinds, type Failure, type Outcome } from '../core/errors.js';
import type { Log } from '../observe/log.js';
import { type Operation, filenameOf, pathsOf, subjectOf } from '../core/operations.js';

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
export function logCall(log: Log, ended: EndedCall): void {
  const { operation, params, front, requestId, caller, outcome, ms } = ended;
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
  const changed = changedBy(ended);
  const viewed = operation.several === undefined ? [] : pathsOf(operation, params);
  const names = { ...named('changed', changed, 0), ...named('viewed', viewed, 1) };
  if (outcome.ok) {
    // People ask later who changed what, when it is too late to raise the log level.
    if (changed.length > 0) log.info({ ...about, ...names, outcome: 'ok' }, 'done');
    else log.debug({ ...about, ...names, outcome: 'ok' }, 'done');
    return;
  }
  const { kind, message, data, cause } = outcome;
  const code = codeOf(outcome);
  const { errno, applied } = data ?? {};
  log[levelOf(outcome)]({ ...about, ...names, outcome: 'error', code, category: kind, errno, applied, cause }, message);
}

/** Limit on the names logged for a call. */
const mostNamed = 20;

/** @param least how many the rest of the line names */
function named(as: string, names: readonly string[], least: number): Readonly<Record<string, unknown>> {
  if (names.length <= least) return {};
  const unnamed = names.length - mostNamed;
  return { [as]: names.slice(0, mostNamed), ...(unnamed > 0 ? { [`${as}_more`]: unnamed } : {}) };
}

/** The names that a call has changed, or may have, as the caller wrote them; for a rename, both. */
function changedBy({
  operation,
  params,
  outcome,
}: Pick<EndedCall, 'operation' | 'params' | 'outcome'>): readonly string[] {
  if (!operation.writes || (!outcome.ok && outcome.data?.applied === undefined)) return [];
  if (outcome.ok && outcome.changed !== undefined) return outcome.changed;
  const filename = filenameOf(operation, params);
  return filename === undefined ? pathsOf(operation, params) : [filename];
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
