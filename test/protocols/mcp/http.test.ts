/** `POST /mcp` on both listeners: the rules for headers and bodies, and the status of each answer. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { failure, type Outcome } from '../../../src/core/errors.js';
import { answerTo, ask, Client, kinds, request, servedBy } from '../../transports/http/harness.js';
import { editCall, initialize, legacy, modern, modernMeta, readCall, versionKey, type Message } from './messages.js';

type Headers = Readonly<Record<string, string | undefined>>;

const json = { 'Content-Type': 'application/json' };
const version = (revision: string): Headers => ({ 'MCP-Protocol-Version': revision });
const mirrors = (method: string, name?: string): Headers => ({
  ...version('2026-07-28'),
  'Mcp-Method': method,
  'Mcp-Name': name,
});
const success: Outcome = { ok: true, result: { content: Buffer.from('"x"'), total_lines: 1 }, hash: 'abc' };

/** The bytes of a request, as Latin-1; undefined headers are omitted. A string is sent verbatim. */
function post(message: unknown, headers: Headers = {}, method = 'POST', path = '/mcp'): string {
  const body = typeof message === 'string' ? message : Buffer.from(JSON.stringify(message)).toString('latin1');
  const all: Headers = { Host: 'localhost', ...json, ...headers };
  const lines = Object.entries(all)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${String(value)}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, `Content-Length: ${body.length}`, '', body].join('\r\n');
}

/** Status, and for each answer its id and its code or `true`. */
function brief({ status, body }: { readonly status: number; readonly body: string }): unknown {
  const one = (answer: unknown): unknown => {
    const { jsonrpc, id, error } = answer as { jsonrpc: unknown; id: unknown; error?: { code: number } };
    assert.equal(jsonrpc, '2.0');
    return [id, error === undefined ? true : error.code];
  };
  if (body === '') return [status];
  const parsed: unknown = JSON.parse(body);
  return [status, Array.isArray(parsed) ? parsed.map(one) : one(parsed)];
}

const notification: Message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
const encodedName = `=?base64?${Buffer.from('read_file').toString('base64')}?=`;

