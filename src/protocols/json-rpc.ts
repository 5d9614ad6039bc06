/**
 * JSON-RPC 2.0, one message in and its answer out (contract 9). Knows nothing of streams: a transport cuts them
 * into messages, and says when there is memory for another large answer.
 */
import type { Call } from '../call.js';
import type { Config } from '../config.js';
import { failure, type Failure, type Outcome } from '../errors.js';
import { parseJson, type Unread } from '../json-body.js';
import { nearest } from '../nearest.js';
import { availableOperations, filenameOf } from '../operations.js';
import { errorObject, piecesOf, resultParts, type JsonPart } from './result-json.js';

/**
 * Asks the transport for memory for an answer of up to so many bytes, and keeps it until the message is answered.
 * Undefined: there is enough at once.
 */
export type Reserve = (bytes: number) => Promise<void> | undefined;

export interface LineProtocol {
  /**
   * One message (a line without its terminator) in, its answer without a newline out, in pieces; null where none is due.
   * Writing methods are called before this returns, so they keep their order; reading ones when `reserve` lets
   * them. Never rejects, and does not keep `line`.
   */
  answer(line: Buffer, reserve?: Reserve): Promise<readonly Buffer[] | null>;
  /** Answer to a line longer than the limit. */
  tooLong(): readonly Buffer[];
}

/** What a method name stands for. */
interface Method {
  /** Its answer is small; false: it may be as large as the largest file. */
  readonly writes: boolean;
  readonly run: (params: Readonly<Record<string, unknown>>, requestId: string) => Outcome | Promise<Outcome>;
  /** The file that the call is about, for errors. */
  readonly filename: (params: unknown) => string | undefined;
}

type Id = string | number | null;

/** A message whose envelope is right. */
interface Request {
  /** Undefined: a notification, which is executed and not answered. */
  readonly id: Id | undefined;
  readonly method: string;
  readonly params: unknown;
}

interface BadRequest {
  /** Null where the message has no usable one. */
  readonly id: Id;
  readonly refused: Failure;
}

const megabyte = 1_048_576;
/** Most messages of one batch: of 256 kB of `[1,1,1,…]`, answering each took 0.4 s and 45 MB. */
const maxBatchLength = 10_000;
/** Most reads of one batch that run at once. */
const maxBatchReads = 32;

