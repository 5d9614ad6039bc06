/** Schemas of the searches. */
import { type OperationSchemas, modified, size } from './members.js';
import type { Schema } from './schema.js';

const where = {
  type: 'string',
  default: '',
  description: 'Directory to search, with all below it; "" is the working directory.',
} as const satisfies Schema;
const cursor = {
  type: 'string',
  description: 'The cursor of the last answer, to go on after it with the same other parameters.',
} as const satisfies Schema;
const hidden = {
  type: 'boolean',
  default: false,
  description: 'Include names that begin with a dot; .git is never searched unless path is in it.',
} as const satisfies Schema;
const ignored = {
  type: 'boolean',
  default: false,
  description: 'Include what .gitignore files exclude.',
} as const satisfies Schema;
const truncated = { type: 'boolean', description: 'Whether more is left.' } as const satisfies Schema;
const nextCursor = { type: 'string', description: 'Only if more is left: send it to go on.' } as const satisfies Schema;

export const searchSchemas = {
  glob: {
    params: {
      type: 'object',
      properties: {
        pattern: {
          type: 'string',
          minLength: 1,
          description:
            'Such as *.ts or src/**/*.{js,ts}. Without a slash it is matched against the last name at any depth, otherwise against the whole path below path. A leading ! finds all others.',
        },
        path: where,
        sort: {
          type: 'string',
          enum: ['path', 'modified'],
          default: 'path',
          description: 'Order of the files; modified: the newest first.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 100_000,
          default: 1000,
          description: 'Most files in one answer.',
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
              path: { type: 'string', description: 'Path below the working directory.' },
              size,
              modified,
            },
            required: ['path', 'size', 'modified'],
            additionalProperties: false,
          },
        },
        total: { type: 'integer', minimum: 0, description: 'Number of all files that match.' },
        truncated,
        cursor: nextCursor,
      },
      required: ['files', 'total', 'truncated'],
      additionalProperties: false,
    },
  },
} as const satisfies Readonly<Record<string, OperationSchemas>>;
