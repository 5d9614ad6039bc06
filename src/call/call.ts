import { setTimeout as sleep } from 'node:timers/promises';
import { mayUse, notAllowed, type Caller } from '../access/permission.js';
import { CallCosts, costOfAnswer, type CallCost } from './call-cost.js';
import { logCall, type EndedCall } from './call-log.js';
import type { Config } from '../config/config.js';
import type { Failure, LineBase, Outcome, Success } from '../core/errors.js';
import { cancelled } from '../core/failures.js';
import type { Idle } from '../observe/idle.js';
import { giveTexts } from '../core/json/lent-texts.js';
import type { Budget } from './budget.js';
import type { Feed } from './feed.js';
import type { Front, Metrics } from '../observe/metrics.js';
import type { Log } from '../observe/log.js';
import { type Operation, type OperationName, type Params, filenameOf } from '../core/operations.js';
import { makerOf, withWayToMake, type Maker } from './how-to-make.js';
import { asToldBy } from '../core/path-failure.js';
import type { RunContext } from '../pool/pending-call.js';
import type { Pool } from '../pool/pool.js';
import type { ReadCache } from './read-cache.js';
import { Turns } from './turns.js';
import { checkGivenFilename } from '../core/names/filename.js';
import { faultOf, type Explain } from './validation/index.js';
import { faultOfRange } from '../core/range.js';
import { checkPaths } from '../core/names/path.js';

/** The recipient of an answer. */
export interface Recipient {
  /** The client has gone. */
  readonly gone: boolean;
}

export interface CallContext extends RunContext {
  readonly front: Front;
  readonly requestId: string;
  /** A queued read is dropped once its recipient is gone. Absent: the recipient cannot go. */
  readonly recipient?: Recipient;
  /** Does not wait for memory: the whole batch has reserved it. */
  readonly admitted?: true;
  /** What an MCP client calls itself. */
  readonly clientName?: string | undefined;
  /** Longest answer in a message to an MCP client, in bytes; if absent, the answer may fill the message. */
  readonly mostBytes?: number | undefined;
}

/**
 * Make a call; a cached read is answered synchronously. Never rejects. Calls for one file take effect in the order in
 * which they were made, even within one tick.
 * @param operation one that this server offers
 */
export type MakeCall = (operation: Operation, params: unknown, context: CallContext) => Outcome | Promise<Outcome>;

/** A call with checked parameters, which can run any number of times. */
export interface CheckedCall {
  readonly operation: Operation;
  readonly params: unknown;
  /** Null if the parameters are valid. */
  readonly fault: Explain | null;
  readonly filename: string | undefined;
  /** The key of its answer in the read cache; undefined if the answer must not be kept. */
  readonly cacheKey: string | undefined;
}

/** The two steps of a call, separate so that a repeated call is checked only once. */
export interface Calls {
  readonly make: MakeCall;
  /** @param lineBase how the caller counts lines */
  readonly check: (operation: Operation, params: unknown, lineBase?: LineBase) => CheckedCall;
  readonly run: (call: CheckedCall, context: CallContext) => Outcome | Promise<Outcome>;
}

interface CallParts {
  readonly config: Pick<
    Config,
    'names' | 'logLevel' | 'directory' | 'givenDirectory' | 'maxBytes' | 'toolsets' | 'readOnly' | 'history' | 'caller'
  >;
  readonly pool: Pick<Pool, 'run'>;
  readonly cache: ReadCache;
  readonly budget: Budget;
  /** Absent: no call waits for changes. */
  readonly feed?: Feed;
  readonly idle: Idle;
  readonly log: Log;
  readonly metrics?: Metrics;
}

/** Between two tries of a call that has something to tell and finds no room. */
const busyPauseMs = 100;

/** The path of every call: check, look in the cache, wait for memory, run, record. */
export class CallPath implements Calls {
  private readonly costs: CallCosts;
  private readonly refusals = new Turns();
  private readonly tellsAll: boolean;
  private readonly maker: Maker;
  /** The working directory in both spellings. */
  private readonly directories: readonly string[];

