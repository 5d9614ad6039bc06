/**
 * The operation table, one row per operation. Routes, JSON-RPC methods, validators, confinement, ordering and the
 * OpenAPI document are derived from it, and the docs are checked against it. How to add one: AGENTS.md.
 */
import type { Operation, OperationOf } from './operation.js';
import type { OperationSchemas } from './schemas/members.js';
import { schemas, type OperationName } from './schemas.js';

export type { Operation, OperationOf, Toolset } from './operation.js';
export type { Schema } from './schemas/schema.js';
export type { LineDescription, LineEdit, OperationName, Params, Results, TextEdit, ValidLineEdit } from './schemas.js';

/** Builds a row from its columns and its schemas. */
function row<Name extends OperationName>(
  name: Name,
  columns: Omit<Operation, 'name' | keyof OperationSchemas>,
): OperationOf<Name> {
  return { name, ...columns, ...schemas[name] };
}

/** Each operation by its name; a missing one does not compile. */
export const rows: { readonly [Name in OperationName]: OperationOf<Name> } = {
  list_files: row('list_files', {
    title: 'List files',
    description: 'List the text files of the working directory with size, time, access and line count.',
    toolset: 'files',
    writes: false,
    pauses: true,
    emptyBody: true,
  }),
  read_file: row('read_file', {
    title: 'Read file',
    description: 'Read a text file, whole or a range of lines (both bounds inclusive).',
    toolset: 'files',
    writes: false,
    filename: 'name',
    conditional: true,
    ownFailures: ['invalid_range'],
  }),
  edit_file: row('edit_file', {
    title: 'Edit file',
    description:
      'Replace, insert and delete lines of a text file and append to it, all or nothing. Every line number refers to the file before the request.',
    toolset: 'files',
    writes: true,
    groups: true,
    filename: 'name',
    lineEdits: 'edits',
    largeTexts: ['append', 'content'],
    ownFailures: ['invalid_range'],
  }),
  view: row('view', {
    title: 'View file or directory',
    description:
      'Read a file, as text, whole or a range of lines, or as base64, or several files, or list the names in a directory.',
    toolset: 'storage',
    writes: false,
    paths: ['path'],
    several: 'files',
    conditional: true,
    ownFailures: ['invalid_range', 'not_in_history'],
  }),
  create: row('create', {
    title: 'Create file',
    description: 'Create a file with its content, and missing parent directories; never overwrites.',
    toolset: 'storage',
    writes: true,
    paths: ['path'],
    largeTexts: ['content'],
    ownFailures: ['file_exists'],
  }),
  str_replace: row('str_replace', {
    title: 'Replace text',
    description: 'Replace a text that is in a file exactly once; byte for byte, no pattern.',
    toolset: 'storage',
    writes: true,
    destroys: true,
    groups: true,
    paths: ['path'],
    largeTexts: ['new_str'],
    ownFailures: ['string_not_found', 'string_not_unique'],
  }),
  insert: row('insert', {
    title: 'Insert text',
    description: 'Insert text before a line of a file, exactly as it is given.',
    toolset: 'storage',
    writes: true,
    groups: true,
    paths: ['path'],
    largeTexts: ['new_str'],
    ownFailures: ['invalid_range'],
  }),
  delete: row('delete', {
    title: 'Delete',
    description: 'Delete a file, a link or an empty directory.',
    toolset: 'storage',
    writes: true,
    destroys: true,
    paths: ['path'],
    ownFailures: ['directory_not_empty'],
  }),
  rename: row('rename', {
    title: 'Rename or move',
    description: 'Rename or move a file, a link or a directory, creating missing parent directories; never overwrites.',
    toolset: 'storage',
    writes: true,
    destroys: true,
    paths: ['old_path', 'new_path'],
    ownFailures: ['file_exists'],
  }),
  apply_edits: row('apply_edits', {
    title: 'Edit by text',
    description:
      'Find and replace texts in a file, or add text at its start or end, one edit after the other, all or nothing; returns the matched lines and a diff of the change.',
    toolset: 'edits',
    writes: true,
    destroys: true,
    groups: true,
    paths: ['path'],
    textEdits: 'edits',
    ownFailures: ['string_not_found', 'string_not_unique'],
  }),
  grep: row('grep', {
    title: 'Search in files',
    description: 'Find the lines that match a pattern, in one file or in a directory and all below it.',
    toolset: 'search',
    writes: false,
    inParts: true,
    pauses: true,
    paths: ['path'],
  }),
  glob: row('glob', {
    title: 'Find files by name',
    description: 'Find files by a pattern for their names, in a directory and all below it.',
    toolset: 'search',
    writes: false,
    pauses: true,
    paths: ['path'],
  }),
  write: row('write', {
    title: 'Write file',
    description:
      'Write the whole content of a file, creating it with missing parent directories; replaces a file only if its hash is expected.',
    toolset: 'changes',
    writes: true,
    destroys: true,
    paths: ['path'],
    largeTexts: ['content'],
    ownFailures: ['file_exists'],
  }),
  apply_changes: row('apply_changes', {
    title: 'Change several files',
    description:
      'Edit, write, delete and rename several files at once: all of it is done or nothing, whatever happens; returns one diff.',
    toolset: 'changes',
    writes: true,
    destroys: true,
    groups: true,
    changes: 'changes',
    paths: ['path', 'rename_to'],
    largeTexts: ['content'],
    ownFailures: ['file_exists', 'string_not_found', 'string_not_unique', 'changed'],
  }),
  history: row('history', {
    title: 'History',
    description: 'List who changed what, newest first; or follow what is changed after a given change.',
    toolset: 'history',
    writes: false,
    paths: [],
    waits: 'wait',
  }),
  undo: row('undo', {
    title: 'Undo',
    description:
      'Take back recorded changes, all of them or none; what others have changed since stays, or is told as a conflict.',
    toolset: 'history',
    writes: true,
    paths: [],
    eitherOf: ['changes', 'last'],
    ownFailures: ['undo_conflict', 'not_in_history'],
  }),
};

