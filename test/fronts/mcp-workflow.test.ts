/** The complete workflow of an MCP client, step by step, over both transports. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { availableOperations } from '../../src/config/offer.js';
import { withDirectory } from '../directory.js';
import { startHttpServer, startProgram } from './server-process.js';

type Json = Readonly<Record<string, unknown>>;

/** A client that knows only JSON. */
interface RawClient {
  readonly request: (method: string, params: object) => Promise<Json>;
  readonly notify: (method: string, params: object) => Promise<void>;
  readonly close: () => Promise<unknown>;
}

function overStdio(directory: string): Promise<RawClient> {
  const server = startProgram([`--dir=${directory}`, '--transport=stdio', '--log-level=silent']);
  const waiting = new Map<unknown, (answer: Json) => void>();
  server.lines.on('line', (line) => {
    const answer = JSON.parse(line) as Json;
    waiting.get(answer['id'])?.(answer);
  });
  let lastId = 0;
  return Promise.resolve({
    request: (method, params) =>
      new Promise((resolve) => {
        waiting.set(++lastId, resolve);
        server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })}\n`);
      }),
    notify: async (method, params) => {
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`);
    },
    close: () => server.stop(),
  });
}

async function overHttp(directory: string): Promise<RawClient> {
  const server = await startHttpServer(directory, {});
  const post = (message: object): Promise<Response> =>
    fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  let lastId = 0;
  return {
    request: async (method, params) => {
      const response = await post({ id: ++lastId, method, params });
      assert.equal(response.status, 200);
      const answer = (await response.json()) as Json;
      assert.equal(answer['id'], lastId);
      return answer;
    },
    notify: async (method, params) => {
      const response = await post({ method, params });
      assert.deepEqual([response.status, await response.text()], [202, '']);
    },
    close: () => server.stop(),
  };
}

const insert = (line: number, content: string): object => ({ line, content, operation: 'insert' });

async function workflow(client: RawClient): Promise<void> {
  const resultOf = async (method: string, params: object): Promise<Json> => {
    const { jsonrpc, result, error } = await client.request(method, params);
    assert.deepEqual([jsonrpc, error], ['2.0', undefined]);
    return result as Json;
  };
  const textOf = async (name: string, given: object, isError = false): Promise<string> => {
    const result = await resultOf('tools/call', { name, arguments: given });
    assert.equal(result['isError'], isError);
    return String((result['content'] as readonly Json[])[0]?.['text']);
  };

  const initialized = await resultOf('initialize', {
    protocolVersion: '2024-11-05',
    capabilities: { tools: {} },
    clientInfo: { name: 'test-client', version: '1.0.0' },
  });
  assert.equal(initialized['protocolVersion'], '2024-11-05');
  assert.ok((initialized['capabilities'] as Json)['tools']);
  await client.notify('notifications/initialized', {});

  const tools = (await resultOf('tools/list', {}))['tools'] as readonly { name: string; annotations: Json }[];
  assert.deepEqual(
    tools.map(({ name, annotations }) => [name, annotations['readOnlyHint'], annotations['destructiveHint']]),
    [...availableOperations({ toolsets: ['files'], readOnly: false }).values()].map(({ name, writes, destroys }) => [
      name,
      !writes,
      destroys ?? false,
    ]),
  );

  assert.match(await textOf('list_files', {}), /Total files: 0/);

  const lines = ['line1', 'line2', 'line3', 'line4', 'line5'];
  const created = await textOf('edit_file', { name: 'test.txt', edits: lines.map((line, at) => insert(at, line)) });
  assert.match(created, /File created: true/);

  const listed = await textOf('list_files', {});
  assert.match(listed, /Total files: 1/);
  assert.match(listed, /name: test\.txt/);

  assert.equal(await textOf('read_file', { name: 'test.txt' }), `File: test.txt (5 lines)\n\n${lines.join('\n')}`);

  const replace = { line: 2, content: 'modified line 3', operation: 'replace' };
  await textOf('edit_file', { name: 'test.txt', edits: [replace] });
  assert.equal(
    await textOf('read_file', { name: 'test.txt', start_line: 2, end_line: 2 }),
    'File: test.txt (lines 2-2 of 5 total)\n\nmodified line 3',
  );

  assert.match(await textOf('read_file', { name: 'missing.txt' }, true), /^Error: File 'missing\.txt' not found\n/);
}

describe('the workflow of an MCP client', () => {
  for (const [transport, open] of [
    ['stdio', overStdio],
    ['HTTP', overHttp],
  ] as const) {
    it(`over ${transport}`, () =>
      withDirectory({}, async (directory) => {
        const client = await open(directory);
        try {
          await workflow(client);
        } finally {
          await client.close();
        }
      }));
  }
});
