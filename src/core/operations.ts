/**
 * THE TABLE: each operation once. Routes, JSON-RPC methods, validators, confinement, order and the OpenAPI document are
 * derived from these rows, and the documents are checked against them. How to add one: docs/architecture.md.
 */
import type { ErrorKindName } from './error-kinds.js';
import type { OperationSchemas, Shapes } from './schemas/members.js';
import type { Schema } from './schemas/schema.js';
import { schemas, type LargeTextName, type LineDescription, type OperationName } from './schemas.js';

export type { Schema } from './schemas/schema.js';
export type { LineDescription, LineEdit, OperationName, Params, Results, TextEdit, ValidLineEdit } from './schemas.js';

export type Toolset = 'files' | 'storage' | 'edits';

export interface Operation {
  readonly name: OperationName;
  readonly title: string;
  readonly description: string;
  readonly toolset: Toolset;
  /** False: also offered with --read-only; takes no lock and never changes the directory. */
  readonly writes: boolean;
  /** Clients should warn of it: what it replaces or removes is gone (spec 10). */
  readonly destroys?: true;
  /**
   * The parameter that is a flat file name (spec 3): checked first, confined in the worker; calls are ordered by
   * it.
   */
  readonly filename?: string;
  /** The parameters that are paths below the working directory (spec 11): checked, confined and ordered like it. */
  readonly paths?: readonly string[];
  /** The parameters that are texts of a file, also inside the items of lists: a large one arrives as a LargeText. */
  readonly largeTexts?: readonly LargeTextName[];
  /**
   * The parameter that is a list of line edits, each of which needs content or not by what it does
   * (validation/line-edits.ts).
   */
  readonly lineEdits?: string;
  /**
   * The parameters that are line numbers, as JSON pointers in which * stands for every item: a front may number lines
   * from another base (line-numbers.ts).
   */
  readonly lineNumbers?: Readonly<Record<string, LineDescription>>;
  /**
   * Whether writes that wait for the same file may be committed together (spec 6); workers/handlers.ts says how.
   */
  readonly groups?: boolean;
  /** Honours If-None-Match, and its REST answers always carry an ETag. */
  readonly conditional?: boolean;
  /** An empty REST body counts as `{}`. */
  readonly emptyBody?: boolean;
  /** Kinds of failure that not every operation on a file, a path or a write can end with. */
  readonly ownFailures?: readonly ErrorKindName[];
  readonly params: Schema;
  readonly result: Schema;
  /** For generated clients, which learn from it what a result has; MCP clients take only plain schemas. */
  readonly shapes?: Shapes;
}

/** The row of one operation. */
export type OperationOf<Name extends OperationName> = Operation & { readonly name: Name };

/** A row: what it says of itself, and what its schemas say. */
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
      'Replace, insert and delete lines of a text file and append to it, all or nothing. Every line number means the file as it was before the request.',
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
    description: 'Read a file, as text, whole or a range of lines, or as base64, or list the names in a directory.',
    toolset: 'storage',
    writes: false,
    paths: ['path'],
    ownFailures: ['invalid_range'],
  }),
  create: row('create', {
    title: 'Create file',
    description: 'Create a file with its content, and the directories that it needs; never overwrites.',
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
    description:
      'Give a file, a link or a directory another path, making the directories that it needs; never overwrites.',
    toolset: 'storage',
    writes: true,
    destroys: true,
    paths: ['old_path', 'new_path'],
    ownFailures: ['file_exists'],
  }),
  apply_edits: row('apply_edits', {
    title: 'Edit by text',
    description:
      'Find and replace texts in a file, one edit after the other, all or nothing; tells the lines that matched and what has changed as a diff.',
    toolset: 'edits',
    writes: true,
    destroys: true,
    groups: true,
    paths: ['path'],
    ownFailures: ['string_not_found', 'string_not_unique'],
  }),
};

/** In the order of the table. A map for names that anybody may have sent, so that `constructor` is no operation. */
export const operations: ReadonlyMap<string, Operation> = new Map(Object.entries(rows));

/** Names of the parameters that are texts of a file, for those who read requests. */
export const largeTexts: ReadonlySet<string> = new Set(
  [...operations.values()].flatMap(({ largeTexts = [] }) => largeTexts),
);

/**
 * What the current text must be for a write to go on (spec 5.4): one of these hashes, or any text at all for `*`.
 */
export type Precondition = '*' | readonly string[];

/**
 * A call of a model, over MCP. It may be taken as it was probably meant (spec 15), and its answer tells more than the result
 * (ForModel). It gets no more of a text than a message may hold.
 */
export interface ModelCall {
  /** Parameters that the caller has left out and its front has filled in. */
  readonly filledIn: readonly string[];
  /** How many characters (code points) of a text are of use, at most; 0: no limit. The rest is cut by the front. */
  readonly maxChars: number;
}

/** Whether its calls are about all files at once, and so take the longer the more there are. */
export function isAboutAll({ filename, paths }: Operation): boolean {
  return filename === undefined && paths === undefined;
}

/** Whether its callers can say which version of the file it may change (spec 5.4). */
export function expectsHash({ params: { properties = {} } }: Operation): boolean {
  return 'expected_hash' in properties;
}

/** The file that a call is about, as the caller named it; undefined for operations without a flat name. */
export function filenameOf(operation: Operation, params: unknown): string | undefined {
  return operation.filename === undefined ? undefined : textAt(params, operation.filename);
}

/** The paths that a call is about, as the caller wrote them. */
export function pathsOf({ paths = [] }: Operation, params: unknown): string[] {
  return paths.map((name) => textAt(params, name)).filter((path) => path !== undefined);
}

/** What a call is about, for the log and for messages: its file, or the first of its paths. */
export function subjectOf(operation: Operation, params: unknown): string | undefined {
  return filenameOf(operation, params) ?? pathsOf(operation, params)[0];
}

/** A parameter that is a text. */
export function textAt(params: unknown, name: string): string | undefined {
  if (typeof params !== 'object' || params === null) return undefined;
  const text: unknown = Reflect.get(params, name);
  return typeof text === 'string' ? text : undefined;
}
