/** `GET /openapi.json`: the operation table as OpenAPI 3.1, whose schemas are JSON Schemas. */
import type { Operation, Schema } from '../operations.js';

type Json = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };

const errorSchema: Json = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'integer', description: 'JSON-RPC error code.' },
        message: text,
        data: {
          type: 'object',
          properties: {
            filename: text,
            operation: text,
            timestamp: { type: 'string', format: 'date-time' },
            details: { type: 'string', description: 'What to do next.' },
            errno: { type: 'string', description: 'System error name, such as ENOSPC.' },
            applied: {
              enum: [true, 'unknown'],
              description: 'Present only where the file may have changed although the request failed.',
            },
            reason: { type: 'string', description: 'Of the storage tools: what went wrong, such as file_not_found.' },
            path: { type: 'string', description: 'Of the storage tools: the path that it is about, as it was given.' },
            current_hash: { type: 'string', description: 'Hash of the text now, where another one was expected.' },
          },
          required: ['timestamp', 'details'],
        },
      },
      required: ['code', 'message', 'data'],
    },
  },
  required: ['error'],
};

/** The document for these operations. */
export function openApi(operations: Iterable<Operation>, version: string): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) paths[`/${operation.name}`] = { post: describe(operation) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'File editing server',
      version,
      description: 'Lists, reads and edits the text files of one directory. Line numbers start at 1.',
    },
    paths: { ...paths, ...pages },
    components: { schemas: { Error: errorSchema } },
  };
}

function describe(operation: Operation): Json {
  const tagged = operation.conditional || operation.params.properties?.['return_hash'] !== undefined;
  return {
    operationId: operation.name,
    summary: operation.title,
    description: operation.description,
    parameters: [
      header(
        'X-Request-Id',
        'Echoed in the answer, and named where the log tells of a call: a success has no line there.',
      ),
      ...(operation.expectsHash
        ? [header('If-Match', 'As expected_hash: ETags of which the file must have one.')]
        : []),
      ...(operation.conditional
        ? [header('If-None-Match', 'ETags that are known: 304 if the file has one of them.')]
        : []),
    ],
    requestBody: { required: !operation.emptyBody, content: json(operation.params) },
    responses: {
      200: {
        description: 'Done.',
        content: json(operation.result),
        headers: tagged ? { ETag: { description: 'Hash of the whole text, in quotes.', schema: text } } : {},
      },
      ...(operation.conditional ? { 304: { description: 'The file has one of the versions in If-None-Match.' } } : {}),
      default: { description: 'Not done.', content: json({ $ref: '#/components/schemas/Error' }) },
    },
  };
}

const pages: Json = {
  '/health': { get: page('Whether the server works', 'application/json') },
  '/metrics': { get: page('Counters for Prometheus', 'text/plain') },
  '/openapi.json': { get: page('This document', 'application/json') },
  '/': { get: page('Status page for people', 'text/html') },
};

function page(summary: string, type: string): Json {
  return { summary, responses: { 200: { description: summary, content: { [type]: {} } } } };
}

function header(name: string, description: string): Json {
  return { name, in: 'header', description, schema: text };
}

function json(schema: Schema | Json): Json {
  return { 'application/json': { schema } };
}
