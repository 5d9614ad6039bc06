/** `GET /openapi.json`: the operation table as OpenAPI 3.1, whose schemas are JSON Schemas. */
import { errorExample, examples } from './examples.js';
import { expectsHash, type Operation, type Schema } from '../../core/operations.js';
import { stateText } from './status.js';
import { publishedParams, type NameRule } from '../../core/names/filename.js';
import { failuresOf } from './openapi-failures.js';
import { headersOf, textSchema, resultSchema, shapesOf, type Json } from './openapi-results.js';

const errorSchema: Json = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'integer', description: 'JSON-RPC error code.' },
        message: textSchema,
        data: {
          type: 'object',
          properties: {
            filename: textSchema,
            operation: textSchema,
            timestamp: { type: 'string', format: 'date-time' },
            details: { type: 'string', description: 'What to do next.' },
            errno: { type: 'string', description: 'System error name, such as ENOSPC.' },
            applied: {
              enum: [true, 'unknown'],
              description: 'Present only where the file may have changed although the request failed.',
            },
            reason: {
              type: 'string',
              description: 'Of the storage and edits tools: what went wrong, such as file_not_found.',
            },
            path: {
              type: 'string',
              description: 'Of the storage and edits tools: the path that it is about, as it was given.',
            },
            change: {
              type: 'integer',
              description: 'Of several changes: the number of the one that failed, from 1.',
            },
            current_hash: {
              type: 'string',
              description: 'Hash of the file now, where another one, or one at all, was expected.',
            },
          },
          required: ['timestamp', 'details'],
        },
      },
      required: ['code', 'message', 'data'],
    },
  },
  required: ['error'],
  examples: [errorExample],
};

/** The facts about a server in the document, besides its operations. */
interface About {
  readonly version: string;
  readonly names: NameRule;
  /** Whether requests need a token. */
  readonly hasTokens: boolean;
}

const withToken = { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } };
const refusedToken = {
  401: { description: 'The token is missing or unknown.', content: json({ $ref: '#/components/schemas/Error' }) },
};

/** The document for these operations. */
export function openApi(rows: Iterable<Operation>, about: About): Json {
  const { version, hasTokens } = about;
  const operations = [...rows];
  const paths = operations.map((operation) => [`/${operation.name}`, { post: describe(operation, about) }] as const);
  return {
    openapi: '3.1.0',
    info: {
      title: 'File editing server',
      version,
      description: 'Lists, reads and edits the text files of one directory. Line numbers start at 1.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    // Client certificates belong to the connection.
    security: hasTokens ? [{ token: [] }] : [],
    paths: { ...Object.fromEntries(paths), ...pages },
    components: {
      ...(hasTokens ? withToken : {}),
      schemas: { Error: errorSchema, ...shapesOf(operations) },
      headers: {
        'X-Request-Id': {
          description: 'That of the request, or a new one: where the log tells of a call it has the same.',
          schema: textSchema,
        },
      },
    },
  };
}

function describe(operation: Operation, { names, hasTokens }: About): Json {
  const { name, title, description, toolset, params } = operation;
  const tagged = operation.conditional || operation.result.properties?.['hash'] !== undefined;
  const tag = { ETag: { description: 'Hash of the whole text, in quotes.', schema: textSchema } };
  const { [name]: example } = examples;
  return {
    operationId: name,
    tags: [toolset],
    summary: title,
    description,
    parameters: parametersOf(operation),
    requestBody: {
      required: !operation.emptyBody,
      content: json(publishedParams(params, operation, names), example.params),
    },
    responses: {
      200: {
        description: 'Done.',
        headers: headersOf(tagged ? tag : {}),
        content: json(resultSchema(operation), example.result),
      },
      ...(operation.conditional
        ? { 304: { description: 'The file has one of the versions in If-None-Match.', headers: headersOf(tag) } }
        : {}),
      ...(hasTokens ? refusedToken : {}),
      ...failuresOf(operation),
      default: { description: 'Not done.', content: json({ $ref: '#/components/schemas/Error' }) },
    },
  };
}

function parametersOf(operation: Operation): Json[] {
  const { filename, paths, changes, conditional } = operation;
  const subject = filename ?? (changes === undefined ? paths?.[0] : 'the path of the first change');
  return [
    header(
      'X-Request-Id',
      'Echoed in the answer, and named where the log tells of a call: of one that succeeded at --log-level=debug only.',
    ),
    ...(subject === undefined
      ? []
      : [
          {
            name: 'name',
            in: 'query',
            description: `The same as ${subject}. The server ignores it; a load balancer can send each file to one server by it.`,
            schema: textSchema,
          },
        ]),
    ...(expectsHash(operation) ? [header('If-Match', 'As expected_hash: ETags of which the file must have one.')] : []),
    ...(conditional ? [header('If-None-Match', 'ETags that are known: 304 if the file has one of them.')] : []),
  ];
}

const health: Json = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: Object.values(stateText) },
    version: textSchema,
    uptime_s: { type: 'number', description: 'Seconds since the start.' },
  },
  required: ['status', 'version', 'uptime_s'],
};

const pages: Json = {
  '/mcp': {
    post: {
      operationId: 'mcp',
      tags: ['pages'],
      summary: 'The Model Context Protocol',
      description: 'Messages of JSON-RPC 2.0, as its specification says; without sessions and streams.',
      requestBody: { required: true, content: json({ type: 'object' }) },
      responses: {
        200: { description: 'The answer to a request.', content: json({ type: 'object' }) },
        202: { description: 'A notification was taken.' },
        default: { description: 'No message that can be answered.', content: json({ type: 'object' }) },
      },
    },
  },
  '/health': {
    get: {
      ...page('health', 'Whether the server works'),
      // The only one that never needs a token.
      security: [],
      responses: {
        200: { description: 'It works.', content: json(health) },
        503: { description: 'It is shutting down, or its directory is missing.', content: json(health) },
      },
    },
  },
  '/metrics': { get: page('metrics', 'Figures for Prometheus, in its text format 0.0.4', 'text/plain') },
  '/openapi.json': { get: page('openapi', 'This document', 'application/json') },
  '/': { get: page('status', 'Status page for people', 'text/html') },
  '/assets/status.js': { get: page('statusScript', 'Script of the status page', 'text/javascript') },
  '/assets/status.css': { get: page('statusStyle', 'Style of the status page', 'text/css') },
  '/assets/status.svg': { get: page('statusIcon', 'Icon of the status page', 'image/svg+xml') },
};

function page(operationId: string, summary: string, type?: string): Json {
  const content = type === undefined ? {} : { content: { [type]: {} } };
  return { operationId, tags: ['pages'], summary, responses: { 200: { description: summary, ...content } } };
}

function header(name: string, description: string): Json {
  return { name, in: 'header', description, schema: textSchema };
}

function json(schema: Schema | Json, example?: unknown): Json {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}
