/** Schemas of the operations on whole files, and on several at once. */
import { textEdit } from './edits.js';
import {
  type OperationSchemas,
  changeId,
  encoding,
  expectedHash,
  hash,
  notice,
  path,
  pathDone,
  returnHash,
  success,
} from './members.js';

export const changesSchemas = {
  write: {
    params: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'File; missing directories are made.' },
        content: { type: 'string', description: 'All of it: text, or bytes in base64.' },
        encoding,
        expected_hash: {
          type: 'string',
          description: 'To replace a file: its hash, from view with return_hash, or "*" for any.',
        },
        return_hash: returnHash,
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    result: {
      type: 'object',
      properties: {
        success,
        change_id: changeId,
        path: pathDone,
        created: { type: 'boolean', description: 'Whether the file is new.' },
        hash,
      },
      required: ['success', 'path', 'created'],
      additionalProperties: false,
    },
  },
  apply_changes: {
    params: {
      type: 'object',
      properties: {
        changes: {
          type: 'array',
          minItems: 1,
          maxItems: 100,
          description: 'Each has path and one of edits, content, delete, rename_to.',
          items: {
            type: 'object',
            properties: {
              path,
              glob: {
                type: 'string',
                minLength: 1,
                description:
                  'In place of path: edits of all files that match, passed over where old_string is missing. ./name is the top directory only.',
              },
              edits: {
                type: 'array',
                minItems: 1,
                maxItems: 1000,
                description: 'Each sees what the one before made. Of UTF-8 only: else send content in base64.',
                items: textEdit,
              },
              content: {
                type: 'string',
                description: 'The whole file. To replace one, send expected_hash, "*" for any version.',
              },
              encoding,
              delete: { type: 'boolean', description: 'Delete it.' },
              rename_to: {
                type: 'string',
                description:
                  'New path of a file (rename moves directories); nothing may be there. Also beside edits or content.',
              },
              expected_hash: expectedHash,
            },
            additionalProperties: false,
          },
        },
        dry_run: { type: 'boolean', default: false, description: 'Write nothing.' },
        return_hash: returnHash,
      },
      required: ['changes'],
      additionalProperties: false,
    },
    result: {
      type: 'object',
      properties: {
        success,
        change_id: changeId,
        changes: {
          type: 'array',
          description: 'In the order of the request.',
          items: {
            type: 'object',
            properties: {
              path: pathDone,
              kind: { type: 'string', enum: ['edited', 'created', 'replaced', 'deleted', 'renamed'] },
              new_path: { type: 'string', description: 'Of a renamed file.' },
              edits_applied: { type: 'integer', minimum: 0 },
              total_replacements: { type: 'integer', minimum: 0 },
              notice,
              hash,
            },
            required: ['path', 'kind'],
            additionalProperties: false,
          },
        },
        files_changed: { type: 'integer', minimum: 0, description: 'Files whose bytes or name change.' },
        diff: { type: 'string', description: 'One diff of all changes, for `git apply`; empty if there is none.' },
        dry_run: { type: 'boolean', description: 'Whether nothing was written.' },
      },
      required: ['success', 'changes', 'files_changed', 'diff', 'dry_run'],
      additionalProperties: false,
    },
  },
} as const satisfies Readonly<Record<string, OperationSchemas>>;