const exchanges: readonly (readonly [title: string, message: unknown, headers: Headers, answer: unknown])[] = [
  // The legacy era.
  ['initialize', initialize(), {}, [200, [1, true]]],
  ['initialize of an unknown revision', initialize('1900-01-01'), {}, [200, [1, true]]],
  ['a request without the header, which means 2025-03-26', legacy('tools/list'), {}, [200, [1, true]]],
  ...['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'].map(
    (revision) => [`a request of ${revision}`, legacy('ping'), version(revision), [200, [1, true]]] as const,
  ),
  ['an unknown revision in the header', legacy('ping'), version('1900-01-01'), [400, [1, -32022]]],
  ['a notification with an unknown revision', notification, version('1900-01-01'), [400, [null, -32022]]],
  ['a call', legacy('tools/call', readCall), {}, [200, [1, true]]],
  ['a plain method, which is for stdio', legacy('read_file', { name: 'a.txt' }), {}, [200, [1, -32601]]],
  ['a notification', notification, {}, [202]],
  ['a response', { jsonrpc: '2.0', id: 1, result: {} }, {}, [202]],
  ['a response of the modern era', { jsonrpc: '2.0', id: 1, error: { code: 1 } }, version('2026-07-28'), [202]],
  [
    'a response with an unknown revision',
    { jsonrpc: '2.0', id: 1, result: {} },
    version('1900-01-01'),
    [400, [null, -32022]],
  ],
  ['params that are null', { jsonrpc: '2.0', id: 1, method: 'ping', params: null }, {}, [200, [1, true]]],
  ['a cursor that is null', legacy('tools/list', { cursor: null }), {}, [200, [1, true]]],
  ['an unknown notification', { jsonrpc: '2.0', method: 'notifications/x' }, version('2025-11-25'), [202]],
  [
    'a session that was never started',
    legacy('ping'),
    { 'Mcp-Session-Id': 'x', 'Last-Event-ID': '1' },
    [200, [1, true]],
  ],
  ['null for the id', legacy('ping', {}, null), {}, [400, [null, -32600]]],
  [
    'a batch without the header',
    [legacy('ping', {}, 1), legacy('tools/call', readCall, 2), notification],
    {},
    [
      200,
      [
        [1, true],
        [2, true],
      ],
    ],
  ],
  ['a batch of 2025-03-26', [legacy('ping')], version('2025-03-26'), [200, [[1, true]]]],
  ['a batch of notifications', [notification, notification], {}, [202]],
  ['a batch of a response', [{ jsonrpc: '2.0', id: 1, result: {} }], {}, [202]],
  [
    'a batch with a message not allowed in one',
    [initialize(), modern('ping', {}, undefined, 2), 7],
    {},
    [
      200,
      [
        [1, -32600],
        [2, -32600],
        [null, -32600],
      ],
    ],
  ],
  ['a batch of 2025-06-18', [legacy('ping')], version('2025-06-18'), [400, [null, -32600]]],
  ['a batch of the modern era', [modern('server/discover')], version('2026-07-28'), [400, [null, -32600]]],

  // The modern era.
  ['server/discover', modern('server/discover'), mirrors('server/discover'), [200, [1, true]]],
  ['tools/list', modern('tools/list'), mirrors('tools/list'), [200, [1, true]]],
  ['tools/call', modern('tools/call', readCall), mirrors('tools/call', 'read_file'), [200, [1, true]]],
  ['a name in Base64', modern('tools/call', readCall), mirrors('tools/call', encodedName), [200, [1, true]]],
  ['a session id', modern('tools/list'), { ...mirrors('tools/list'), 'Mcp-Session-Id': 'x' }, [200, [1, true]]],
  ['a notification of the modern era', { ...notification, params: { _meta: modernMeta } }, {}, [202]],
  [
    'a notification without client information',
    { ...notification, params: { _meta: { [versionKey]: '2026-07-28' } } },
    {},
    [202],
  ],
  [
    'a call without an id, hidden by its headers',
    { ...modern('tools/call', editCall), id: undefined },
    mirrors('tools/list'),
    [400, [null, -32020]],
  ],
  [
    'a legacy call without an id, under modern headers',
    { ...legacy('tools/call', editCall), id: undefined },
    mirrors('tools/list'),
    [400, [null, -32602]],
  ],
  [
    'an unknown tool, with the same name in the header',
    modern('tools/call', { name: 'x' }),
    mirrors('tools/call', 'x'),
    [200, [1, -32602]],
  ],
  ['an unknown method of the modern era', modern('ping'), mirrors('ping'), [404, [1, -32601]]],
  ['no revision in the header', modern('tools/list'), { 'Mcp-Method': 'tools/list' }, [400, [1, -32020]]],
  [
    'another revision in the header',
    modern('tools/list'),
    { ...mirrors('tools/list'), ...version('2025-11-25') },
    [400, [1, -32020]],
  ],
  [
    'a supported revision in the header, an unsupported one in the body',
    modern('tools/list', {}, { ...modernMeta, [versionKey]: '2099-01-01' }),
    mirrors('tools/list'),
    [400, [1, -32020]],
  ],
  [
    'an unsupported revision, and no headers',
    modern('tools/list', {}, { ...modernMeta, [versionKey]: '2099-01-01' }),
    {},
    [400, [1, -32022]],
  ],
  ['no method in the header', modern('tools/list'), version('2026-07-28'), [400, [1, -32020]]],
  ['another method in the header', modern('tools/list'), mirrors('tools/call'), [400, [1, -32020]]],
  ['the method in different case', modern('tools/list'), mirrors('Tools/List'), [400, [1, -32020]]],
  ['no name in the header', modern('tools/call', readCall), mirrors('tools/call'), [400, [1, -32020]]],
  [
    'another name in the header',
    modern('tools/call', editCall),
    mirrors('tools/call', 'read_file'),
    [400, [1, -32020]],
  ],
  [
    "a name that is not the Base64 of the body's",
    modern('tools/call', readCall),
    mirrors('tools/call', '=?base64?eA==?='),
    [400, [1, -32020]],
  ],
  ['initialize under a modern header', initialize(), version('2026-07-28'), [400, [1, -32020]]],
  ['a modern header without _meta', legacy('tools/list'), version('2026-07-28'), [400, [1, -32602]]],
  [
    'an unsupported revision',
    modern('tools/list', {}, { ...modernMeta, [versionKey]: '2099-01-01' }),
    { ...mirrors('tools/list'), ...version('2099-01-01') },
    [400, [1, -32022]],
  ],

  // Not a message.
  ['bad JSON', '{"jsonrpc":', {}, [400, [null, -32700]]],
  ['an empty body', '', {}, [400, [null, -32700]]],
  ['no body at all', '', { 'Content-Type': undefined }, [400, [null, -32700]]],
  ['bytes that are not UTF-8', '"\u00ff"', {}, [400, [null, -32700]]],
  ['a string', '"ping"', {}, [400, [null, -32600]]],
  ['an envelope without a version', { id: 3, method: 'ping' }, {}, [400, [3, -32600]]],
  ['an empty batch', [], {}, [400, [null, -32600]]],
  [
    'too many values',
    `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[${'1,'.repeat(200_000)}1]}`,
    {},
    [400, [4, -32602]],
  ],
  [
    'arguments of a tool with too many values',
    legacy('tools/call', {
      name: 'edit_file',
      arguments: { name: 'a', edits: Array.from({ length: 200_000 }, () => 1) },
    }),
    {},
    [200, [1, true]],
  ],
  ['another content type', legacy('ping'), { 'Content-Type': 'text/plain' }, [400, [null, -32600]]],
  ['no content type', legacy('ping'), { 'Content-Type': undefined }, [400, [null, -32600]]],
  ['a foreign origin', legacy('tools/call', editCall), { Origin: 'http://example.com' }, [403, [null, -32600]]],
  ['an origin of null', legacy('tools/call', editCall), { Origin: 'null' }, [403, [null, -32600]]],
  ['a foreign host', legacy('tools/call', editCall), { Host: 'example.com' }, [403, [null, -32600]]],
];

