/** Outcomes as JSON, for every front: results as bytes, failures as the error object of contract 5.5. */
import { errorKinds, type Failure, type FailureData, type Success } from '../errors.js';

/** Pieces of one JSON text; a Uint8Array holds JSON bytes as they are. */
export type JsonPart = string | Uint8Array;

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

/** How much of a name that the caller chose is sent back, in characters. */
const maxEchoed = 255;

/** The JSON bytes of `success.result`. Members that are a Uint8Array are JSON already and embedded as they are. */
export function resultJson(success: Success): Buffer {
  const { json } = success;
  return json === undefined
    ? joinJson(resultParts(success))
    : Buffer.from(json.buffer, json.byteOffset, json.byteLength);
}

/** As resultJson, for a front that puts its frame around the result: so a large text is copied once, by joinJson. */
export function resultParts({ result, json }: Success): JsonPart[] {
  if (json !== undefined) return [json];
  const members = Object.entries(result);
  if (!members.some(([, value]) => value instanceof Uint8Array)) return [JSON.stringify(result)];
  const parts: JsonPart[] = [];
  for (const [name, value] of members) {
    if (value === undefined) continue;
    const key = `${parts.length === 0 ? '{' : ','}${JSON.stringify(name)}:`;
    if (value instanceof Uint8Array) parts.push(key, value);
    else parts.push(key + JSON.stringify(value));
  }
  parts.push('}');
  return parts;
}

/** One buffer of all parts. */
export function joinJson(parts: readonly JsonPart[]): Buffer {
  if (parts.every((part) => typeof part === 'string')) return Buffer.from(parts.join(''));
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

/**
 * The error object of REST and of JSON-RPC (contract 5.5).
 * @param about the operation and the file of the call, as the caller named them, where they are known
 */
export function errorObject(failure: Failure, about: { operation?: string; filename?: string } = {}): ErrorObject {
  const { filename, operation } = about;
  return {
    code: errorKinds[failure.kind].code,
    message: failure.message,
    data: {
      ...(filename === undefined ? {} : { filename: echo(filename) }),
      ...(operation === undefined ? {} : { operation: echo(operation) }),
      timestamp: new Date().toISOString(),
      details: failure.details,
      ...failure.data,
    },
  };
}

/** Well-formed, since many JSON parsers refuse the escape of a lone surrogate. */
function echo(name: string): string {
  return name.slice(0, maxEchoed).toWellFormed();
}
