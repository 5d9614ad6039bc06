/**
 * The column of the operation table for models: what an operation takes and answers as an MCP tool (spec 10). A
 * room of its own, since a server without MCP clients never loads it.
 */
import type { Failure, LineBase, Success } from '../../../core/errors.js';
import { jsonOf } from '../../../core/json/json-of.js';
import { partBytes, type JsonPart } from '../../../call/parts.js';
import type { OperationName, Params, Schema } from '../../../core/operations.js';
import type { NameRule } from '../../../core/names/filename.js';

/** How this server answers MCP clients. */
export interface Presentation {
  /** The number of the first line, for operations with line numbers. */
  readonly lineBase: LineBase;
  readonly names: NameRule;
  /** Longest text of a file that an answer may hold, in characters (code points); 0: no limit. */
  readonly maxChars: number;
  /** Longest answer, in bytes: its text and, unless that is left out, its structure. */
  readonly maxBytes: number;
  /**
   * Whether a result is its text alone: of one that has `structuredContent`, Claude Code 2.1.197 (its issue 79944), Codex
   * and opencode (its issue 32074) give a model nothing else.
   */
  readonly textOnly: boolean;
}

/** A success, ready to become part of a message. */
export interface Presented {
  /** For the model: a JSON string. */
  readonly text: readonly JsonPart[];
  /** For programs: a JSON object. It contains the text of a file only if the tool is made for programs. */
  readonly structured: readonly JsonPart[];
}

export type ObjectSchema = Schema & { readonly type: 'object' };

export interface Tool<Name extends OperationName = OperationName> {
  /** What it does, in a few words that follow its name. */
  readonly purpose: string;
  /** For a model that has never seen this server. @param first the number of the first line */
  description(first: LineBase): string;
  /**
   * Defaults of parameters that differ from those of the other fronts. The operation learns which of them the caller
   * left out: a model may not have meant what it did not ask for.
   */
  readonly defaults?: Readonly<Record<string, boolean>>;
  /** Schema of what `present` returns for programs. */
  readonly output: ObjectSchema;
  /**
   * How a success is told to a model: no more than `presentation` allows, or the failure of a read that cannot be cut.
   * @param params of the call, whose lines count from 1
   */
  present(success: Success, params: Params[Name], presentation: Presentation): Presented | Failure;
}

/** Whether an answer is short enough. */
export function fits({ text, structured }: Presented, { maxBytes, textOnly }: Presentation): boolean {
  const parts = textOnly ? text : [...text, ...structured];
  return parts.reduce((sum, part) => sum + partBytes(part), 0) <= maxBytes;
}

/** The beginning of a JSON string, which whoever adds the rest must close. */
export function openString(text: string): string {
  return jsonOf(text).slice(0, -1);
}

/** The rest of a JSON string that was left open. */
export function closeString(text: string): string {
  return jsonOf(text).slice(1);
}

/**
 * What a model is told of a change, as a JSON string.
 * @param done what was done
 * @param more what follows after an empty line; '' for nothing
 */
export function toldChange(done: string, { result, forModel = {} }: Success, more = ''): string {
  const { place, remarks = [] } = forModel;
  const notice = typeof result['notice'] === 'string' ? [result['notice']] : [];
  const summary = [place === undefined ? done : `${done} (${place})`, ...remarks, ...notice].join('\n');
  return jsonOf(more === '' ? summary : `${summary}\n\n${more}`);
}

/**
 * A file name as one line of a text: characters that begin another line, or are invisible, are escaped as in JSON. A
 * file with such a name must not pass for several. The structured result has the name as it is.
 */
export function onOneLine(name: string): string {
  return name.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (character) =>
    character < ' ' ? jsonOf(character).slice(1, -1) : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
