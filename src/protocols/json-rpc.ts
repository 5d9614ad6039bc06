/**
 * JSON-RPC 2.0, one message in and its answer out (contract 9), with MCP on the same stream. Knows nothing of streams:
 * a transport cuts them into messages, and says when there is memory for another large answer.
 */
import type { AnswerRoom } from '../held-memory.js';
import type { Call } from '../call.js';
import type { Config } from '../config/config.js';
import { failure, type Failure, type Outcome } from '../errors.js';
import { isObject, parseJson, type Unread } from '../json/json-body.js';
import type { Log } from '../monitoring/log.js';
import { nearest } from '../nearest.js';
import { availableOperations, filenameOf, largeTexts, whyAbsent } from '../operations.js';
import { asToldBy } from '../path-failure.js';
import type { RunContext } from '../pool/pending-call.js';
import { answerBatch, refuseBatch, type BatchPlan } from './batch.js';
import { errorAnswer, invalidRequest, readRequest, resultAnswer, type Request } from './envelope.js';
import { withExactIds } from './exact-ids.js';
import { isOfMcp, methodNames as mcpMethods } from './mcp-revisions.js';
import type { McpStream } from './mcp-stdio.js';
import { weightOf } from './message-weight.js';
import { errorObject, resultParts, type JsonPart } from './result-json.js';

/**
 * Asks the transport for memory for an answer of up to so many bytes, instead of what the message had; it is kept until
 * that is answered. Undefined: there is enough at once.
 */
export type Reserve = (bytes: number) => Promise<void> | undefined;

export interface LineProtocol {
  /**
   * One message (a line without its terminator) in; its answer, without a newline, out in parts, or null if none is
   * due. Writing methods are called in the order of the messages, reading ones when `reserve` allows. Never rejects,
   * and does not keep `line`.
   */
  answer(line: Buffer, reserve?: Reserve): Promise<readonly JsonPart[] | null>;
  /** How many bytes a message holds at most until it is answered, itself included. */
  weight(line: Buffer): number;
  /** The answer to a line longer than the limit. */
  tooLong(): readonly JsonPart[];
}

/** What a method name stands for. */
interface Method {
  /** True: its answer is small. False: it may be as large as the largest file. */
  readonly writes: boolean;
  readonly run: (
    params: Readonly<Record<string, unknown>>,
    context: Pick<RunContext, 'requestId' | 'room'>,
  ) => Outcome | Promise<Outcome>;
  /** Its words for a call that is refused before it is made. */
  readonly refuse: (refused: Failure) => Failure;
  /** The file that the call is about, for errors. */
  readonly filename: (params: unknown) => string | undefined;
}

/**
 * JSON-RPC over one stream: a method for each operation that the configuration allows and, from the first message of
 * the MCP on, that protocol beside them.
 */
