/**
 * The operation table's MCP column: each operation as a tool, its input and answer (spec 10). Kept separate so that a
 * server without MCP clients never loads it.
 */
import type { Failure, LineBase, Success } from '../../../core/errors.js';
import { jsonOf } from '../../../core/json/json-of.js';
import { partBytes, type JsonPart } from '../../../call/parts.js';
import type { OperationName, Params, Schema } from '../../../core/operations.js';
import type { NameRule } from '../../../core/names/filename.js';

/** Settings of answers to MCP clients. */
export interface Presentation {
  /** Number of the first line, for operations with line numbers. */
  readonly lineBase: LineBase;
  readonly names: NameRule;
  /** Longest file text in an answer, in characters (code points); 0: no limit. */
  readonly maxChars: number;
  /** Longest answer in bytes: its text and, unless omitted, its structured content. */
  readonly maxBytes: number;
  /**
   * Whether results omit `structuredContent`: if a result has it, Claude Code 2.1.197 (its issue 79944), Codex and
   * opencode (its issue 32074) show the model nothing else.
   */
  readonly textOnly: boolean;
}

/** A success in the form that goes into a message. */
export interface Presented {
  /** For the model: a JSON string. */
  readonly text: readonly JsonPart[];
  /** Shown to the model above the text. */
  readonly image?: { readonly mimeType: string; /** Base64 as a JSON string. */ readonly data: JsonPart };
  /** For programs: a JSON object. Contains file text only if the tool is meant for programs. */
  readonly structured: readonly JsonPart[];
  /** Hashes that the model asked for, in addition to the one of the success; '' for none. */
  readonly hashes?: string;
}

export type ObjectSchema = Schema & { readonly type: 'object' };

export interface Tool<Name extends OperationName = OperationName> {
  /** What it does: a few words to follow its name. */
  readonly purpose: string;
  /** For a model that has never seen this server. @param first number of the first line */
  description(first: LineBase): string;
  /**
   * Parameter defaults that differ from those of other fronts. The operation learns which ones were filled in, since a
   * model may not have intended them.
   */
  readonly defaults?: Readonly<Record<string, boolean>>;
  /** Parameters that a model needs no description of. */
  readonly selfExplanatory?: readonly string[];
  /** Schema of what `present` returns for programs. */
  readonly output: ObjectSchema;
  /**
   * Present a success to a model within the limits of `presentation`; a failure if a read cannot be truncated.
   * @param params of the call, with lines counted from 1
   */
  present(success: Success, params: Params[Name], presentation: Presentation): Presented | Failure;
}

/** Whether an answer is within the limit. */
export function fits({ text, structured, image }: Presented, { maxBytes, textOnly }: Presentation): boolean {
  const parts = [...text, ...(image === undefined ? [] : [image.data]), ...(textOnly ? [] : structured)];
  return parts.reduce((sum, part) => sum + partBytes(part), 0) <= maxBytes;
}

/** Start of a JSON string; the caller must close it. */
export function openString(text: string): string {
  return jsonOf(text).slice(0, -1);
}

/** End of a JSON string started with `openString`. */
export function closeString(text: string): string {
  return jsonOf(text).slice(1);
}

/**
 * Text for a model about a change, as a JSON string.
 * @param done what was done
 * @param more appended after an empty line; '' for nothing
 */
export function toldChange(done: string, { result, forModel = {} }: Success, more = ''): string {
  const { place, remarks = [] } = forModel;
  const notice = typeof result['notice'] === 'string' ? [result['notice']] : [];
  const summary = [place === undefined ? done : `${done} (${place})`, ...remarks, ...notice].join('\n');
  return jsonOf(more === '' ? summary : `${summary}\n\n${more}`);
}
