import { logCall, type EndedCall } from './call-log.js';
import type { Config } from './config/config.js';
import type { Failure, LineBase, Outcome } from './errors.js';
import type { Idle } from './idle.js';
import { giveTexts } from './json/lent-texts.js';
import type { Front, Metrics } from './metrics.js';
import type { Log } from './monitoring/log.js';
import { type Operation, type OperationName, type Params, filenameOf } from './operations.js';
import { asToldBy } from './path-failure.js';
import type { RunContext } from './pool/pending-call.js';
import type { Pool } from './pool/pool.js';
import type { ReadCache } from './read-cache.js';
import { Turns } from './turns.js';
import { checkGivenFilename } from './validation/filename.js';
import { faultOf, type Explain } from './validation/index.js';
import { checkPaths } from './validation/path.js';

export interface CallContext extends RunContext {
  readonly front: Front;
  readonly requestId: string;
  /** Longest answer in a message to an MCP client, in bytes; if absent, it may fill the message. */
  readonly mostBytes?: number | undefined;
}

/**
 * Answers at once what the read cache knows. Never rejects. Calls for one file take effect in the order in which they
 * were made, even within one tick. `params` must not be changed afterwards: if the same object is passed again, it is
 * not validated again.
 * @param operation one that this server offers
 */
export type Call = (operation: Operation, params: unknown, context: CallContext) => Outcome | Promise<Outcome>;

/** A call whose parameters are valid. */
interface Checked {
  readonly operation: Operation;
  readonly params: Params[OperationName];
  readonly filename: string | undefined;
  /** The key of its answer in the read cache; undefined if the answer must not be kept. */
  readonly cacheKey: string | undefined;
}

interface CallParts {
  readonly config: Pick<Config, 'names' | 'logLevel' | 'directory' | 'givenDirectory'>;
  readonly pool: Pick<Pool, 'run'>;
  readonly cache: ReadCache;
  readonly idle: Idle;
  readonly log: Log;
  readonly metrics?: Metrics;
}

/** The one path of every call: check, ask the cache, run, record. */
export function createCall(parts: CallParts): Call {
  const path = new CallPath(parts);
  return (operation, params, context) => path.run(operation, params, context);
}

class CallPath {
  private readonly known = new WeakMap<object, Checked>();
  private readonly refusals = new Turns();
  private readonly tellsAll: boolean;
  /** The working directory in both spellings. */
  private readonly directories: readonly string[];

  constructor(private readonly parts: CallParts) {
    const { config } = parts;
    this.tellsAll = config.logLevel === 'debug' || config.logLevel === 'trace';
    this.directories = [config.directory, config.givenDirectory];
  }

  run(operation: Operation, params: unknown, context: CallContext): Outcome | Promise<Outcome> {
    const { cache, idle, pool } = this.parts;
    const began = performance.now();
    const finish = (ended: Outcome): Outcome => {
      const ms = performance.now() - began;
      // Counted from its end: only then is what a long call has held garbage.
      idle.touch();
      const outcome = ended.ok ? ended : asToldBy(operation, params, ended);
      this.record({ operation, params, front: context.front, requestId: context.requestId, outcome, ms });
      return outcome;
    };
    const checked = this.check(operation, params, context.lineBase);
    if (typeof checked === 'function') {
      // Nothing else waits for it: it has no effect that later calls could see.
      return this.refusals.run(() => {
        const refused = checked();
        giveTexts(params);
        return finish(refused);
      });
    }
    const { cacheKey, filename } = checked;
    const cached = cacheKey === undefined ? undefined : cache.find(cacheKey);
    if (cached !== undefined) return finish(cached);
    return pool.run(operation, checked.params, context).then((outcome) => {
      const mayKeep = outcome.ok && cacheKey !== undefined && filename !== undefined;
      return finish(mayKeep ? cache.keep(cacheKey, filename, outcome) : outcome);
    });
  }

  private record(ended: EndedCall): void {
    const { metrics, log } = this.parts;
    const { operation, front, outcome, ms } = ended;
    metrics?.count(operation.name, front, outcome, ms);
    if (outcome.ok && outcome.notices === undefined && !this.tellsAll) return;
    logCall(log, ended);
  }

  private check(operation: Operation, params: unknown, lineBase: LineBase | undefined): Checked | Explain {
    const before = typeof params === 'object' && params !== null ? this.known.get(params) : undefined;
    if (before?.operation === operation) return before;
    const fault = faultOf(operation, params, lineBase);
    if (fault !== null) return fault;
    const refused =
      this.refuseFilename(operation, params) ?? checkPaths(operation, params, { directories: this.directories });
    if (refused !== null) return () => refused;
    const checked = checkedCall(operation, validated(params));
    if (checked.cacheKey !== undefined) this.known.set(checked.params, checked);
    return checked;
  }

  private refuseFilename(operation: Operation, params: unknown): Failure | null {
    const filename = filenameOf(operation, params);
    return filename === undefined ? null : checkGivenFilename(filename, this.parts.config.names, this.directories);
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

/** They have been checked against the schema of their row, from which the type is derived. */
export function validated(params: unknown): Params[OperationName] {
  return params as Params[OperationName];
}
