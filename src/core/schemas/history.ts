/** Schemas of the history, and of taking changes back (spec 18). */
import { changesSchemas } from './changes.js';
import { returnHash, type OperationSchemas } from './members.js';
import type { Schema } from './schema.js';

const content = {
  type: 'object',
  properties: { hash: { type: 'string' }, size: { type: 'integer', minimum: 0 } },
  required: ['hash', 'size'],
  additionalProperties: false,
} as const satisfies Schema;

const ids = { type: 'array', items: { type: 'string' } } as const satisfies Schema;

const { apply_changes: applied } = changesSchemas;

export const historySchemas = {
  history: {
    params: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Only of this, or below it.' },
        caller: { type: 'string', description: 'By whom.' },
        after: { type: 'string', description: 'Id: later ones, oldest first.' },
        before: { type: 'string', description: 'Id: earlier ones.' },
        limit: { type: 'integer', minimum: 1, maximum: 1000, default: 50, description: 'How many.' },
        wait: {
          type: 'integer',
          minimum: 0,
          maximum: 60,
          description: 'Seconds.',
        },
      },
      additionalProperties: false,
    },
    result: {
      type: 'object',
      properties: {
        changes: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              id: { type: 'string' },
              time: { type: 'string', format: 'date-time' },
              caller: { type: 'string' },
              operation: { type: 'string' },
              files: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: {
                    path: { type: 'string' },
                    kind: { type: 'string', enum: ['edited', 'created', 'replaced', 'deleted', 'renamed'] },
                    new_path: { type: 'string' },
                    before: content,
                    after: content,
                    changed_outside: { type: 'boolean' },
                  },
                  required: ['path', 'kind'],
                  additionalProperties: false,
                },
              },
              undoes: ids,
              undone_by: { type: 'string' },
            },
            required: ['id', 'time', 'operation', 'files'],
            additionalProperties: false,
          },
        },
        last: { type: 'string', description: 'What to send as after next.' },
        truncated: { type: 'boolean', description: 'Whether there are more.' },
        gap: { type: 'boolean', description: 'Whether changes after the given id are forgotten.' },
      },
      required: ['changes', 'last', 'truncated'],
      additionalProperties: false,
    },
  },
  undo: {
    params: {
      type: 'object',
      properties: {
        changes: { ...ids, minItems: 1, maxItems: 100, description: 'Ids, or last.' },
        last: {
          type: 'integer',
          minimum: 1,
          maximum: 100,
          description: 'Your own last.',
        },
        dry_run: { type: 'boolean', default: false, description: 'Write nothing.' },
        return_hash: returnHash,
      },
      additionalProperties: false,
    },
    result: {
      type: 'object',
      properties: { ...applied.result.properties, undone: { ...ids, description: 'From the newest on.' } },
      required: [...applied.result.required, 'undone'],
      additionalProperties: false,
    },
  },
} as const satisfies Readonly<Record<string, OperationSchemas>>;