  constructor(private readonly parts: CallParts) {
    const { config, budget } = parts;
    this.costs = new CallCosts(config.directory, config.maxBytes, budget);
    this.tellsAll = config.logLevel === 'debug' || config.logLevel === 'trace';
    this.directories = [config.directory, config.givenDirectory];
    this.maker = makerOf(config);
  }

  readonly make: MakeCall = (operation, params, context) =>
    this.run(this.check(operation, params, context.lineBase), context);

  readonly check: Calls['check'] = (operation, params, lineBase) => {
    const fault = faultOf(operation, params, lineBase) ?? this.faultOfPlace(operation, params, lineBase);
    const filename = filenameOf(operation, params);
    // Only a read of a named file can be revalidated by stat.
    const cacheable = fault === null && !operation.writes && filename !== undefined;
    return { operation, params, fault, filename, cacheKey: cacheable ? cacheKeyOf(operation, params) : undefined };
  };

  readonly run: Calls['run'] = (call, context) => {
    const { budget } = this.parts;
    const began = performance.now();
    const { operation, params } = call;
    if (!mayUse(operation, context.caller))
      return this.refuse(call, () => notAllowed(operation, params), context, began);
    if (call.fault !== null) return this.refuse(call, call.fault, context, began);
    const known = this.known(call, context);
    if (context.admitted === true) return this.execute(call, context, began, known);
    const cost =
      known?.json === undefined
        ? this.costs.of(call.operation, call.params, context)
        : costOfAnswer(known.json.byteLength, budget);
    if (!budget.begin(cost.as, cost.bytes)) return this.wait(call, context, cost);
    return this.execute(call, context, began, known, cost);
  };

  /** A refusal may be deferred: it has no effect that later calls could observe. */
  private refuse(call: CheckedCall, fault: Explain, context: CallContext, began: number): Outcome | Promise<Outcome> {
    return this.refusals.run(() => {
      const refused = fault();
      giveTexts(call.params);
      return this.finish(call, context, began, refused);
    });
  }

  private known({ cacheKey }: CheckedCall, { caller }: CallContext): Success | undefined {
    return cacheKey === undefined ? undefined : this.parts.cache.find(keyFor(caller, cacheKey));
  }