/** In table order. A Map, since names come from clients: `constructor` must not be found. */
export const operations: ReadonlyMap<string, Operation> = new Map(Object.entries(rows));

/** Names of all parameters that are file texts, for parsing requests. */
export const largeTexts: ReadonlySet<string> = new Set(
  [...operations.values()].flatMap(({ largeTexts = [] }) => largeTexts),
);

/** The versions of a file that a write accepts (spec 5.4): one of these hashes, or `*` for any. */
export type Precondition = '*' | readonly string[];

/**
 * A model's call over MCP. Likely mistakes are forgiven (spec 15), the answer has more than the result (ForModel), and
 * texts are limited to what a message may hold.
 */
export interface ModelCall {
  /** Parameters that the front has filled in for the caller. */
  readonly filledIn: readonly string[];
  /** Longest useful text in characters (code points); 0: no limit. The front cuts the rest. */
  readonly maxChars: number;
}

/** Whether a call may be committed together with others of its operation and file. */
export function mayJoinGroup({ groups = false, changes }: Operation, params: unknown): boolean {
  if (!groups || changes === undefined) return groups;
  const [only, ...others] = listAt(params, changes);
  if (typeof only !== 'object' || only === null || others.length > 0) return false;
  return 'path' in only && 'edits' in only && !('rename_to' in only);
}

/** Whether its calls cover all files, so their time grows with the directory. */
export function isAboutAll({ filename, paths }: Operation): boolean {
  return filename === undefined && paths === undefined;
}

/** Whether its callers can name the version that it may change (spec 5.4). */
export function expectsHash({ params: { properties = {} } }: Operation): boolean {
  return 'expected_hash' in properties;
}

/** The flat file name in the parameters of a call; undefined for operations without one. */
export function filenameOf(operation: Operation, params: unknown): string | undefined {
  return operation.filename === undefined ? undefined : textAt(params, operation.filename);
}

/** The paths that a call names, as the caller wrote them. */
export function pathsOf({ paths = [], changes, several }: Operation, params: unknown): string[] {
  const files = several === undefined ? [] : listAt(params, several);
  const named = changes !== undefined ? listAt(params, changes) : files.length > 0 ? files : [params];
  return named.flatMap((each) => paths.map((name) => textAt(each, name)).filter((path) => path !== undefined));
}

/** The subject of a call in the log and in messages: its file, or the first of its paths. */
export function subjectOf(operation: Operation, params: unknown): string | undefined {
  return filenameOf(operation, params) ?? pathsOf(operation, params)[0];
}

/** A parameter that is a list; empty if it is anything else. */
export function listAt(params: unknown, name: string): readonly unknown[] {
  const list: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
  return Array.isArray(list) ? list : [];
}

/** A parameter that is a text. */
export function textAt(params: unknown, name: string): string | undefined {
  if (typeof params !== 'object' || params === null) return undefined;
  const text: unknown = Reflect.get(params, name);
  return typeof text === 'string' ? text : undefined;
}
