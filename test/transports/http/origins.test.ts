import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createOrigins } from '../../../src/access/origins.js';
import { answerTo, errorOf, kinds, request, servedBy } from './harness.js';

type Verdict = 'in' | 400 | 403;

/** Bind address, Host, Origin and the verdict; https://app.example is an allowed origin everywhere. */
const cases: readonly (readonly [string, string, string | undefined, Verdict])[] = [
  ['127.0.0.1', 'localhost', undefined, 'in'],
  ['127.0.0.1', 'localhost:8080', undefined, 'in'],
  ['127.0.0.1', 'LocalHost:1', undefined, 'in'],
  ['127.0.0.1', 'agents.localhost:65535', undefined, 'in'],
  ['127.0.0.1', '127.0.0.1', undefined, 'in'],
  ['127.0.0.1', '127.200.3.4:99', undefined, 'in'],
  ['127.0.0.1', '[::1]:8080', undefined, 'in'],
  ['localhost', '[::1]', undefined, 'in'],
  ['::1', 'localhost', undefined, 'in'],
  ['0:0:0:0:0:0:0:1', 'evil.example', undefined, 403],
  ['::1', 'evil.example', undefined, 403],
  ['localhost', 'evil.example', undefined, 403],
  ['127.0.0.1', 'evil.example:8080', undefined, 403],
  ['127.0.0.1', 'localhost.evil.example', undefined, 403],
  ['127.0.0.1', 'evillocalhost', undefined, 403],
  ['127.0.0.1', '127.0.0.1.evil.example', undefined, 403],
  ['127.0.0.1', '128.0.0.1', undefined, 403],
  ['127.0.0.1', '10.0.0.1', undefined, 403],
  ['127.0.0.1', '2130706433', undefined, 403],
  ['127.0.0.1', '[::2]', undefined, 403],
  ['127.0.0.1', '', undefined, 400],
  ['127.0.0.1', 'local host', undefined, 400],
  ['127.0.0.1', 'localhost:http', undefined, 400],
  ['127.0.0.1', 'user@localhost', undefined, 400],
  ['127.0.0.1', 'localhost/evil.example', undefined, 400],
  ['0.0.0.0', 'files.example, evil.example', undefined, 400],
  ['127.0.0.1', 'localhost,', undefined, 400],
  ['127.0.0.1', '[127.0.0.1]', undefined, 400],
  ['127.0.0.1', 'a%00.localhost', undefined, 400],
  ['127.0.0.1', 'a|b.localhost', undefined, 400],
  ['0.0.0.0', 'files.example', undefined, 'in'],
  ['0.0.0.0', '10.0.0.1:8080', undefined, 'in'],
  ['::', 'evil.example', undefined, 'in'],
  // Own origins.
  ['127.0.0.1', 'localhost:8080', 'http://localhost:8080', 'in'],
  ['127.0.0.1', '127.0.0.1', 'http://127.0.0.1', 'in'],
  ['127.0.0.1', 'localhost:80', 'http://localhost', 'in'],
  ['127.0.0.1', '[::1]:8080', 'http://[::1]:8080', 'in'],
  ['0.0.0.0', '10.0.0.1:8080', 'http://10.0.0.1:8080', 'in'],
  ['0.0.0.0', 'localhost:8080', 'http://localhost:8080', 'in'],
  // Anyone can point such a name at this machine.
  ['0.0.0.0', 'evil.example:8080', 'http://evil.example:8080', 403],
  ['127.0.0.1', 'localhost:8080', 'http://localhost:9090', 403],
  ['127.0.0.1', 'localhost:8080', 'http://127.0.0.1:8080', 403],
  ['127.0.0.1', 'localhost:8080', 'https://localhost:8080', 403],
  ['127.0.0.1', 'localhost', 'http://localhost/path', 403],
  ['127.0.0.1', 'localhost', 'http://user@localhost', 403],
  // Others.
  ['127.0.0.1', 'localhost', 'https://app.example', 'in'],
  ['0.0.0.0', 'files.example', 'https://app.example', 'in'],
  ['127.0.0.1', 'localhost', 'http://app.example', 403],
  ['127.0.0.1', 'localhost', 'https://app.example.evil.example', 403],
  ['127.0.0.1', 'localhost', 'https://app.example:444', 403],
  ['127.0.0.1', 'localhost', 'https://app.example, https://app.example', 403],
  ['127.0.0.1', 'localhost', 'null', 403],
  ['127.0.0.1', 'localhost', '', 403],
  ['127.0.0.1', 'localhost', '*', 403],
  // A good origin does not help a foreign host.
  ['127.0.0.1', 'evil.example', 'https://app.example', 403],
];

