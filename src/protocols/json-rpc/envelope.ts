/** The JSON-RPC 2.0 envelope of requests and answers. */
import { failure, type Failure } from '../../core/errors.js';
import { isObject } from '../../core/json/json-body.js';
import { jsonOf } from '../../core/json/json-of.js';
import type { JsonPart } from '../../call/parts.js';

export type Id = string | number | null;

/** A message with a valid envelope. */
export interface Request {
  /** Undefined for a notification, which is executed but not answered. */
  readonly id: Id | undefined;
  readonly method: string;
  readonly params: unknown;
}

interface BadRequest {
  /** Null if the message has no valid id. */
  readonly id: Id;
  readonly refused: Failure;
}

/** The `error` member of an answer. */
interface ErrorMember {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * A parsed message as a request, or why it is not one. Null for a response, which is ignored: this server sends no
 * requests, and answering with an error could start a loop.
 */
export function readRequest(message: unknown): Request | BadRequest | null {
  if (!isObject(message)) return { id: null, refused: invalidRequest('A message must be an object.') };
  const { jsonrpc, id, method, params } = message;
  const known = id === undefined || isId(id);
  const refuse = (problem: string): BadRequest => ({
    id: known ? (id ?? null) : null,
    refused: invalidRequest(problem),
  });
  if (!known) return refuse('id must be a string of at most 1 MB, a number up to 2^53 - 1 or null.');
  if (jsonrpc !== '2.0') return refuse('jsonrpc must be "2.0".');
  if (typeof method === 'string') return { id, method, params };
  return isResponse(message) ? null : refuse('method must be a string.');
}

/** An error may lack the id if the request's id could not be read. */
function isResponse(message: Readonly<Record<string, unknown>>): boolean {
  return !('method' in message) && ('error' in message || ('result' in message && 'id' in message));
}

/** @param result JSON in pieces */
export function resultAnswer(id: Id, result: readonly JsonPart[]): JsonPart[] {
  return [`{"jsonrpc":"2.0","id":${jsonOf(id)},"result":`, ...result, '}'];
}

/** @param id of the request; null if it has no readable id */
export function errorAnswer(id: Id, { code, message, data }: ErrorMember): JsonPart[] {
  return [`{"jsonrpc":"2.0","id":${jsonOf(id)},"error":${jsonOf({ code, message, data })}}`];
}

const usualForm =
  'Send an object such as {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}; on stdio, on one line.';

/**
 * The failure of a message with an invalid envelope.
 * @param problem a sentence
 * @param advice a sentence: what to do next
 */
export function invalidRequest(problem: string, advice = usualForm): Failure {
  return failure('invalid_request', 'Invalid Request', { details: `${problem} ${advice}` });
}

/** The answer repeats the id: writing 10 MB of lone surrogates took 0.1 s of the main thread. */
const longestId = 1_048_576;

function isId(value: unknown): value is Id {
  // JSON.parse has rounded larger numbers: the caller would not recognize them in the answer.
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value === 'string') return value.length <= longestId;
  return value === null;
}
