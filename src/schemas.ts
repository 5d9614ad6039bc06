/** What each operation takes and gives, as schemas for clients and validators, and as the types that follow from them. */
import type { Schema, ValueOf } from './schema.js';

/** What a line number means, for callers whose first line is `first`. */
export type LineDescription = (first: 0 | 1) => string;

const startLine: LineDescription = (first) => `First line to read; lines count from ${String(first)}.`;
const endLine: LineDescription = () => 'Last line to read, itself included; one past the end means the end.';
const editedLine: LineDescription = (first) =>
  `Line of the file as it was before this request, from ${String(first)}. insert puts content before it; ${first === 1 ? 'n+1' : 'n'} is the end of a file of n lines.`;

/** Greatest line number accepted: every integer up to it is exact in a JavaScript number. */
const maxLine = Number.MAX_SAFE_INTEGER;

const name = {
  type: 'string',
  description: 'File name as list_files shows it, without a path.',
} as const satisfies Schema;
const returnHash = {
  type: 'boolean',
  default: false,
  description: 'Add the hash of the text to the result; expected_hash takes it.',
} as const satisfies Schema;
const expectedHash = {
  type: 'string',
  description:
    'Hash that the file must have now, as return_hash gave it; if it has another, or does not exist, nothing is written.',
} as const satisfies Schema;
const path = {
  type: 'string',
  description: 'Path below the working directory, such as notes/today.md.',
} as const satisfies Schema;
const success = { type: 'boolean', const: true } as const satisfies Schema;
const pathDone = { type: 'string', description: 'The path, as it was given.' } as const satisfies Schema;
const hash = { type: 'string', description: 'Hash of the whole text, lower-case hex.' } as const satisfies Schema;

/** What the operations that write one path answer. */
const written = {
  type: 'object',
  properties: { success, path: pathDone, hash },
  required: ['success', 'path'],
  additionalProperties: false,
} as const satisfies Schema;

interface OperationSchemas {
  readonly params: Schema;
  readonly result: Schema;
  /** See Operation. */
  readonly lineNumbers?: Readonly<Record<string, LineDescription>>;
}