/** The same over HTTPS, which has another default port. */
const secureCases: readonly (readonly [string, string, string | undefined, Verdict])[] = [
  ['127.0.0.1', 'localhost:8443', undefined, 'in'],
  ['127.0.0.1', 'evil.example', undefined, 403],
  ['127.0.0.1', 'localhost:8443', 'https://localhost:8443', 'in'],
  ['127.0.0.1', 'localhost:443', 'https://localhost', 'in'],
  ['127.0.0.1', 'localhost', 'https://localhost:443', 'in'],
  ['0.0.0.0', '10.0.0.1:8443', 'https://10.0.0.1:8443', 'in'],
  ['127.0.0.1', 'localhost:8443', 'http://localhost:8443', 403],
  ['127.0.0.1', 'localhost:80', 'http://localhost', 403],
  ['127.0.0.1', 'localhost:80', 'https://localhost', 403],
  ['127.0.0.1', 'localhost:8443', 'https://localhost:9443', 403],
  ['0.0.0.0', 'evil.example:8443', 'https://evil.example:8443', 403],
  ['127.0.0.1', 'localhost', 'https://app.example', 'in'],
];
const file = { label: '', path: '' };

describe('access control', () => {
  for (const [host, name, origin, expected] of secureCases) {
    it(`over TLS: Host "${name}", Origin ${origin ?? 'absent'}: ${String(expected)}`, () => {
      const tls = { cert: file, key: file };
      const refusal = createOrigins({ host, allowOrigins: ['https://app.example'], tls }).check(name, origin);
      assert.equal(refusal === null ? 'in' : 403, expected);
    });
  }

  for (const [host, name, origin, expected] of cases) {
    it(`bound to ${host}: Host "${name}", Origin ${origin ?? 'absent'}: ${String(expected)}`, () => {
      const origins = createOrigins({ host, allowOrigins: ['https://app.example'], tls: undefined });
      for (const time of ['first', 'second']) {
        const refusal = origins.check(name, origin);
        const verdict = refusal === null ? 'in' : refusal.kind === 'forbidden' ? 403 : 400;
        assert.equal(verdict, expected, `the ${time} time`);
      }
    });
  }

  it('does not confuse verdicts, however many hosts ask', () => {
    const origins = createOrigins({ host: '127.0.0.1', allowOrigins: [], tls: undefined });
    for (let count = 0; count < 2000; count++) {
      assert.equal(origins.check(`h${String(count)}.localhost`, undefined), null);
      assert.notEqual(origins.check(`h${String(count)}.example`, undefined), null);
      assert.notEqual(origins.check('localhost', `http://h${String(count)}.localhost`), null);
    }
  });
});

for (const kind of kinds) {
  const config = { allowOrigins: ['https://app.example'] };
  const paths = [
    'GET /',
    'GET /health',
    'GET /metrics',
    'GET /openapi.json',
    'GET /assets/status.js',
    '/read_file',
    'GET /nowhere',
  ];

  describe(`browsers (${kind})`, { concurrency: true }, () => {
    const served = servedBy(kind);

    served('are refused on every path before anything is executed', { config }, async ({ port, calls }) => {
      for (const path of paths) {
        const body = path === '/read_file' ? '{"name":"a"}' : '';
        for (const lines of [['Origin: https://evil.example'], ['Origin: null'], ['Host: evil.example']]) {
          const answer = await answerTo(port, request(path, body, lines));
          assert.equal(answer.status, 403, `${path} ${lines.join()}`);
          const { code, data } = errorOf(answer);
          assert.deepEqual([code, 'operation' in data], [-32600, false]);
          assert.equal(answer.headers.has('access-control-allow-origin'), false);
          assert.equal(answer.headers.get('vary'), lines.join().startsWith('Origin') ? 'Origin' : undefined);
        }
      }
      assert.equal(calls.length, 0);
    });

    served(
      'of an allowed origin may read every answer, with its version, request id and pause',
      { config },
      async ({ port }) => {
        for (const path of paths) {
          const body = path === '/read_file' ? '{"name":"a"}' : '';
          const { headers } = await answerTo(port, request(path, body, ['Origin: https://app.example']));
          assert.equal(headers.get('access-control-allow-origin'), 'https://app.example', path);
          assert.equal(headers.get('access-control-expose-headers'), 'ETag, Retry-After, X-Request-Id');
          assert.equal(headers.get('vary'), 'Origin');
        }
        const refused = request('/read_file', '{}', ['Origin: https://app.example', 'Transfer-Encoding: gzip']);
        const { status, headers } = await answerTo(port, refused);
        assert.deepEqual([status, headers.get('access-control-allow-origin')], [400, 'https://app.example']);
      },
    );

    served('get a preflight answered on every path', { config }, async ({ port, calls }) => {
      for (const path of ['/', '/read_file', '/health', '/nowhere']) {
        const lines = ['Origin: https://app.example', 'Access-Control-Request-Method: POST'];
        const { status, headers, body } = await answerTo(port, request(`OPTIONS ${path}`, '', lines));
        assert.deepEqual([status, body], [204, '']);
        assert.equal(headers.get('access-control-allow-origin'), 'https://app.example');
        assert.equal(headers.get('access-control-allow-methods'), 'POST');
        const allowed = headers.get('access-control-allow-headers') ?? '';
        for (const name of ['content-type', 'if-match', 'if-none-match', 'x-request-id', 'mcp-protocol-version']) {
          assert.ok(allowed.split(', ').includes(name), name);
        }
      }
      const stranger = ['Origin: https://evil.example', 'Access-Control-Request-Method: POST'];
      assert.equal((await answerTo(port, request('OPTIONS /read_file', '', stranger))).status, 403);
      assert.equal(calls.length, 0);
    });
  });
}