export function createJsonRpc(parts: {
  config: Pick<
    Config,
    'toolsets' | 'readOnly' | 'maxBytes' | 'maxSizeMb' | 'mcpLineBase' | 'mcpMaxChars' | 'serverName'
  >;
  call: Call;
  log?: Pick<Log, 'error'>;
}): LineProtocol {
  const { config, call } = parts;
  const methods: ReadonlyMap<string, Method> = new Map(
    Array.from(availableOperations(config).values(), (operation) => [
      operation.name,
      {
        writes: operation.writes,
        run: (params, context) => call(operation.name, params, { front: 'json-rpc', ...context }),
        refuse: (refused) => asToldBy(operation, {}, refused),
        filename: (params) => filenameOf(operation, params),
      },
    ]),
  );
  const plan: BatchPlan = {
    // A batch is answered once its last message is done, so what its reads pile up until then needs a limit.
    limitMb: Math.max(128, 2 * config.maxSizeMb),
    maxSizeMb: config.maxSizeMb,
    refuse: (request) => (isOfMcp(request) && mcp?.mayBeInBatch(request) !== true ? noBatchOfMcp() : null),
    isRead,
    execute: (request, writeRoom) => execute(request, writeRoom),
    refusal: (request, refused) => refusal(request, refused),
  };
  let mcp: McpStream | undefined;
  let loading: Promise<void> | undefined;
  let messages = 0;

  /**
   * Not an async function: those keep their arguments, and with the line the whole chunk of the stream that contains
   * it.
   */
  function answerTo(line: Buffer, reserve: Reserve = () => undefined): Promise<readonly JsonPart[] | null> {
    const parsed = withExactIds(parseJson(line, largeTexts), line);
    if (!parsed.ok) return Promise.resolve(answerUnread(parsed));
    const { value } = parsed;
    // While MCP is being loaded, later messages wait behind the one that needs it, or they would overtake it.
    const answerNow = (): Promise<readonly JsonPart[] | null> => answerValue(value, reserve);
    return loading === undefined ? answerNow() : loading.then(answerNow, answerNow);
  }

  function answerValue(value: unknown, reserve: Reserve): Promise<readonly JsonPart[] | null> {
    if (Array.isArray(value)) {
      const refused = refuseBatch(value);
      return refused === null
        ? answerBatch(value, plan, reserve)
        : Promise.resolve(errorAnswer(null, errorObject(refused)));
    }
    const request = readRequest(value);
    if ('refused' in request) return Promise.resolve(errorAnswer(request.id, errorObject(request.refused)));
    if (mcp === undefined && isOfMcp(request)) {
      loading ??= loadMcp();
      return loading.then(
        () => answerValue(value, reserve),
        (error: unknown) => {
          parts.log?.error({ operation: 'mcp', error }, 'the MCP could not be loaded');
          return request.id === undefined ? null : refusal(request, failure('internal', 'Internal error'));
        },
      );
    }
    if (!isRead(request)) return execute(request);
    const ready = reserve(config.maxBytes);
    const room = roomOf(reserve, config.maxBytes);
    if (isOfMcp(request)) return execute(request, room, ready);
    return ready === undefined ? execute(request, room) : ready.then(() => execute(request, room));
  }

  async function loadMcp(): Promise<void> {
    try {
      const { createMcp, McpStream } = await import('./mcp-late.js');
      mcp = new McpStream(createMcp(parts));
    } finally {
      // If no file could be opened, the next message may have more luck.
      loading = undefined;
    }
  }

  function isRead(request: Request): boolean {
    return isOfMcp(request) ? mcp?.isRead(request) === true : methods.get(request.method)?.writes === false;
  }

  /** The answer to a message that is not JSON or holds too many values; of the latter, the envelope can be read. */
  function answerUnread(refused: Unread): readonly JsonPart[] | null {
    if (refused.kind === 'parse_error') return errorAnswer(null, errorObject(refused));
    const request = readRequest(refused.outline);
    if ('refused' in request) {
      const tooMany = invalidRequest('too many values in one message', refused.details);
      return errorAnswer(request.id, errorObject(tooMany));
    }
    return request.id === undefined ? null : refusal(request, refused);
  }

  /**
   * @param room for the answer of a read; without it, the answer may have any size
   * @param ready resolves once there is so much room
   */
  async function execute(
    request: Request,
    room?: AnswerRoom,
    ready?: Promise<void>,
  ): Promise<readonly JsonPart[] | null> {
    const { id } = request;
    // Includes the caller's id, by which people search the log; cut, since it may be long.
    const requestId = `rpc-${String(++messages)}${id === undefined || id === null ? '' : `:${String(id).slice(0, 64)}`}`;
    const context = { requestId, room };
    if (mcp !== undefined && isOfMcp(request)) return mcp.answer(request, context, ready);
    const outcome = await outcomeOf(request, context);
    if (id === undefined) return null;
    return outcome.ok ? resultAnswer(id, resultParts(outcome)) : refusal(request, outcome);
  }

  function outcomeOf(
    { method: name, params = {} }: Request,
    context: Pick<RunContext, 'requestId' | 'room'>,
  ): Outcome | Promise<Outcome> {
    const method = methods.get(name);
    if (method === undefined) return unknownMethod(name);
    return isObject(params) ? method.run(params, context) : method.refuse(badParams(params));
  }

  function unknownMethod(name: string): Failure {
    const meant = nearest(name, [...methods.keys(), ...mcpMethods]);
    const guess = meant === undefined ? '' : `Did you mean '${meant}'? `;
    const absent = whyAbsent(name, config.toolsets);
    return failure('unknown_operation', 'Method not found', {
      details: `${absent === undefined ? guess : `${absent} `}The methods are ${[...methods.keys()].join(', ')}, and ${mcpMethods.join(', ')} of the MCP.`,
    });
  }

  function refusal(request: Request, refused: Failure): readonly JsonPart[] {
    const { id = null, method, params } = request;
    const filename = methods.get(method)?.filename(params);
    const about = { operation: method, ...(filename === undefined ? {} : { filename }) };
    return errorAnswer(id, errorObject(refused, about));
  }

  return {
    answer: answerTo,
    weight: weightOf,
    tooLong() {
      const tooLong = failure('request_too_large', `Request size exceeds maximum limit ${String(config.maxSizeMb)}MB`);
      return errorAnswer(null, errorObject(tooLong));
    },
  };
}

/** The room that a message has been promised, in bytes. */
function roomOf(reserve: Reserve, bytes: number): AnswerRoom {
  return {
    bytes,
    async enlarge(more) {
      await reserve(more);
      return roomOf(reserve, more);
    },
  };
}

function noBatchOfMcp(): Failure {
  return invalidRequest(
    'a message of the MCP cannot be in a batch',
    'Send it on a line of its own: only revision 2025-03-26, negotiated by initialize, has batches.',
  );
}

function badParams(params: unknown): Failure {
  const given = Array.isArray(params) ? 'an array' : params === null ? 'null' : `a ${typeof params}`;
  return failure('invalid_params', `Invalid params: params must be an object, not ${given}`, {
    details: 'Send the parameters by name, as the members of an object.',
  });
}
