/** Schemas of the operations on whole files. */
import { type OperationSchemas, encoding, hash, pathDone, returnHash, success } from './members.js';

export const changesSchemas = {
  write: {
    params: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Path of the file; missing parent directories are created.' },
        content: { type: 'string', description: 'Its whole content: the text, or bytes in base64.' },
        encoding,
        expected_hash: {
          type: 'string',
          description: 'Needed to replace a file: the hash that it must have now, or "*" for any.',
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
        path: pathDone,
        created: { type: 'boolean', description: 'Whether the file is new.' },
        hash,
      },
      required: ['success', 'path', 'created'],
      additionalProperties: false,
    },
  },
} as const satisfies Readonly<Record<string, OperationSchemas>>;
