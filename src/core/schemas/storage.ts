/** Schemas of the storage tools. Lines count from 1. */
import {
  type OperationSchemas,
  changeId,
  encoding,
  endLine,
  expectedHash,
  hash,
  notice,
  path,
  pathDone,
  rangeRequested,
  returnHash,
  success,
} from './members.js';
import type { Schema } from './schema.js';

const startLine = 'First line, from 1.';

/** Result of operations that write one path. */
const written = {
  type: 'object',
  properties: { success, change_id: changeId, path: pathDone, hash },
  required: ['success', 'path'],
  additionalProperties: false,
} as const satisfies Schema;

/** Result of operations that edit one text. */
const edited = {
  ...written,
  properties: { success, change_id: changeId, path: pathDone, notice, hash },
} as const satisfies Schema;

/** What a view tells of a file. */
const ofFile = {
  content: { type: 'string', description: 'For a file: its text, a range of lines, or its bytes in base64.' },
  encoding: { type: 'string', enum: ['utf-8', 'base64'], description: 'Encoding of the content.' },
  size: { type: 'integer', minimum: 0, description: 'Of a file, in bytes.' },
  total_lines: {
    type: 'integer',
    minimum: 0,
    description: 'With a range of lines: line count of the whole file.',
  },
  range_requested: rangeRequested,
  hash,
} as const satisfies Readonly<Record<string, Schema>>;

export const storageSchemas = {
  view: {
    lineNumbers: {
      '/start_line': () => startLine,
      '/end_line': () => endLine,
      '/files/*/start_line': () => startLine,
      '/files/*/end_line': () => endLine,
    },
    shapes: {
      by: 'type',
      kinds: {
        file: { required: ['content', 'encoding', 'size'], optional: ['total_lines', 'range_requested', 'hash'] },
        directory: { required: ['entries'] },
        files: { required: ['files', 'truncated'] },
      },
    },
    params: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'File or directory; "" is the root.' },
        start_line: { type: 'integer', minimum: 1, description: startLine },
        end_line: { type: 'integer', minimum: 1, description: endLine },
        files: {
          type: 'array',
          minItems: 1,
          maxItems: 50,
          description: 'Several files, in place of path.',
          items: {
            type: 'object',
            properties: {
              path: { type: 'string' },
              start_line: { type: 'integer', minimum: 1 },
              end_line: { type: 'integer', minimum: 1 },
            },
            required: ['path'],
            additionalProperties: false,
          },
        },
        return_hash: returnHash,
        before_change: { type: 'string', description: 'Id: as before it.' },
      },
      additionalProperties: false,
    },
    result: {
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['file', 'directory', 'files'] },
        ...ofFile,
        entries: {
          type: 'array',
          items: { type: 'string' },
          description: 'For a directory: its entry names in code point order, without those that begin with a dot.',
        },
        files: {
          type: 'array',
          description: 'For several files: the result for each, in the order of the request, or why it has none.',
          items: {
            type: 'object',
            properties: {
              path: pathDone,
              type: { type: 'string', enum: ['file'] },
              ...ofFile,
              error: {
                type: 'object',
                properties: {
                  reason: { type: 'string', description: 'As in the `data.reason` of a failed call.' },
                  message: { type: 'string' },
                  details: { type: 'string', description: 'What to do next.' },
                },
                required: ['reason', 'message', 'details'],
                additionalProperties: false,
              },
            },
            required: ['path'],
            additionalProperties: false,
          },
        },
        truncated: {
          type: 'boolean',
          description: 'For several files: whether there was no room for all that was asked for.',
        },
      },
      required: ['type'],
      additionalProperties: false,
    },
  },
  create: {
    params: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Path of the new file; missing directories are made.' },
        content: { type: 'string', description: 'The text, or bytes in base64.' },
        encoding,
        return_hash: returnHash,
      },
      required: ['path', 'content'],
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
    result: edited,
  },
  insert: {
    params: {
      type: 'object',
      properties: {
        path,
        insert_line: {
          type: 'integer',
          description: 'Line to insert before, from 1; the number of lines plus 1 is the end of the file.',
        },
        new_str: { type: 'string', description: 'Text to insert verbatim; end it with a newline to make it a line.' },
        expected_hash: expectedHash,
        return_hash: returnHash,
      },
      required: ['path', 'insert_line', 'new_str'],
      additionalProperties: false,
    },
    result: edited,
  },
  delete: {
    params: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'What to delete.' },
        expected_hash: expectedHash,
      },
      required: ['path'],
      additionalProperties: false,
    },
    result: {
      type: 'object',
      properties: { success, change_id: changeId, path: pathDone },
      required: ['success', 'path'],
      additionalProperties: false,
    },
  },
  rename: {
    params: {
      type: 'object',
      properties: {
        old_path: { type: 'string', description: 'What to move.' },
        new_path: { type: 'string', description: 'Its new path; missing directories are made.' },
      },
      required: ['old_path', 'new_path'],
      additionalProperties: false,
    },
    result: {
      type: 'object',
      properties: { success, change_id: changeId, old_path: pathDone, new_path: pathDone },
      required: ['success', 'old_path', 'new_path'],
      additionalProperties: false,
    },
  },
} as const satisfies Readonly<Record<string, OperationSchemas>>;
