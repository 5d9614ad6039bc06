/** Spec 16: who is let in, over both listeners, to every page, operation and protocol; and what of it is told. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { readExposition } from '../prometheus.js';
import { answerTo, ask, Client, kinds, request, type Response } from '../transports/http/harness.js';
import { hashOfToken, lendTokenServer, tokenOf, type Allowed, type TokenServer } from './token-server.js';

const files = { 'a.md': 'needle', 'b.txt': 'hidden' };
const tokens: Allowed = {
  all: {},
  'an agent, "quoted" \\ 漢': {},
  md: { paths: ['*.md'] },
  reader: { access: 'read' },
};
const good = `Authorization: Bearer ${tokenOf('all')}`;
const read = JSON.stringify({ name: 'a.md' });
/** The first new line of the log that has this. */
async function lineAfter(server: () => TokenServer, start: number, part: string): Promise<string> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; await setTimeout(20)) {
    const found = server()
      .errors()
      .slice(start)
      .split('\n')
      .slice(0, -1)
      .find((line) => line.includes(part));
    if (found !== undefined) return found;
  }
  return assert.fail(`no line with ${part}`);
}

const portOf = ({ url }: TokenServer): number => Number(new URL(url).port);

/** The answer of /read_file with these lines in the head. */
function readWith(server: TokenServer, ...lines: string[]): Promise<Response> {
  return answerTo(portOf(server), request('/read_file', read, lines));
}

/** Of a message to /mcp. */
async function mcp(
  server: TokenServer,
  name: string | undefined,
  message: unknown,
  lines: readonly string[] = [],
): Promise<Response> {
  const token = name === undefined ? [] : [`Authorization: Bearer ${tokenOf(name)}`];
  const accept = 'Accept: application/json, text/event-stream';
  return answerTo(portOf(server), request('/mcp', JSON.stringify(message), [accept, ...token, ...lines]));
}

const legacyCall = (method: string, params: object = {}, id = 1): object => ({ jsonrpc: '2.0', id, method, params });
const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modernLines = (method: string, name?: string): string[] => [
  'MCP-Protocol-Version: 2026-07-28',
  `Mcp-Method: ${method}`,
  ...(name === undefined ? [] : [`Mcp-Name: ${name}`]),
];

