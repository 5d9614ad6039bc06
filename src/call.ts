import { type ErrorKindName, failure, type Failure, type Outcome } from './errors.js';
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

/** Failures that somebody who runs the server wants to see; the others are the caller's own. */
const logged: ReadonlySet<ErrorKindName> = new Set([
  'no_directory',
  'directory_denied',
  'write_failed',
  'write_denied',
  'read_failed',
  'not_durable',
  'permission_denied',
  'internal',
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
    if (outcome.ok || !logged.has(outcome.kind)) return;
    const { kind, message, data, cause } = outcome;
    log[kind === 'internal' ? 'error' : 'warn'](
      { ...about, category: kind, errno: data?.errno, applied: data?.applied, cause },
      message,
    );
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
