/**
 * THE TABLE: each operation once. Routes, JSON-RPC methods, validators, confinement, order, the OpenAPI
 * document and the README are derived from these rows; to add an operation, add a row here, a function in
 * workers/operations/, a line in workers/handlers.ts and cases in test/operations/.
 */

/** The part of JSON Schema that the rows use. */
export interface Schema {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly const?: boolean;
  readonly default?: boolean;
  readonly format?: 'date-time';
}

export type Toolset = 'files';

export interface Operation {
  readonly name: OperationName;
  readonly title: string;
  readonly description: string;
  readonly toolset: Toolset;
  /** False: exists with --read-only too, takes no lock and never touches the directory. */
  readonly writes: boolean;
  /** The parameter that is a flat file name (CONTRACT.md 3): checked before, confined in the worker, orders the calls. */
  readonly filename?: string;
  /** The parameter that is a list of line edits, whose contents depend on what they do (validation/line-edits.ts). */
  readonly lineEdits?: string;
  /** Has `expected_hash`, so REST takes If-Match as well. */
  readonly expectsHash: boolean;
  /** Honours If-None-Match, and its REST answers always carry an ETag. */
  readonly conditional: boolean;
  /** An empty REST body counts as `{}`. */
  readonly emptyBody: boolean;
  readonly params: Schema;
  readonly result: Schema;
  /** Hints for clients, in MCP's terms. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: false;
  };
}

/** Greatest line number accepted: every integer up to it is exact in a JavaScript number. */
const maxLine = Number.MAX_SAFE_INTEGER;

const name: Schema = { type: 'string', description: 'File name without path components.' };
const returnHash: Schema = {
  type: 'boolean',
  default: false,
  description: 'Add the hash of the text to the result.',
};
const expectedHash: Schema = {
  type: 'string',
  description: 'Hash that the file must have now; if it has another, or does not exist, nothing is written.',
};
const hash: Schema = { type: 'string', description: 'Hash of the whole text, lower-case hex.' };

const rows: readonly Operation[] = [
  {
    name: 'list_files',
    title: 'List files',
    description: 'List the text files of the working directory with size, time, access and line count.',
    toolset: 'files',
    writes: false,
    expectsHash: false,
    conditional: false,
    emptyBody: true,
    params: { type: 'object', properties: {}, additionalProperties: false },
    result: {
      type: 'object',
      properties: {
        files: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string', description: 'File name without path.' },
              size: { type: 'integer', minimum: 0, description: 'Size in bytes.' },
              modified: { type: 'string', format: 'date-time', description: 'Time of the last change, UTC.' },
              readable: { type: 'boolean', description: 'Whether the file can be read.' },
              writable: { type: 'boolean', description: 'Whether the file can be edited.' },
              lines: { type: 'integer', minimum: -1, description: 'Number of lines, -1 if they cannot be counted.' },
            },
            required: ['name', 'size', 'modified', 'readable', 'writable', 'lines'],
            additionalProperties: false,
          },
        },
        total_count: { type: 'integer', minimum: 0, description: 'Number of files.' },
        directory: { type: 'string', description: 'Absolute path of the working directory.' },
      },
      required: ['files', 'total_count', 'directory'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'read_file',
    title: 'Read file',
    description: 'Read a text file, whole or a range of lines (both bounds inclusive).',
    toolset: 'files',
    writes: false,
    filename: 'name',
    expectsHash: false,
    conditional: true,
    emptyBody: false,
    params: {
      type: 'object',
      properties: {
        name,
        start_line: { type: 'integer', minimum: 1, maximum: maxLine, description: 'First line to read, from 1.' },
        end_line: {
          type: 'integer',
          minimum: 1,
          maximum: maxLine,
          description: 'Last line to read; one past the end means the end.',
        },
        return_hash: returnHash,
      },
      required: ['name'],
      additionalProperties: false,
    },
    result: {
      type: 'object',
      properties: {
        content: { type: 'string', description: 'The lines, joined with \\n, without a final separator.' },
        total_lines: { type: 'integer', minimum: 0, description: 'Number of lines of the whole file.' },
        range_requested: {
          type: 'object',
          properties: {
            start_line: { type: 'integer', minimum: 1 },
            end_line: { type: 'integer', minimum: 1 },
          },
          additionalProperties: false,
          description: 'The bounds that were given.',
        },
        hash,
      },
      required: ['content', 'total_lines'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'edit_file',
    title: 'Edit file',
    description:
      'Replace, insert and delete lines of a text file and append to it, all or nothing. Every line number means the file as it was before the request.',
    toolset: 'files',
    writes: true,
    filename: 'name',
    lineEdits: 'edits',
    expectsHash: true,
    conditional: false,
    emptyBody: false,
    params: {
      type: 'object',
      properties: {
        name,
        edits: {
          type: 'array',
          maxItems: 1000,
          description: 'Line edits; they do not shift each other.',
          items: {
            type: 'object',
            properties: {
              line: {
                type: 'integer',
                minimum: 1,
                maximum: maxLine,
                description: 'Line in the file before the request; insert puts new lines before it, n+1 at the end.',
              },
              operation: { type: 'string', enum: ['replace', 'insert', 'delete'] },
              content: { type: 'string', description: 'New text, one or more lines; not with delete.' },
            },
            required: ['line', 'operation'],
            additionalProperties: false,
          },
        },
        append: { type: 'string', description: 'Text to put at the end of the file, after all edits.' },
        create_if_missing: {
          type: 'boolean',
          default: false,
          description: 'Create the file if it does not exist.',
        },
        expected_hash: expectedHash,
        return_hash: returnHash,
      },
      required: ['name'],
      additionalProperties: false,
    },
    result: {
      type: 'object',
      properties: {
        success: { type: 'boolean', const: true },
        lines_modified: {
          type: 'integer',
          minimum: 0,
          description: 'Lines replaced + inserted + deleted + appended.',
        },
        file_created: { type: 'boolean', description: 'Whether the file is new.' },
        new_total_lines: { type: 'integer', minimum: 0, description: 'Number of lines after the edit.' },
        hash,
      },
      required: ['success', 'lines_modified', 'file_created', 'new_total_lines'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  },
];

/** By name, in the order of the table. A map and not an object, so that `constructor` is no operation. */
export const operations: ReadonlyMap<string, Operation> = new Map(rows.map((row) => [row.name, row]));

/** Parameters of each operation after validation. */
export interface Params {
  list_files: Record<string, never>;
  read_file: { name: string; start_line?: number; end_line?: number; return_hash?: boolean };
  edit_file: {
    name: string;
    edits?: readonly LineEdit[];
    append?: string;
    create_if_missing?: boolean;
    expected_hash?: string;
    return_hash?: boolean;
  };
}

export type OperationName = keyof Params;

export interface LineEdit {
  /** 1-based line number in the file as it was before the request. */
  readonly line: number;
  readonly operation: 'replace' | 'insert' | 'delete';
  readonly content?: string;
}

/**
 * What the current text must be for a write to go on (CONTRACT.md 5.4): one of these hashes, or `*`,
 * any text at all.
 */
export type Precondition = '*' | readonly string[];

/** The operations that exist on a server: those of its toolsets, and with --read-only none that writes. */
export function availableOperations(config: {
  readonly toolsets: readonly Toolset[];
  readonly readOnly: boolean;
}): ReadonlyMap<string, Operation> {
  return new Map(
    rows
      .filter((row) => config.toolsets.includes(row.toolset) && !(config.readOnly && row.writes))
      .map((row) => [row.name, row]),
  );
}

/** The file that a call is about, as the caller named it; undefined for operations without one. */
export function filenameOf(operation: Operation, params: unknown): string | undefined {
  if (operation.filename === undefined || typeof params !== 'object' || params === null) return undefined;
  const name: unknown = Reflect.get(params, operation.filename);
  return typeof name === 'string' ? name : undefined;
}