/** Of each operation, by name. Lines count from 1. */
export const schemas = {
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
              operation: {
                type: 'string',
                enum: ['replace', 'insert', 'delete'],
                description: 'replace and delete mean this one line: several lines take several edits.',
              },
              content: { type: 'string', description: 'New text, one or more lines; not with delete.' },
            },
            required: ['line', 'operation'],
            additionalProperties: false,
          },
        },
        append: {
          type: 'string',
          description: 'Text to put at the end of the file, after all edits; all the text of a new file.',
        },
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
        success,
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
  view: {
    params: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Path of a file or directory; "" is the working directory.' },
        return_hash: returnHash,
      },
      required: ['path'],
      additionalProperties: false,
    },
    result: {
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['file', 'directory'] },
        content: { type: 'string', description: 'Of a file: its text, or its bytes in base64.' },
        encoding: { type: 'string', enum: ['utf-8', 'base64'], description: 'How the content is given.' },
        entries: {
          type: 'array',
          items: { type: 'string' },
          description: 'Of a directory: the names in it, by code point, without those that begin with a dot.',
        },
        size: { type: 'integer', minimum: 0, description: 'Of a file, in bytes.' },
        hash,
      },
      required: ['type'],
      additionalProperties: false,
    },
  },
  create: {
    params: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Path of the new file; missing directories on the way are made.' },
        content: { type: 'string', description: 'The text, or bytes in base64.' },
        encoding: { type: 'string', enum: ['utf-8', 'base64'], description: 'How the content is given.' },
        return_hash: returnHash,
      },
      required: ['path', 'content', 'encoding'],
      additionalProperties: false,
    },
    result: written,
  },
  str_replace: {
    params: {
      type: 'object',
      properties: {
        path,
        old_str: { type: 'string', minLength: 1, description: 'Text that is in the file exactly once.' },
        new_str: { type: 'string', description: 'Text to put in its place; may be empty.' },
        expected_hash: expectedHash,
        return_hash: returnHash,
      },
      required: ['path', 'old_str', 'new_str'],
      additionalProperties: false,
    },
    result: written,
  },
  insert: {
    params: {
      type: 'object',
      properties: {
        path,
        insert_line: {
          type: 'integer',
          description: 'Line to put the text before, from 1; one more than the file has lines is its end.',
        },
        new_str: { type: 'string', description: 'Text to insert as it is: end it with a newline to make it a line.' },
        expected_hash: expectedHash,
        return_hash: returnHash,
      },
      required: ['path', 'insert_line', 'new_str'],
      additionalProperties: false,
    },
    result: written,
  },
  delete: {
    params: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Path of a file, a link or an empty directory.' },
        expected_hash: expectedHash,
      },
      required: ['path'],
      additionalProperties: false,
    },
    result: {
      type: 'object',
      properties: { success, path: pathDone },
      required: ['success', 'path'],
      additionalProperties: false,
    },
  },
  rename: {
    params: {
      type: 'object',
      properties: {
        old_path: { type: 'string', description: 'Path of a file, a link or a directory.' },
        new_path: { type: 'string', description: 'Its new path; missing directories on the way are made.' },
      },
      required: ['old_path', 'new_path'],
      additionalProperties: false,
    },
    result: {
      type: 'object',
      properties: { success, old_path: pathDone, new_path: pathDone },
      required: ['success', 'old_path', 'new_path'],
      additionalProperties: false,
    },
  },
  apply_edits: {
    params: {
      type: 'object',
      properties: {
        path,
        edits: {
          type: 'array',
          minItems: 1,
          maxItems: 1000,
          description: 'Each finds its text in what those before it have left; one that fails, and nothing is written.',
          items: {
            type: 'object',
            properties: {
              old_string: { type: 'string', description: 'Text to find, byte for byte.' },
              new_string: { type: 'string', description: 'Text to put in its place; may be empty.' },
              replace_all: { type: 'boolean', description: 'Replace every match; otherwise there must be one.' },
              case_insensitive: { type: 'boolean', default: false, description: 'Find it in any case.' },
            },
            required: ['old_string', 'new_string'],
            additionalProperties: false,
          },
        },
        replace_all: { type: 'boolean', default: false, description: 'For edits that do not say it themselves.' },
        dry_run: { type: 'boolean', default: false, description: 'Tell what would be changed and write nothing.' },
        expected_hash: expectedHash,
        return_hash: returnHash,
      },
      required: ['path', 'edits'],
      additionalProperties: false,
    },
    result: {
      type: 'object',
      properties: {
        success,
        path: pathDone,
        edits_applied: { type: 'integer', minimum: 0 },
        total_replacements: { type: 'integer', minimum: 0 },
        replacements: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              edit: { type: 'integer', minimum: 1, description: 'Number of the edit, from 1.' },
              count: { type: 'integer', minimum: 0 },
              lines: {
                type: 'array',
                items: { type: 'integer', minimum: 1 },
                description: 'Of each replacement, in the text as this edit found it.',
              },
            },
            required: ['edit', 'count', 'lines'],
            additionalProperties: false,
          },
        },
        diff: { type: 'string', description: 'Unified diff of what has changed; empty if nothing has.' },
        dry_run: { type: 'boolean', description: 'Whether nothing was written.' },
        hash,
      },
      required: ['success', 'path', 'edits_applied', 'total_replacements', 'replacements', 'diff', 'dry_run'],
      additionalProperties: false,
    },
  },
} as const satisfies Readonly<Record<string, OperationSchemas>>;

export type OperationName = keyof typeof schemas;

/** Parameters of each operation after validation. */
export type Params = { readonly [Name in OperationName]: ValueOf<(typeof schemas)[Name]['params']> };

/** What each operation gives, as its callers see it. */
export type Results = { readonly [Name in OperationName]: ValueOf<(typeof schemas)[Name]['result']> };

/** One of `edits` of edit_file. */
export type LineEdit = NonNullable<Params['edit_file']['edits']>[number];

/** One of `edits` of apply_edits. */
export type TextEdit = Params['apply_edits']['edits'][number];
