/** The tools for paths (contract 11). Programs call them too, so the structured result is the whole result. */
import type { Success } from '../errors.js';
import { asBuffer } from '../json/parts.js';
import type { Schema } from '../operations.js';
import { resultParts } from '../json/result-json.js';
import { onOneLine } from './names.js';
import type { ObjectSchema, Presented, Tool } from './tool.js';

const text: Schema = { type: 'string' };

/** Nothing is required: clients check failures against the schema of the results. */
export function resultOrFailure(properties: Readonly<Record<string, Schema>>): ObjectSchema {
  const failure = { code: { ...text, description: 'Only of a failure: what kind it is.' }, message: text };
  return { type: 'object', properties: { ...properties, path: text, ...failure } };
}

const hash: Schema = { type: 'string', description: 'Of the whole file; see expected_hash.' };
const success: Schema = { type: 'boolean' };

/** @param words for the model, as a JSON string */
export function wholeResult(words: Presented['text'], { result, hash }: Success): Presented {
  const whole = hash === undefined ? result : { ...result, hash };
  return { text: words, structured: resultParts({ ok: true, result: whole }) };
}

/** Many names come as JSON. */
function namesIn(entries: unknown): readonly unknown[] {
  const names: unknown = entries instanceof Uint8Array ? JSON.parse(asBuffer(entries).toString()) : entries;
  return Array.isArray(names) ? names : [];
}

/** @param at the parameter that holds the path that exists afterwards, or did before */
function done<Name extends 'create' | 'str_replace' | 'insert' | 'delete' | 'rename'>(
  tool: Pick<Tool<Name>, 'purpose' | 'description' | 'output'>,
  at: 'path' | 'new_path',
): Tool<Name> {
  return {
    ...tool,
    present: (outcome) => wholeResult([JSON.stringify(`OK: ${String(outcome.result[at])}`)], outcome),
  };
}

export const view: Tool<'view'> = {
  purpose: 'shows a file or a directory',
  description: () =>
    'Read a file, or list a directory: its names, one a line, without those that begin with a dot. Start with an empty path, which is the working directory. A file that is no UTF-8 text comes as base64.',
  output: resultOrFailure({
    type: { type: 'string', enum: ['file', 'directory'] },
    content: { type: 'string', description: 'Of a file.' },
    encoding: { type: 'string', enum: ['utf-8', 'base64'] },
    entries: { type: 'array', items: text, description: 'Of a directory.' },
    size: { type: 'integer', description: 'Bytes.' },
    hash,
  }),
  present(outcome) {
    const { content, entries } = outcome.result;
    const names = namesIn(entries)
      .map((name) => onOneLine(String(name)))
      .join('\n');
    return wholeResult([content instanceof Uint8Array ? content : JSON.stringify(names)], outcome);
  },
};

export const create = done<'create'>(
  {
    purpose: 'makes a new file',
    description: () =>
      'Create a file with its content, and the directories on its way. Fails if anything is at that path: to change a file use str_replace or insert.',
    output: resultOrFailure({ success, hash }),
  },
  'path',
);

export const strReplace = done<'str_replace'>(
  {
    purpose: 'replaces a text in a file',
    description: () =>
      'Replace old_str by new_str in a text file. old_str must be in it exactly once, byte for byte, white space and line breaks included: view the file first, and take in lines around the change to make it unique.',
    output: resultOrFailure({ success, hash }),
  },
  'path',
);

export const insert = done<'insert'>(
  {
    purpose: 'inserts text before a line',
    description: () =>
      'Insert text before a line of a text file; lines count from 1, and one more than the file has is its end. The text goes in as it is: end it with a line break to make it lines of its own.',
    output: resultOrFailure({ success, hash }),
  },
  'path',
);

export const remove = done<'delete'>(
  {
    purpose: 'deletes a file or an empty directory',
    description: () =>
      'Delete a file, a link (not what it leads to) or an empty directory. It cannot be undone; what a directory holds must be deleted first.',
    output: resultOrFailure({ success }),
  },
  'path',
);

export const rename = done<'rename'>(
  {
    purpose: 'moves one',
    description: () =>
      'Rename or move a file, a link or a directory with all that is in it; directories on the way to new_path are made. Fails if anything is at new_path.',
    output: resultOrFailure({ success, old_path: text, new_path: text }),
  },
  'new_path',
);
