/** The tools for paths (spec 11). Programs call them too, so the structured content is the complete result. */
import type { Success } from '../../../core/errors.js';
import { rows, type OperationName, type Schema } from '../../../core/operations.js';
import { resultParts } from '../../../call/result-json.js';
import { toldChange, type ObjectSchema, type Presented, type Tool } from './tool.js';

/**
 * Schema of a row's result that failures satisfy too, since clients validate failures against it: no member is
 * required, and those of a failure are allowed. Listing them in each tool would cost every agent 500 bytes.
 * @param words descriptions of members that are not self-explanatory
 */
export function resultOrFailure(name: OperationName, words: Readonly<Record<string, string>> = {}): ObjectSchema {
  return { type: 'object', properties: membersOf(rows[name].result, words) };
}

/** Without validation keywords or nested members: every agent pays for their tokens (spec 10). */
function membersOf({ properties = {} }: Schema, words: Readonly<Record<string, string>>): Record<string, Schema> {
  const members = Object.entries(properties).flatMap(([name, { type }]): [string, Schema][] => {
    const description = words[name];
    // Only with --history, and allowed without being listed.
    if (name === 'change_id') return [];
    return [[name, { type, ...(description === undefined ? {} : { description }) }]];
  });
  return Object.fromEntries(members);
}

/** @param words for the model, as a JSON string */
export function wholeResult(words: Presented['text'], { result, hash }: Success): Presented {
  const whole = hash === undefined ? result : { ...result, hash };
  return { text: words, structured: resultParts({ ok: true, result: whole }) };
}

/** A tool whose result is little more than its path. */
function done<Name extends 'create' | 'str_replace' | 'insert' | 'delete' | 'rename' | 'write'>(
  name: Name,
  tool: Pick<Tool<Name>, 'purpose' | 'description'>,
): Tool<Name> {
  return {
    ...tool,
    output: resultOrFailure(name),
    present(outcome) {
      const { path, old_path, new_path } = outcome.result;
      const at = typeof path === 'string' ? path : `${String(old_path)} -> ${String(new_path)}`;
      return wholeResult([toldChange(`OK: ${at}`, outcome)], outcome);
    },
  };
}

export const createTool = done('create', {
  purpose: 'makes a new file',
  description: () =>
    'Create a file with its content, and missing parent directories. Fails if anything is at that path: to change a file use str_replace or insert.',
});

export const strReplaceTool = done('str_replace', {
  purpose: 'replaces a text in a file',
  description: () =>
    'Replace old_str with new_str in a text file. old_str must be in it exactly once, byte for byte, white space and line breaks included: view the file first, and include surrounding lines to make it unique.',
});

export const insertTool = done('insert', {
  purpose: 'inserts text before a line',
  description: () =>
    'Insert text before a line of a text file; lines count from 1, and the number of lines plus 1 is the end. The text is inserted verbatim: end it with a line break to make it separate lines.',
});

export const writeTool = done('write', {
  purpose: 'makes a file or replaces all of it',
  description: () => 'Make a file, or replace all of it. To change a part, edit it instead.',
});

export const deleteTool = done('delete', {
  purpose: 'deletes a file or an empty directory',
  description: () => 'Delete a file, a link (not what it leads to) or an empty directory.',
});

export const renameTool = done('rename', {
  purpose: 'renames or moves a file or directory',
  description: () => 'Rename or move a file, a link or a directory. Fails if anything is at new_path.',
});