export function createJsonRpc({
  config,
  call,
}: {
  config: Pick<Config, 'toolsets' | 'readOnly' | 'maxBytes' | 'maxSizeMb'>;
  call: Call;
}): LineProtocol {
  const methods: ReadonlyMap<string, Method> = new Map(
    Array.from(availableOperations(config).values(), (operation) => [
      operation.name,
      {
        writes: operation.writes,
        run: (params, requestId) => call(operation.name, params, { requestId }),
        filename: (params) => filenameOf(operation, params),
      },
    ]),
  );
  // A batch is answered when its last member is done, so what its reads put together until then needs a limit:
  // so much of it finished, and at most half as much of it running.
  const maxBatchMb = Math.max(128, 2 * config.maxSizeMb);
  const batchReads = Math.min(maxBatchReads, Math.floor(maxBatchMb / 2 / config.maxSizeMb));
  let messages = 0;

  /** Not an async function: those keep their arguments, and with the line the chunk of the stream it is a part of. */
  function answerTo(line: Buffer, reserve: Reserve): Promise<JsonPart[] | null> {
    const parsed = parseJson(line);
    if (!parsed.ok) return Promise.resolve(answerUnread(parsed));
    if (Array.isArray(parsed.value)) return answerBatch(parsed.value, reserve);
    const request = readRequest(parsed.value);
    if ('refused' in request) return Promise.resolve(errorAnswer(request.id, request.refused));
    const method = methods.get(request.method);
    const memory = method === undefined || method.writes ? undefined : reserve(config.maxBytes);
    return memory === undefined ? execute(request) : memory.then(() => execute(request));
  }

  /** The answer to a message that is no JSON, or holds too much of it: of the latter, the envelope can be read. */
  function answerUnread(refused: Unread): JsonPart[] | null {
    if (refused.kind === 'parse_error') return errorAnswer(null, refused);
    const request = readRequest(refused.outline);
    if ('refused' in request) {
      return errorAnswer(
        request.id,
        failure('invalid_request', 'Invalid Request: too many values in one message', { details: refused.details }),
      );
    }
    return request.id === undefined ? null : errorAnswer(request.id, refused, request);
  }

  async function execute(request: Request): Promise<JsonPart[] | null> {
    const outcome = await outcomeOf(request);
    if (request.id === undefined) return null;
    if (!outcome.ok) return errorAnswer(request.id, outcome, request);
    return [`{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},"result":`, ...resultParts(outcome), '}'];
  }

  function outcomeOf({ id, method: name, params = {} }: Request): Outcome | Promise<Outcome> {
    const method = methods.get(name);
    if (method === undefined) return unknownMethod(name);
    if (!isObject(params)) return badParams(params);
    // The caller's id as well, which is how the log is searched; cut, since it may be long.
    const requestId = `rpc-${String(++messages)}${id === undefined || id === null ? '' : `:${String(id).slice(0, 64)}`}`;
    return method.run(params, requestId);
  }

  function unknownMethod(name: string): Failure {
    const meant = nearest(name, [...methods.keys()]);
    return failure('unknown_operation', 'Method not found', {
      details: `${meant === undefined ? '' : `Did you mean '${meant}'? `}The methods are ${[...methods.keys()].join(', ')}.`,
    });
  }

  function errorAnswer(id: Id, refused: Failure, request?: Request): JsonPart[] {
    const filename = request && methods.get(request.method)?.filename(request.params);
    const about = {
      ...(request === undefined ? {} : { operation: request.method }),
      ...(filename === undefined ? {} : { filename }),
    };
    return [JSON.stringify({ jsonrpc: '2.0', id, error: errorObject(refused, about) })];
  }

  async function answerBatch(batch: readonly unknown[], reserve: Reserve): Promise<JsonPart[] | null> {
    if (batch.length === 0 || batch.length > maxBatchLength) {
      return errorAnswer(null, invalidRequest(`a batch must have 1 to ${String(maxBatchLength)} messages`));
    }
    const answers: (JsonPart[] | null)[] = batch.map(() => null);
    const reads: [index: number, read: Request][] = [];
    const others = batch.map(async (message, index) => {
      const request = readRequest(message);
      if ('refused' in request) answers[index] = errorAnswer(request.id, request.refused);
      else if (methods.get(request.method)?.writes === false) reads.push([index, request]);
      else answers[index] = await execute(request);
    });
    if (reads.length > 0) await reserve(1.5 * maxBatchMb * megabyte);

    let held = 0;
    const waiting = reads.values();
    const lane = async (): Promise<void> => {
      for (const [index, read] of waiting) {
        const answer = held < maxBatchMb * megabyte ? await execute(read) : overfull(read);
        answers[index] = answer;
        for (const part of answer ?? []) held += part.length;
      }
    };
    await Promise.all([...others, ...Array.from({ length: batchReads }, lane)]);
    const due = answers.filter((answer) => answer !== null);
    return due.length === 0 ? null : [...due.flatMap((answer, index) => [index === 0 ? '[' : ',', ...answer]), ']'];
  }

  /** Only reads are refused at this point: nothing that was done is ever answered with an error. */
  function overfull(read: Request): JsonPart[] | null {
    const refused = tooLarge(`Batch answer exceeds maximum limit ${String(maxBatchMb)}MB`);
    return read.id === undefined ? null : errorAnswer(read.id, refused, read);
  }

  return {
    answer: (line, reserve = () => undefined) => answerTo(line, reserve).then((parts) => parts && piecesOf(parts)),
    tooLong: () =>
      piecesOf(errorAnswer(null, tooLarge(`Request size exceeds maximum limit ${String(config.maxSizeMb)}MB`))),
  };
}

function readRequest(message: unknown): Request | BadRequest {
  if (!isObject(message)) return { id: null, refused: invalidRequest('a message must be an object') };
  const { jsonrpc, id, method, params } = message;
  const known = id === undefined || isId(id);
  const refuse = (problem: string): BadRequest => ({
    id: known ? (id ?? null) : null,
    refused: invalidRequest(problem),
  });
  if (!known) return refuse('id must be a string, a finite number or null');
  if (jsonrpc !== '2.0') return refuse('jsonrpc must be "2.0"');
  if (typeof method === 'string') return { id, method, params };
  return refuse(
    'result' in message || 'error' in message
      ? 'this server sends no requests, so it takes no responses'
      : 'method must be a string',
  );
}

function isId(value: unknown): value is Id {
  return value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalidRequest(problem: string): Failure {
  return failure('invalid_request', `Invalid Request: ${problem}`, {
    details:
      'Send {"jsonrpc":"2.0","id":1,"method":"list_files","params":{}} on one line, or an array of such messages.',
  });
}

function badParams(params: unknown): Failure {
  const given = Array.isArray(params) ? 'an array' : params === null ? 'null' : `a ${typeof params}`;
  return failure('invalid_params', `Invalid params: params must be an object, not ${given}`, {
    details: 'Send the parameters by name, as the members of an object.',
  });
}

function tooLarge(message: string): Failure {
  return failure('request_too_large', message);
}
