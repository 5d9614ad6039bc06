/** Schemas of the searches. */
import { type OperationSchemas, hash, modified, returnHash, size } from './members.js';
import type { Schema } from './schema.js';

const where = {
  type: 'string',
  default: '',
  description: 'Directory; "" is everything.',
} as const satisfies Schema;
const cursor = {
  type: 'string',
  description: 'From the last answer, to go on.',
} as const satisfies Schema;
const hidden = {
  type: 'boolean',
  default: false,
  description: 'Also hidden names.',
} as const satisfies Schema;
const ignored = {
  type: 'boolean',
  default: false,
  description: 'Also what .gitignore excludes.',
} as const satisfies Schema;
const truncated = { type: 'boolean', description: 'Whether more is left.' } as const satisfies Schema;
const note = {
  type: 'string',
  description: 'If nothing was found: why that may be, and what to send instead.',
} as const satisfies Schema;
const nextCursor = { type: 'string', description: 'Only if more is left: send it to go on.' } as const satisfies Schema;

const foundPath = { type: 'string', description: 'Path below the working directory.' } as const satisfies Schema;
const contextLines = { type: 'array', items: { type: 'string' } } as const satisfies Schema;

export const searchSchemas = {
  grep: {
    params: {
      type: 'object',
      properties: {
        pattern: {
          type: 'string',
          description: 'JavaScript regular expression without lookaround and backreferences.',
        },
        path: {
          type: 'string',
          default: '',
          description: 'File or directory; "" is everything.',
        },
        glob: {
          type: 'string',
          minLength: 1,
          description: 'Only files whose names match: *.ts, ./*.ts (top directory only), src/**/*.{js,ts}, !*.md.',
        },
        literal: { type: 'boolean', default: false, description: 'Take the pattern as text.' },
        ignore_case: { type: 'boolean', default: false, description: 'Ignore case.' },
        context: {
          type: 'integer',
          minimum: 0,
          maximum: 10,
          default: 0,
          description: 'Lines before and after each.',
        },
        mode: {
          type: 'string',
          enum: ['lines', 'files', 'count'],
          default: 'lines',
          description: 'files: only count, by file; count: only in all.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 10_000,
          default: 200,
          description: 'Most lines, or files in mode files.',
        },
        cursor,
        hidden,
        ignored,
        return_hash: { ...returnHash, description: 'Add the hash of each file.' },
      },
      required: ['pattern'],
      additionalProperties: false,
    },
    result: {
      type: 'object',
      properties: {
        files: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              path: foundPath,
              count: { type: 'integer', minimum: 1, description: 'Matching lines in the whole file.' },
              matches: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: {
                    line: { type: 'integer', minimum: 1, description: 'Number of the line, from 1.' },
                    text: {
                      type: 'string',
                      description: 'The line; of one longer than 500 characters, the part around its first match.',
                    },
                    before: { ...contextLines, description: 'The lines before it, if context was asked for.' },
                    after: { ...contextLines, description: 'The lines after it, if context was asked for.' },
                  },
                  required: ['line', 'text'],
                  additionalProperties: false,
                },
                description: 'Only in mode lines.',
              },
              hash,
            },
            required: ['path', 'count'],
            additionalProperties: false,
          },
        },
        total_matches: { type: 'integer', minimum: 0, description: 'Number of matching lines in this answer.' },
        total_files: { type: 'integer', minimum: 0, description: 'Number of files in this answer.' },
        searched: { type: 'integer', minimum: 0, description: 'Number of text files that were searched.' },
        skipped: {
          type: 'object',
          properties: {
            binary: { type: 'integer', minimum: 0, description: 'Files that are not UTF-8 text.' },
            too_large: { type: 'integer', minimum: 0, description: 'Files larger than --max-size.' },
            unreadable: { type: 'integer', minimum: 0, description: 'Files and directories that could not be read.' },
          },
          required: ['binary', 'too_large', 'unreadable'],
          additionalProperties: false,
          description: 'Number of files and directories that were left out.',
        },
        truncated,
        cursor: nextCursor,
        note,
      },
      required: ['files', 'total_matches', 'total_files', 'searched', 'skipped', 'truncated'],
      additionalProperties: false,
    },
  },
  glob: {
    params: {
      type: 'object',
      properties: {
        pattern: {
          type: 'string',
          minLength: 1,
          description: 'Such as *.ts (at any depth), ./*.ts (top directory only), src/**/*.{js,ts}, !*.md.',
        },
        path: where,
        sort: {
          type: 'string',
          enum: ['path', 'modified'],
          default: 'path',
          description: 'modified: newest first.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 100_000,
          default: 1000,
          description: 'Most files.',
        },
        cursor,
        hidden,
        ignored,
      },
      required: ['pattern'],
      additionalProperties: false,
    },
    result: {
      type: 'object',
      properties: {
        files: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              path: foundPath,
              size,
              modified,
            },
            required: ['path', 'size', 'modified'],
            additionalProperties: false,
          },
        },
        total: { type: 'integer', minimum: 0, description: 'Number of all files that match.' },
        skipped: {
          type: 'object',
          properties: {
            unreadable: { type: 'integer', minimum: 1, description: 'Files and directories that could not be read.' },
          },
          required: ['unreadable'],
          additionalProperties: false,
          description: 'Only if anything could not be read.',
        },
        truncated,
        cursor: nextCursor,
        note,
      },
      required: ['files', 'total', 'truncated'],
      additionalProperties: false,
    },
  },
} as const satisfies Readonly<Record<string, OperationSchemas>>;
