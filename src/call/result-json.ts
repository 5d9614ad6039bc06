/** Outcomes as JSON, for every front: results as bytes, failures as the error object of spec 5.5. */
import { jsonOf, jsonPieces } from '../core/json/json-of.js';
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

/** Longest echo of a name chosen by the caller, in characters. */
const maxEchoed = 255;
/** The same for a path: the longest valid one. */
const maxEchoedPath = 4096;

/** The JSON bytes of `success.result`. Members that are JSON already are embedded unchanged. */
export function resultJson(success: Success): AnyBytes {
  return success.json === undefined ? gather(piecesOf(resultParts(success))) : asBuffer(success.json);
}

/** The value of a result member, which may be stored as JSON bytes. */
export function valueOf(member: unknown): unknown {
  const pieces = jsonPieces(member);
  return pieces.length === 0 ? member : JSON.parse(Buffer.concat(pieces).toString());
}

/** As resultJson, in pieces: a front adds its envelope without copying a large text. */
export function resultParts({ result, json }: Success): JsonPart[] {
  if (json !== undefined) return [json];
  const members = Object.entries(result);
  if (!members.some(([, value]) => jsonPieces(value).length > 0)) return [jsonOf(result)];
  const parts: JsonPart[] = [];
  for (const [name, value] of members) {
    if (value === undefined) continue;
    const key = `${parts.length === 0 ? '{' : ','}${jsonOf(name)}:`;
    const pieces = jsonPieces(value);
    if (pieces.length > 0) parts.push(key, ...pieces);
    else parts.push(key + jsonOf(value));
  }
  parts.push('}');
  return parts;
}

/**
 * The error object of REST and JSON-RPC (spec 5.5).
 * @param about the operation and file of the call as the caller named them, if known
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

/** Made well-formed: many JSON parsers reject an escaped lone surrogate. */
function echo(name: string, limit = maxEchoed): string {
  return name.slice(0, limit).toWellFormed();
}
