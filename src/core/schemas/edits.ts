/** Schemas of the operation that edits by text. Lines count from 1. */
import type { Schema } from './schema.js';
import {
  type OperationSchemas,
  changeId,
  expectedHash,
  hash,
  notice,
  path,
  pathDone,
  returnHash,
  success,
} from './members.js';

export const textEdit = {
  type: 'object',
  properties: {
    old_string: {
      type: 'string',
      description: 'Text to replace, byte for byte: once in the file, unless replace_all.',
    },
    at: {
      type: 'string',
      enum: ['start', 'end'],
      description: 'Instead of old_string: add new_string there; start is behind a BOM.',
    },
    new_string: { type: 'string', description: 'New text; may be empty.' },
    replace_all: { type: 'boolean', description: 'Replace every match.' },
    case_insensitive: { type: 'boolean', default: false, description: 'Ignore case.' },
    whole_word: { type: 'boolean', default: false },
  },
  required: ['new_string'],
  additionalProperties: false,
} as const satisfies Schema;

export const editsSchemas = {
  apply_edits: {
    params: {
      type: 'object',
      properties: {
        path,
        edits: {
          type: 'array',
          minItems: 1,
          maxItems: 1000,
          description: 'Each is matched against the result of the previous ones; if one fails, nothing is written.',
          items: textEdit,
        },
        replace_all: { type: 'boolean', default: false, description: 'Default for edits that do not set it.' },
        dry_run: { type: 'boolean', default: false, description: 'Write nothing.' },
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
        change_id: changeId,
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
                description: 'Line of each replacement, in the text as this edit found it: the first 1000 at most.',
              },
            },
            required: ['edit', 'count', 'lines'],
            additionalProperties: false,
          },
        },
        diff: { type: 'string', description: 'Unified diff of the change; empty if there is none.' },
        dry_run: { type: 'boolean', description: 'Whether nothing was written.' },
        notice,
        hash,
      },
      required: ['success', 'path', 'edits_applied', 'total_replacements', 'replacements', 'diff', 'dry_run'],
      additionalProperties: false,
    },
  },
} as const satisfies Readonly<Record<string, OperationSchemas>>;