for (const kind of ['uws', 'node'] as const) {
  const skip = !kinds.includes(kind) && 'uWebSockets.js does not load here';
  describe(`with tokens, a server on ${kind}`, { skip }, () => {
    const server = lendTokenServer(files, tokens, { nodeListener: kind === 'node' });

    it('lets in who sends one token, as Bearer in any case', async () => {
      for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEARER', 'Bearer  ']) {
        const { status } = await readWith(server(), `Authorization: ${scheme} ${tokenOf('all')}`);
        assert.equal(status, 200, scheme);
      }
      assert.equal((await readWith(server(), `AUTHORIZATION:Bearer ${tokenOf('all')}  `)).status, 200);
    });

    for (const [title, ...lines] of [
      ['none'],
      ['an empty header', 'Authorization:'],
      ['an unknown one', 'Authorization: Bearer forged-token'],
      ['its hash', `Authorization: Bearer ${hashOfToken('all')}`],
      ['one without a scheme', `Authorization: ${tokenOf('all')}`],
      ['one as Basic', `Authorization: Basic ${Buffer.from(`all:${tokenOf('all')}`).toString('base64')}`],
      ['one after a tab', `Authorization: Bearer\t${tokenOf('all')}`],
      ['one twice', good, good],
      ['one before another', good, 'Authorization: Bearer forged-token'],
      ['one after another', 'Authorization: Bearer forged-token', good],
      ['one after an empty header', 'Authorization:', good],
      ['one before an empty header', good, 'Authorization:'],
      ['two with a comma', `${good}, Bearer ${tokenOf('all')}`],
      ['one with a character that is not ASCII', `Authorization: Bearer \xfc${tokenOf('all')}`],
      [
        'one in other headers',
        `X-Authorization: Bearer ${tokenOf('all')}`,
        `Cookie: Authorization=Bearer ${tokenOf('all')}`,
      ],
      ['one for a proxy', `Proxy-Authorization: Bearer ${tokenOf('all')}`],
      ['a long one', `Authorization: Bearer ${'x'.repeat(3000)}`],
    ] as const) {
      it(`answers 401 to ${title}`, async () => {
        const { status, headers, body } = await readWith(server(), ...lines);
        assert.equal(status, 401, body);
        assert.equal(headers.get('www-authenticate'), 'Bearer');
        assert.match(
          body,
          /^\{"error":\{"code":-32600,"message":"(?:This server needs a token|The token is unknown)",/,
        );
      });
    }

    it('does not take what it cannot read for a token', async () => {
      for (const line of [
        `${good}\0`,
        `${good}\x01`,
        `Authorization : Bearer ${tokenOf('all')}`,
        `Authorization: Bearer ${'x'.repeat(16_300)}`,
      ]) {
        const client = await Client.connect(portOf(server()));
        await client.send(request('/read_file', read, [line]));
        // uWebSockets.js says nothing to some of them.
        const { responses } = await client.reply(1, 'POST', 200);
        client.leave();
        assert.ok(
          responses.every(({ status }) => status >= 400),
          line,
        );
      }
      assert.equal((await readWith(server(), good)).status, 200);
    });

    it('takes none from the query or the body', async () => {
      const token = tokenOf('all');
      const query = `/read_file?token=${token}&access_token=${token}&Authorization=Bearer%20${token}`;
      assert.equal((await answerTo(portOf(server()), request(query, read))).status, 401);
      const body = JSON.stringify({ name: 'a.md', token, access_token: token, Authorization: `Bearer ${token}` });
      assert.equal((await answerTo(portOf(server()), request('/read_file', body))).status, 401);
      const form = `name=a.md&access_token=${token}`;
      const lines = ['Content-Type: application/x-www-form-urlencoded'];
      assert.equal((await answerTo(portOf(server()), request('/read_file', form, lines))).status, 401);
    });

    it('is open at GET and HEAD /health, and nowhere else, by no method', async () => {
      const port = portOf(server());
      const paths = [
        '/',
        '/health',
        '/metrics',
        '/openapi.json',
        '/assets/status.js',
        '/mcp',
        '/read_file',
        '/nothing',
        '/health/',
        '//health',
        '/HEALTH',
        '/%68ealth',
        '/health/../metrics',
        '/health;x',
      ];
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE']) {
        for (const path of paths) {
          const { status, headers } = await answerTo(port, request(`${method} ${path}`), method);
          const isOpen = path === '/health' && (method === 'GET' || method === 'HEAD');
          assert.equal(status, isOpen ? 200 : 401, `${method} ${path}`);
          assert.equal(headers.get('www-authenticate'), isOpen ? undefined : 'Bearer');
        }
      }
      for (const target of ['http://localhost/metrics', 'http://localhost/health', '*']) {
        const { status } = await answerTo(port, request(`GET ${target}`), 'GET');
        assert.ok(status >= 400, target);
      }
    });

    it('shows its pages to any token', async () => {
      for (const path of ['/', '/metrics', '/openapi.json', '/assets/status.js']) {
        for (const name of Object.keys(tokens)) {
          const { status } = await answerTo(
            portOf(server()),
            request(`GET ${path}`, '', [`Authorization: Bearer ${tokenOf(name)}`]),
            'GET',
          );
          assert.equal(status, 200, path);
        }
      }
    });

    it('answers preflights of allowed origins without a token, and refuses all of others', async () => {
      const port = portOf(server());
      const preflight = (origin: string): string =>
        request('OPTIONS /read_file', '', [
          `Host: localhost:${String(port)}`,
          `Origin: ${origin}`,
          'Access-Control-Request-Method: POST',
        ]);
      const allowed = await answerTo(port, preflight(`http://localhost:${String(port)}`));
      assert.equal(allowed.status, 204);
      assert.match(allowed.headers.get('access-control-allow-headers') ?? '', /authorization/);
      assert.equal((await answerTo(port, preflight('http://evil.example'))).status, 403);
      assert.equal((await readWith(server(), good, 'Origin: http://evil.example')).status, 403);
      assert.equal((await readWith(server(), good, 'Host: evil.example')).status, 403);
    });

    it('judges each request of a connection by its own token', async () => {
      const [withToken, without] = [request('/read_file', read, [good]), request('/read_file', read)];
      for (const [requests, statuses] of [
        [
          [withToken, without, withToken],
          [200, 401, 200],
        ],
        [
          [without, withToken, without],
          [401, 200, 401],
        ],
      ] as const) {
        const { responses } = await ask(portOf(server()), requests.join(''), 3);
        assert.deepEqual(responses.map(({ status }) => status), statuses); // prettier-ignore
      }
    });

    it('takes no request out of the body of one that is refused', async () => {
      const { responses } = await ask(
        portOf(server()),
        request('/read_file', request('/read_file', read, [good]), ['Connection: close']),
        2,
      );
      assert.deepEqual(responses.map(({ status }) => status), [401]); // prettier-ignore
    });

    it('refuses before it has the body', async () => {
      const head = request('/read_file', '', ['Content-Type: application/json', 'Content-Length: 900000000']);
      const { responses } = await ask(portOf(server()), `${head}{"name`, 1);
      assert.deepEqual(responses.map(({ status }) => status), [401]); // prettier-ignore
    });

    it('answers 401 to every message over MCP without a token, in JSON-RPC', async () => {
      for (const message of [
        legacyCall('initialize', {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'tests', version: '1' },
        }),
        legacyCall('ping'),
        legacyCall('tools/list'),
        legacyCall('tools/call', { name: 'read_file', arguments: { name: 'a.md' } }),
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        [legacyCall('tools/list'), legacyCall('ping', {}, 2)],
      ]) {
        const { status, headers, body } = await mcp(server(), undefined, message);
        assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Bearer']);
        assert.match(body, /^\{"jsonrpc":"2\.0","id":null,"error":\{"code":-32600,/);
      }
      const message = { ...legacyCall('server/discover'), params: { _meta: modernMeta } };
      assert.equal((await mcp(server(), undefined, message, modernLines('server/discover'))).status, 401);
      for (const method of ['GET', 'DELETE']) {
        assert.equal((await answerTo(portOf(server()), request(`${method} /mcp`), method)).status, 401);
      }
    });

    it('offers a reader over MCP only what reads, in both eras, and lets it call nothing else', async () => {
      const toolsOf = (body: string): string[] =>
        [...body.matchAll(/"name":"([a-z_]+)","title"/g)].map(([, name = '']) => name);
      const reading = ['list_files', 'read_file', 'view', 'grep', 'glob'];
      const listed = await mcp(server(), 'reader', legacyCall('tools/list'));
      assert.deepEqual(toolsOf(listed.body), reading);
      const modern = { ...legacyCall('tools/list'), params: { _meta: modernMeta } };
      const discovered = await mcp(server(), 'reader', modern, modernLines('tools/list'));
      assert.deepEqual(toolsOf(discovered.body), reading);
      assert.match(discovered.body, /"cacheScope":"private"/);
      assert.ok(toolsOf((await mcp(server(), 'md', legacyCall('tools/list'))).body).includes('apply_changes'));
      const unknown = await mcp(server(), 'reader', legacyCall('tools/call', { name: 'edit', arguments: {} }));
      assert.match(unknown.body, /The tools are list_files, read_file, view, grep, glob\./);
      for (const name of [
        'edit_file',
        'create',
        'write',
        'delete',
        'rename',
        'apply_changes',
        'apply_edits',
        'str_replace',
        'insert',
      ]) {
        const params = { name, arguments: { path: 'a.md', dry_run: true } };
        const called = await mcp(server(), 'reader', legacyCall('tools/call', params));
        assert.match(called.body, /"isError":true/);
        assert.match(called.body, /Permission denied.*\\"access\\": \\"write\\"/);
        assert.doesNotMatch(called.body, /Check the permissions/, 'the token is why, not the file');
        const modernCall = { ...legacyCall('tools/call'), params: { ...params, _meta: modernMeta } };
        const again = await mcp(server(), 'reader', modernCall, modernLines('tools/call', name));
        assert.match(again.body, /Permission denied/);
      }
    });

    it('tells by every tool for edits which token it would take, and not to look at the file', async () => {
      const edits = [{ old_string: 'needle', new_string: 'x' }];
      const params = { path: 'b.txt', edits };
      const changes = { changes: [params] };
      for (const [name, operation, sent, details] of [
        ['reader', 'apply_edits', params, /is for tokens with \\"access\\": \\"write\\"/],
        ['md', 'apply_edits', params, /ask for a token that allows this one/],
        ['md', 'apply_changes', changes, /ask for a token that allows this one/],
      ] as const) {
        const { status, text } = await server().call(name, operation, sent);
        assert.equal(status, 403, text);
        assert.match(text, /Permission denied: b\.txt\. Use what is allowed, or ask for this to be allowed\./);
        assert.match(text, details);
      }
    });

    it('names to a reader no operation that writes, in place of an unknown one', async () => {
      const unknown = await server().call('reader', 'edit', {});
      assert.equal(unknown.status, 404);
      const used = 'POST /list_files, POST /read_file, POST /view, POST /grep, POST /glob, POST /mcp (MCP).';
      assert.ok(unknown.text.includes(`Use one of: ${used}`), unknown.text);
      assert.match((await server().call('md', 'edit', {})).text, /POST \/edit_file/);
    });

    it('judges each call of a batch by the token of the request', async () => {
      const calls = ['a.md', 'b.txt', 'none.txt'].map((path, index) =>
        legacyCall('tools/call', { name: 'view', arguments: { path } }, index),
      );
      const lines = ['MCP-Protocol-Version: 2025-03-26'];
      const [all, md] = [await mcp(server(), 'all', calls, lines), await mcp(server(), 'md', calls, lines)];
      assert.ok(all.body.includes('hidden') && all.body.includes('needle'), all.body);
      assert.ok(!md.body.includes('hidden') && md.body.includes('needle'), md.body);
      assert.equal(md.body.match(/Permission denied: (?:b|none)\.txt\\n/g)?.length, 2, md.body);
    });

    it('says in the log from which address a request without a known token came', async () => {
      const before = server().errors().length;
      assert.equal((await readWith(server(), 'X-Request-Id: lost', 'Authorization: Bearer forged-token')).status, 401);
      const line = await lineAfter(server, before, '"requestId":"lost"');
      assert.match(line, /"level":"info",.*"category":"unauthorized","address":"127\.0\.0\.1"/);
    });

    it('tells names of callers in the log and the metrics, and never a token, nor its hash', async () => {
      const other = 'an agent, "quoted" \\ 漢';
      assert.equal((await server().call(other, 'read_file', { name: 'none.md' })).status, 404);
      const seen = await answerTo(portOf(server()), request('GET /metrics', '', [good]), 'GET');
      // The format is as Prometheus reads it.
      assert.ok(readExposition(seen.body).has('file_editor_caller_calls_total'));
      assert.ok(seen.body.includes('{caller="an agent, \\"quoted\\" \\\\ 漢",outcome="failed"} 1\n'), seen.body);
      const log = server().errors();
      assert.ok(log.includes(`"caller":${JSON.stringify(other)}`), log);
      for (const name of Object.keys(tokens)) {
        for (const secret of [tokenOf(name), hashOfToken(name), 'forged-token', 'xxxxxxxxxx']) {
          assert.ok(!log.includes(secret) && !seen.body.includes(secret), secret);
        }
      }
    });
  });
}

describe('a file of tokens that is read again at SIGHUP', () => {
  const server = lendTokenServer(files, tokens);
  const statusOf = async (name: string, file = 'a.md'): Promise<number> =>
    (await server().call(name, 'read_file', { name: file })).status;

  it('adds, removes, narrows and widens tokens at once, also for what is cached', async () => {
    for (let times = 0; times < 3; times++) assert.equal(await statusOf('all', 'b.txt'), 200);
    assert.match(await server().reload({ ...tokens, all: { paths: ['*.md'] }, new: {} }), /"tokens":5,/);
    assert.deepEqual([await statusOf('all', 'b.txt'), await statusOf('all'), await statusOf('new')], [403, 200, 200]);
    await server().reload({ md: {}, reader: {} });
    assert.deepEqual([await statusOf('all'), await statusOf('new'), await statusOf('md', 'b.txt')], [401, 401, 200]);
    const created = await server().call('reader', 'create', { path: 'new.md', content: 'x' });
    assert.equal(created.status, 200);
    await server().reload(tokens);
    assert.deepEqual([await statusOf('all', 'b.txt'), await statusOf('md', 'b.txt')], [200, 403]);
  });

  it('stays as it was if it is wrong, and the log says where, but no hash', async () => {
    const wrong = 'f00d'.repeat(15);
    for (const text of [
      `{"tokens": [{"name": "all",\n"sha256": "${wrong}", "access": "write"}]}`,
      `{"tokens": [\n{"${wrong}": "all"}]}`,
      `{"tokens": [\n{"name": "all", "sha256": "${wrong}`,
    ]) {
      const line = await server().reload(text);
      assert.match(line, /"level":"error".*line 2/);
      assert.ok(!line.includes('f00df00d'), line);
      assert.deepEqual(
        [await statusOf('all', 'b.txt'), await statusOf('md', 'b.txt'), await statusOf('x')],
        [200, 403, 401],
      );
    }
    await server().reload(tokens);
  });

  it('does not disturb calls under way', async () => {
    const calls = Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        server().call('all', 'edit_file', { name: 'e.txt', create_if_missing: true, append: `${String(index)}\n` }),
      ),
    );
    const reloads = (async () => {
      for (let times = 0; times < 5; times++) await server().reload(tokens);
    })();
    const [replies] = await Promise.all([calls, reloads]);
    assert.deepEqual(
      [...new Set(replies.map(({ status }) => status))],
      [200],
      replies.map(({ text }) => text).join('\n'),
    );
  });
});