  /** The call's time-out does not run while it waits. */
  private wait(call: CheckedCall, context: CallContext, cost: CallCost): Promise<Outcome> {
    const { budget } = this.parts;
    const { recipient, signal } = context;
    return new Promise((resolve) => {
      const leave = (): void => {
        stopWaiting();
        giveTexts(call.params);
        resolve(cancelled());
      };
      const stopWaiting = budget.wait(cost.as, cost.bytes, () => {
        signal?.removeEventListener('abort', leave);
        if (!call.operation.writes && recipient?.gone === true) {
          // A read has no effect but its answer: 10,000 reads of 9 MB for clients that had left took 60 s.
          budget.release(cost.as, cost.bytes);
          resolve(cancelled());
        } else {
          resolve(this.execute(call, context, performance.now(), this.known(call, context), cost));
        }
      });
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** @param cost memory reserved for this call alone */
  private execute(
    call: CheckedCall,
    context: CallContext,
    began: number,
    known: Success | undefined,
    cost?: CallCost,
  ): Outcome | Promise<Outcome> {
    const { cache } = this.parts;
    if (known !== undefined) {
      this.endCost(cost);
      return this.finish(call, context, began, known);
    }
    const { operation, params, cacheKey, filename } = call;
    return this.perform(operation, validated(params), this.withMaker(context)).then((outcome) => {
      this.endCost(cost);
      const mayKeep = outcome.ok && cacheKey !== undefined && filename !== undefined;
      const ended = mayKeep ? cache.keep(keyFor(context.caller, cacheKey), filename, outcome) : outcome;
      return this.finish(call, context, began, ended);
    });
  }

  /** Run it; if it has nothing to tell yet and its caller waits, run it again when there is. */
  private async perform(operation: Operation, params: Params[OperationName], context: CallContext): Promise<Outcome> {
    const { pool, feed } = this.parts;
    const seconds = operation.waits !== undefined && 'wait' in params && 'after' in params ? (params.wait ?? 0) : 0;
    if (seconds === 0 || feed === undefined) return pool.run(operation, params, context);
    const end = performance.now() + 1_000 * seconds;
    const isOver = (): boolean =>
      performance.now() >= end || context.recipient?.gone === true || context.signal?.aborted === true;
    let nothing: Outcome | undefined;
    for (;;) {
      const since = await feed.look();
      const outcome = await pool.run(operation, params, context);
      // All that wait are woken at once, which may be more than there is room for.
      const isBusy = nothing !== undefined && !outcome.ok && outcome.kind === 'busy';
      if (!isBusy && !hasNothing(outcome)) return outcome;
      if (!isBusy) nothing = outcome;
      if (isBusy) await sleep(busyPauseMs);
      if (isOver() || !(await feed.grown(isBusy ? '' : since, isOver))) return nothing ?? outcome;
    }
  }

  private withMaker(context: CallContext): CallContext {
    const { history, caller } = this.parts.config;
    if (history === undefined) return context;
    return { ...context, madeBy: context.caller?.name ?? caller ?? context.clientName };
  }

  private endCost(cost: CallCost | undefined): void {
    if (cost !== undefined) this.parts.budget.endCall(cost.as, cost.bytes);
  }

  private finish(
    { operation, params }: CheckedCall,
    { front, requestId, caller }: CallContext,
    began: number,
    ended: Outcome,
  ): Outcome {
    const ms = performance.now() - began;
    // Idle time counts from the end of a call: only then does its memory become garbage.
    this.parts.idle.touch();
    const outcome = ended.ok ? ended : withWayToMake(operation, params, asToldBy(operation, params, ended), this.maker);
    this.record({ operation, params, front, requestId, caller, outcome, ms });
    return outcome;
  }

  private record(ended: EndedCall): void {
    const { metrics, log } = this.parts;
    const { operation, front, caller, outcome, ms } = ended;
    metrics?.count(operation.name, front, outcome, ms, caller?.name);
    if (outcome.ok && outcome.notices === undefined && !operation.writes && !this.tellsAll) return;
    logCall(log, ended);
  }

  /** The fault of names and ranges in themselves, regardless of what exists. */
  private faultOfPlace(operation: Operation, params: unknown, lineBase?: LineBase): Explain | null {
    const refused =
      this.refuseFilename(operation, params) ??
      checkPaths(operation, params, { directories: this.directories }) ??
      faultOfRange(operation, params, lineBase);
    return refused === null ? null : () => refused;
  }

  private refuseFilename(operation: Operation, params: unknown): Failure | null {
    const filename = filenameOf(operation, params);
    return filename === undefined ? null : checkGivenFilename(filename, this.parts.config.names, this.directories);
  }
}

function hasNothing(outcome: Outcome): boolean {
  const { changes, gap } = outcome.ok ? outcome.result : {};
  return Array.isArray(changes) && changes.length === 0 && gap !== true;
}

/** Callers with different paths share no entries: the name may be a link to a file that one of them may not use. */
function keyFor(caller: Caller | undefined, cacheKey: string): string {
  return caller?.readable === undefined ? cacheKey : `${caller.readable.key} ${cacheKey}`;
}

function cacheKeyOf(operation: Operation, params: unknown): string {
  const given = validated(params);
  const values = Object.keys(operation.params.properties ?? {}).map((name): unknown => Reflect.get(given, name));
  return `${operation.name} ${JSON.stringify(values)}`;
}

/** The parameters have been checked against the schema from which the type is derived. */
export function validated(params: unknown): Params[OperationName] {
  return params as Params[OperationName];
}
