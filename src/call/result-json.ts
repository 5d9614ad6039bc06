/** Outcomes as JSON, for every front: results as bytes, failures as the error object of spec 5.5. */
import { jsonOf } from '../core/json/json-of.js';
import { asBuffer, piecesOf, type JsonPart } from './parts.js';
import { gather, type AnyBytes } from '../core/json/scattered-bytes.js';
import { codeOf, type Failure, type FailureData, type Success } from '../core/errors.js';

/** The `error` member of an answer. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data: ErrorData;
}

interface ErrorData extends Readonly<FailureData> {
  readonly filename?: string;
  readonly operation?: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly details: string;
}

/** How many characters of a name that the caller chose are sent back. */
const maxEchoed = 255;
/** The same for a path: as long as one may be. */
const maxEchoedPath = 4096;

/** The JSON bytes of `success.result`. Members that are a Uint8Array are JSON already and embedded as they are. */
export function resultJson(success: Success): AnyBytes {
  return success.json === undefined ? gather(piecesOf(resultParts(success))) : asBuffer(success.json);
}

/** The value of a member of a result, which may be there as JSON in bytes. */
export function valueOf(member: unknown): unknown {
  return member instanceof Uint8Array ? JSON.parse(asBuffer(member).toString()) : member;
}

/** As resultJson, for a front that puts a frame around the result, so that a large text is not copied. */
export function resultParts({ result, json }: Success): JsonPart[] {
  if (json !== undefined) return [json];
  const members = Object.entries(result);
  if (!members.some(([, value]) => value instanceof Uint8Array)) return [jsonOf(result)];
  const parts: JsonPart[] = [];
  for (const [name, value] of members) {
    if (value === undefined) continue;
    const key = `${parts.length === 0 ? '{' : ','}${jsonOf(name)}:`;
    if (value instanceof Uint8Array) parts.push(key, value);
    else parts.push(key + jsonOf(value));
  }
  parts.push('}');
  return parts;
}

/**
 * The error object of REST and JSON-RPC (spec 5.5).
 * @param about the operation and the file of the call, as the caller named them, if they are known
 */
export function errorObject(failure: Failure, about: { operation?: string; filename?: string } = {}): ErrorObject {
  const { filename, operation } = about;
  return {
    code: codeOf(failure),
    message: failure.message,
    data: {
      ...(filename === undefined ? {} : { filename: echo(filename) }),
      ...(operation === undefined ? {} : { operation: echo(operation) }),
      timestamp: new Date().toISOString(),
      details: failure.details,
      ...failure.data,
      ...(failure.data?.path === undefined ? {} : { path: echo(failure.data.path, maxEchoedPath) }),
    },
  };
}

/** Well-formed, since many JSON parsers refuse the escape of a lone surrogate. */
function echo(name: string, limit = maxEchoed): string {
  return name.slice(0, limit).toWellFormed();
}
