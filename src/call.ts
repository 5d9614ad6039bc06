import { errorKinds, type ErrorKindName, failure, type Failure, type Outcome } from './errors.js';
import type { Log } from './log.js';
import type { Metrics } from './metrics.js';
import { availableOperations, filenameOf, type Operation, type OperationName, type Params } from './operations.js';
import type { CallContext } from './pending-call.js';
import type { Config } from './config.js';
import type { Pool } from './pool.js';
import { checkFilename } from './validation/filename.js';
import { validate } from './validation/index.js';

export type { CallContext };

/** Never rejects. Calls of one file take effect in the order in which they were made, also within one tick. */
export type Call = (name: string, params: unknown, context: CallContext) => Promise<Outcome>;

/** Every failure with this code is logged (contract 6). */
const fileSystemError = -32001;

/** Failures of the file system that are the caller's own: logged, as all of them are, but no cause for alarm. */
const ordinary: ReadonlySet<ErrorKindName> = new Set([
  'not_found',
  'not_a_regular_file',
  'too_large',
  'too_many_lines',
  'not_utf8',
  'changed',
]);

/** The one way every call takes: look up, validate, check the name, run, record. */
export function createCall(parts: { config: Config; pool: Pool; log: Log; metrics?: Metrics }): Call {
  const { config, pool, log, metrics } = parts;
  const operations = availableOperations(config);

  return async (name, params, context) => {
    const began = performance.now();
    const operation = operations.get(name);
    const outcome =
      operation === undefined
        ? unknown(name, operations)
        : (refuse(operation, params) ?? (await pool.run(operation, validated(params), context)));
    record(name, params, context, outcome, performance.now() - began);
    return outcome;
  };

  function refuse(operation: Operation, params: unknown): Failure | null {
    return validate(operation, params) ?? refuseFilename(operation, params);
  }

  function refuseFilename(operation: Operation, params: unknown): Failure | null {
    const filename = filenameOf(operation, params);
    return filename === undefined ? null : checkFilename(filename, config.names);
  }

  function record(name: string, params: unknown, context: CallContext, outcome: Outcome, ms: number): void {
    const operation = operations.get(name);
    metrics?.count(operation?.name ?? 'unknown', outcome.ok ? 'ok' : outcome.kind, ms);
    const about = {
      operation: name,
      requestId: context.requestId,
      filename: operation && filenameOf(operation, params),
    };
    for (const notice of outcome.notices ?? []) {
      log.warn({ ...about, errno: notice.errno, category: 'file_system' }, notice.message);
    }
    if (outcome.ok) return;
    const { kind, message, data, cause } = outcome;
    const { code } = errorKinds[kind];
    const level =
      kind === 'internal' ? 'error' : code !== fileSystemError ? 'debug' : ordinary.has(kind) ? 'info' : 'warn';
    log[level]({ ...about, code, category: kind, errno: data?.errno, applied: data?.applied, cause }, message);
  }
}

function unknown(name: string, operations: ReadonlyMap<string, Operation>): Failure {
  return failure('unknown_operation', `Unknown operation '${name.slice(0, 60)}'`, {
    details: `Use one of: ${[...operations.keys()].join(', ')}.`,
  });
}

/** They fit the schema of their row by now, which the type mirrors. */
function validated(params: unknown): Params[OperationName] {
  return params as Params[OperationName];
}
