/**
 * What each operation takes and gives, as schemas for clients and validators and, for the code, as the types that
 * mirror them.
 */

/** The part of JSON Schema that is used here. */
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

/** What a line number means, for callers whose first line is `first`. */
export type LineDescription = (first: 0 | 1) => string;

const startLine: LineDescription = (first) => `First line to read; lines count from ${String(first)}.`;
const endLine: LineDescription = () => 'Last line to read, itself included; one past the end means the end.';
const editedLine: LineDescription = (first) =>
  `Line of the file as it was before this request, from ${String(first)}. insert puts content before it; ${first === 1 ? 'n+1' : 'n'} is the end of a file of n lines.`;

/** Greatest line number accepted: every integer up to it is exact in a JavaScript number. */
const maxLine = Number.MAX_SAFE_INTEGER;

const name: Schema = { type: 'string', description: 'File name as list_files shows it, without a path.' };
const returnHash: Schema = {
  type: 'boolean',
  default: false,
  description: 'Add the hash of the text to the result; expected_hash takes it.',
};
const expectedHash: Schema = {
  type: 'string',
  description:
    'Hash that the file must have now, as return_hash gave it; if it has another, or does not exist, nothing is written.',
};
const hash: Schema = { type: 'string', description: 'Hash of the whole text, lower-case hex.' };

interface OperationSchemas {
  readonly params: Schema;
  readonly result: Schema;
  /** See Operation. */
  readonly lineNumbers?: Readonly<Record<string, LineDescription>>;
}

/** Of each operation, by name. Lines count from 1. */
export const schemas: Readonly<Record<OperationName, OperationSchemas>> = {
  list_files: {
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
  },
  read_file: {
    lineNumbers: { '/start_line': startLine, '/end_line': endLine },
    params: {
      type: 'object',
      properties: {
        name,
        start_line: { type: 'integer', minimum: 1, maximum: maxLine, description: startLine(1) },
        end_line: { type: 'integer', minimum: 1, maximum: maxLine, description: endLine(1) },
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
  },
  edit_file: {
    lineNumbers: { '/edits/*/line': editedLine },
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
              line: { type: 'integer', minimum: 1, maximum: maxLine, description: editedLine(1) },
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
  },
};

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
