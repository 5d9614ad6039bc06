/** Schemas of the operations on files by flat name. Lines count from 1. */
import {
  type LineDescription,
  type OperationSchemas,
  changeId,
  endLine,
  expectedHash,
  hash,
  modified,
  rangeRequested,
  returnHash,
  size,
  success,
} from './members.js';
import type { Schema } from './schema.js';

const startLine: LineDescription = (first) => `First line to read; lines count from ${String(first)}.`;
const editedLine: LineDescription = (first) =>
  `Line of the file as it was before this request, from ${String(first)}. insert puts content before it; ${first === 1 ? 'n+1' : 'n'} is the end of a file of n lines.`;
const lastEdited = 'Last line that replace or delete affects, inclusive; default: line.';

const name = {
  type: 'string',
  description: 'File name as list_files shows it, without a path.',
} as const satisfies Schema;

export const filesSchemas = {
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
              size,
              modified,
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
    lineNumbers: { '/start_line': startLine, '/end_line': () => endLine },
    params: {
      type: 'object',
      properties: {
        name,
        start_line: { type: 'integer', minimum: 1, description: startLine(1) },
        end_line: { type: 'integer', minimum: 1, description: endLine },
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
        range_requested: rangeRequested,
        hash,
      },
      required: ['content', 'total_lines'],
      additionalProperties: false,
    },
  },
  edit_file: {
    lineNumbers: { '/edits/*/line': editedLine, '/edits/*/end_line': () => lastEdited },
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
              line: { type: 'integer', minimum: 1, description: editedLine(1) },
              end_line: { type: 'integer', minimum: 1, description: lastEdited },
              operation: {
                type: 'string',
                enum: ['replace', 'insert', 'delete'],
                description: 'replace and delete affect the lines from line to end_line. To add lines, insert.',
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
        change_id: changeId,
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
} as const satisfies Readonly<Record<string, OperationSchemas>>;
