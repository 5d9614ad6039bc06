/**
 * The column of the operation table for models: what an operation is called with and answers as a tool of the MCP
 * (CONTRACT.md 10). It is a room of its own, since a server that meets no client of the MCP never loads it.
 */
import type { LineBase, Success } from '../errors.js';
import type { OperationName, Params, Schema } from '../operations.js';
import type { JsonPart } from '../protocols/result-json.js';

/** How this server answers clients of the MCP. */
export interface Presentation {
  /** The number of the first line, for operations that have line numbers. */
  readonly lineBase: LineBase;
  /** Longest text of one read, in characters (code points); 0: no limit. */
  readonly maxChars: number;
}

/** A success, ready to be put into a message. */
export interface Presented {
  /** For the model: a JSON string. */
  readonly text: readonly JsonPart[];
  /** For programs: a JSON object. The text of a file is in it only where the tool is made for programs. */
  readonly structured: readonly JsonPart[];
}

export type ObjectSchema = Schema & { readonly type: 'object' };

export interface Tool<Name extends OperationName = OperationName> {
  /** What it does, in few words behind its name. */
  readonly purpose: string;
  /** For a model that has never seen this server. @param first the number of the first line */
  description(first: LineBase): string;
  /** Values of parameters that are left out, where they are not those of the other fronts. */
  readonly defaults?: Readonly<Record<string, boolean>>;
  /** Schema of what `present` gives to programs. */
  readonly output: ObjectSchema;
  /** @param params of the call, whose lines count from 1 */
  present(success: Success, params: Params[Name], presentation: Presentation): Presented;
}

/** The beginning of a JSON string, to be closed by whoever adds the rest. */
export function openString(text: string): string {
  return JSON.stringify(text).slice(0, -1);
}

/** The rest of a JSON string that is open. */
export function closeString(text: string): string {
  return JSON.stringify(text).slice(1);
}
