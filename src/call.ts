import type { Config } from './config/config.js';
import { errorKinds, type ErrorKindName, failure, type Failure, type LineBase, type Outcome } from './errors.js';
import type { Idle } from './idle.js';
import type { Front, Metrics } from './metrics.js';
import type { Log } from './monitoring/log.js';
import { availableOperations, type Operation, type OperationName, type Params } from './operations.js';
import { asToldBy } from './path-failure.js';
import type { RunContext } from './pool/pending-call.js';
import type { Pool } from './pool/pool.js';
import type { ReadCache } from './read-cache.js';
import { filenameOf, subjectOf } from './subject.js';
import { checkFilename } from './validation/filename.js';
import { validate } from './validation/index.js';
import { checkPath } from './validation/path.js';

export interface CallContext extends RunContext {
  readonly front: Front;
}

/**
 * Answers at once what the read cache knows. Never rejects. Calls for one file take effect in the order in which they
 * were made, even within one tick. `params` must not be changed afterwards: if the same object is passed again, it is
 * not validated again.
 */
export type Call = (name: string, params: unknown, context: CallContext) => Outcome | Promise<Outcome>;

/** Every failure with this code is logged (contract 6). */
const fileSystemError = -32001;

/** Failures of the file system that are the caller's own: logged like all others, but no cause for alarm. */
const ordinary: ReadonlySet<ErrorKindName> = new Set([
  'not_found',
  'not_a_regular_file',
  'too_large',
  'too_many_lines',
  'not_utf8',
  'changed',
  'file_exists',
  'is_directory',
  'not_a_directory',
  'directory_not_empty',
  'string_not_found',
  'string_not_unique',
  'invalid_encoding',
]);

/** A call whose parameters are valid. */
interface Checked {
  readonly operation: Operation;
  readonly params: Params[OperationName];
  readonly filename: string | undefined;
  /** The key of its answer in the read cache; undefined if the answer must not be kept. */
  readonly cacheKey: string | undefined;
}

/** The one path of every call: look up, check, ask the cache, run, record. */
export function createCall(parts: {
  config: Pick<Config, 'toolsets' | 'readOnly' | 'names' | 'logLevel'>;
  pool: Pick<Pool, 'run'>;
  cache: ReadCache;
  idle: Idle;
  log: Log;
  metrics?: Metrics;
}): Call {
  const { config, pool, cache, idle, log, metrics } = parts;
  const operations = availableOperations(config);
  const known = new WeakMap<object, Checked>();
  const tellsAll = config.logLevel === 'debug' || config.logLevel === 'trace';

  return (name, params, context) => {
    const began = performance.now();
    idle.touch();
    const checked = check(name, params, context.lineBase);
    const finish = (outcome: Outcome): Outcome => {
      const ms = performance.now() - began;
      metrics?.count('kind' in checked ? knownName(name) : checked.operation.name, context.front, outcome, ms);
      if (outcome.ok && outcome.notices === undefined && !tellsAll) return outcome;
      record(name, params, context, outcome, ms);
      const operation = operations.get(name);
      return outcome.ok || operation === undefined ? outcome : asToldBy(operation, params, outcome);
    };
    if ('kind' in checked) return finish(checked);
    const { operation, cacheKey, filename } = checked;
    const cached = cacheKey === undefined ? undefined : cache.find(cacheKey);
    if (cached !== undefined) return finish(cached);
    return pool.run(operation, checked.params, context).then((outcome) => {
      const mayKeep = outcome.ok && cacheKey !== undefined && filename !== undefined;
      return finish(mayKeep ? cache.keep(cacheKey, filename, outcome) : outcome);
    });
  };

  function check(name: string, params: unknown, lineBase: LineBase | undefined): Checked | Failure {
    const operation = operations.get(name);
    if (operation === undefined) return unknown(name, operations);
    const before = isObject(params) ? known.get(params) : undefined;
    if (before?.operation === operation) return before;
    const refused =
      validate(operation, params, lineBase) ?? refuseFilename(operation, params) ?? refusePath(operation, params);
    if (refused !== null) return refused;
    const checked = checkedCall(operation, validated(params));
    if (checked.cacheKey !== undefined) known.set(checked.params, checked);
    return checked;
  }

  function refuseFilename(operation: Operation, params: unknown): Failure | null {
    const filename = filenameOf(operation, params);
    return filename === undefined ? null : checkFilename(filename, config.names);
  }

  function refusePath({ paths = [] }: Operation, params: unknown): Failure | null {
    for (const parameter of paths) {
      const path: unknown = isObject(params) ? Reflect.get(params, parameter) : undefined;
      const refused = typeof path === 'string' ? checkPath(parameter, path) : null;
      if (refused !== null) return refused;
    }
    return null;
  }

  function knownName(name: string): string {
    return operations.get(name)?.name ?? 'unknown';
  }

  function record(name: string, params: unknown, context: CallContext, outcome: Outcome, ms: number): void {
    const { front, requestId } = context;
    const operation = operations.get(name);
    const about = {
      operation: name,
      front,
      requestId,
      filename: operation && subjectOf(operation, params),
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
    const { code } = errorKinds[kind];
    const level =
      kind === 'internal' ? 'error' : code !== fileSystemError ? 'debug' : ordinary.has(kind) ? 'info' : 'warn';
    log[level](
      { ...about, outcome: 'error', code, category: kind, errno: data?.errno, applied: data?.applied, cause },
      message,
    );
  }
}

/** A call that reads one file can be answered from the cache, since its file can be checked again. */
function checkedCall(operation: Operation, params: Params[OperationName]): Checked {
  const filename = filenameOf(operation, params);
  const cacheable = !operation.writes && filename !== undefined;
  const values = Object.keys(operation.params.properties ?? {}).map((name): unknown => Reflect.get(params, name));
  const cacheKey = cacheable ? `${operation.name} ${JSON.stringify(values)}` : undefined;
  return { operation, params, filename, cacheKey };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function unknown(name: string, operations: ReadonlyMap<string, Operation>): Failure {
  return failure('unknown_operation', `Unknown operation '${name.slice(0, 60)}'`, {
    details: `Use one of: ${[...operations.keys()].join(', ')}.`,
  });
}

/** They have been checked against the schema of their row, from which the type is derived. */
function validated(params: unknown): Params[OperationName] {
  return params as Params[OperationName];
}