for (const kind of kinds) {
  describe(`MCP over HTTP (${kind})`, { concurrency: true }, () => {
    const served = servedBy(kind);

    for (const path of ['/mcp', '/mcp/']) {
      served(`answers each message with its status at ${path}`, { outcome: () => success }, async ({ port }) => {
        for (const [title, message, headers, expected] of exchanges) {
          const response = await answerTo(port, post(message, headers, 'POST', path));
          assert.deepEqual(brief(response), expected, title);
          if (response.body !== '') {
            assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8', title);
          }
          assert.ok(response.headers.get('x-request-id'), title);
          assert.equal(response.headers.get('mcp-session-id'), undefined, title);
        }
      });
    }

    served('makes no call for a refused request', { outcome: () => success }, async ({ port, calls }) => {
      const refused = exchanges.filter(([, , , answer]) => !JSON.stringify(answer).includes('true'));
      for (const [, message, headers] of refused) await answerTo(port, post(message, headers));
      assert.equal(calls.length, 0);
    });

    served('makes a call without an id, and sends no answer', { outcome: () => success }, async ({ port, calls }) => {
      const call = { ...modern('tools/call', editCall), id: undefined };
      assert.deepEqual(brief(await answerTo(port, post(call, mirrors('tools/call', 'edit_file')))), [202]);
      assert.equal(calls.length, 1);
    });

    for (const method of ['GET', 'DELETE', 'PUT']) {
      served(`accepts only POST: ${method}`, async ({ port }) => {
        for (const path of ['/mcp', '/mcp/']) {
          const response = await answerTo(port, post('', {}, method, path), method);
          assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST']);
          assert.deepEqual(brief(response), [405, [null, -32600]]);
        }
      });
    }

    served(
      'admits pages of an allowed origin at either path',
      { config: { allowOrigins: ['https://ide.example'] } },
      async ({ port }) => {
        for (const path of ['/mcp', '/mcp/']) {
          const origin = { Origin: 'https://ide.example' };
          const preflight = await answerTo(port, post('', origin, 'OPTIONS', path), 'OPTIONS');
          const answered = await answerTo(port, post(legacy('ping'), origin, 'POST', path));
          for (const [{ status, headers }, expected] of [[preflight, 204] as const, [answered, 200] as const]) {
            assert.deepEqual([status, headers.get('access-control-allow-origin')], [expected, origin.Origin], path);
          }
        }
      },
    );

    served(
      'answers a failed tool call with 200 and text for the model',
      { outcome: () => failure('busy', 'Server is busy') },
      async ({ port }) => {
        const { status, body } = await answerTo(port, post(legacy('tools/call', readCall)));
        assert.equal(status, 200);
        assert.match(body, /"text":"Error: Server is busy\\n[^"]+"\}\],"isError":true/);
      },
    );

    served(
      'answers an internal error with 500, and keeps running',
      { outcome: () => Promise.reject(new Error('a defect')) },
      async ({ port }) => {
        const broken = await answerTo(port, post(legacy('tools/call', readCall)));
        assert.deepEqual(brief(broken), [500, [1, -32603]]);
        assert.deepEqual(brief(await answerTo(port, post(legacy('ping')))), [200, [1, true]]);
      },
    );

    served(
      'answers an internal error in a batch at its place, with the results of the other calls',
      { outcome: ({ name }) => (name === 'edit_file' ? success : Promise.reject(new Error('a defect'))) },
      async ({ port }) => {
        const batch = [
          legacy('tools/call', editCall, 1),
          legacy('tools/call', readCall, 2),
          { ...legacy('tools/call', readCall), id: undefined },
        ];
        const told = [
          [1, true],
          [2, -32603],
        ];
        assert.deepEqual(brief(await answerTo(port, post(batch))), [200, told]);
      },
    );

    served('ends the answer to a notification, so no client waits for more', async ({ port }) => {
      const client = await Client.connect(port);
      await client.send(post(notification));
      await client.reply();
      await client.send(post(legacy('ping')));
      const { responses } = await client.reply(2);
      client.leave();
      assert.deepEqual(responses.map(brief), [[202], [200, [1, true]]]);
      assert.equal(responses[0]?.headers.get('content-length'), '0');
    });

    served('ends it on a closing connection, too', async ({ port }) => {
      const body = JSON.stringify(notification);
      const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      const lines = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
      const { responses, rest } = await ask(port, request('/mcp', chunks, lines));
      assert.deepEqual(
        responses.map(({ status, headers }) => [status, headers.get('content-length')]),
        [[202, '0']],
      );
      assert.equal(rest, '');
    });

    served(
      'passes the request id on, and admits web pages of allowed origins',
      { outcome: () => success, config: { allowOrigins: ['http://app.example'] } },
      async ({ port, calls }) => {
        const origin = 'http://app.example';
        const headers = { Origin: origin, 'X-Request-Id': 'mine' };
        const response = await answerTo(port, post(legacy('tools/call', readCall), headers));
        assert.equal(response.headers.get('access-control-allow-origin'), origin);
        assert.equal(response.headers.get('x-request-id'), 'mine');
        assert.equal(calls[0]?.context.requestId, 'mine');
        const preflight = await answerTo(port, post('', { Origin: origin }, 'OPTIONS'), 'OPTIONS');
        assert.equal(preflight.status, 204);
        assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /mcp-method, mcp-name/);
      },
    );

    served('refuses a body over the limit', async ({ port, calls }) => {
      const client = await Client.connect(port);
      await client.send(post(legacy('tools/call', { ...editCall, arguments: { append: 'x'.repeat(1_048_576) } })));
      const { responses } = await client.reply();
      client.leave();
      assert.deepEqual(responses.map(brief), [[413, [null, -32600]]]);
      assert.equal(calls.length, 0);
    });

    served(
      'makes the calls of one connection in order, from the very first',
      { outcome: () => success },
      async ({ port, calls }) => {
        const edit = (name: string): string => post(legacy('tools/call', { name: 'edit_file', arguments: { name } }));
        const names = ['a', 'b', 'c'];
        const clients = await Promise.all(names.map(() => Client.connect(port)));
        for (const [index, client] of clients.entries()) await client.send(edit(names[index] ?? ''));
        for (const client of clients) {
          assert.equal((await client.reply()).responses[0]?.status, 200);
          client.leave();
        }
        assert.equal(calls.length, names.length);
      },
    );
  });
}
