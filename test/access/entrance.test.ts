/** Spec 8 and 16: which requests are let in, before anything else is done with them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { corsHeaders, preflightHeaders } from '../../src/access/origins.js';
import { Entrance, isPreflight } from '../../src/access/entrance.js';
import type { Caller } from '../../src/access/permission.js';
import { statusOf, codeOf } from '../../src/core/errors.js';
import { RequestHead } from '../../src/transports/http/guard.js';

const seven: Caller = { name: 'seven', access: 'write' };
const tokens = { callerOf: (header: string | undefined) => (header === 'Bearer good' ? seven : undefined) };
const config = { host: '127.0.0.1', allowOrigins: ['https://app.example'], tls: undefined, paths: undefined };

/** A request line and its headers, by their names in lower case. */
function headOf(
  method: string,
  path: string,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
): RequestHead {
  const head = new RequestHead(method, path);
  for (const [name, values] of Object.entries({ host: 'localhost', ...headers })) {
    for (const value of [values].flat()) head.take(name, value);
  }
  return head;
}

/** The status of a request: 200 if it is let in. */
function statusAt(entrance: Entrance, head: RequestHead): number {
  const refused = entrance.admit(head);
  return refused === null ? 200 : statusOf(refused.failure);
}

const pages = ['/', '/metrics', '/openapi.json', '/assets/status.js', '/assets/status.css', '/assets/status.svg'];
const others = [
  '/read_file',
  '/list_files',
  '/mcp',
  '/',
  '/unknown',
  '/health/',
  '/Health',
  '//health',
  '/health/x',
  '*',
];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

describe('with tokens, a request', () => {
  const entrance = new Entrance(config, tokens);
  for (const method of methods) {
    it(`by ${method} needs one everywhere${['GET', 'HEAD'].includes(method) ? ' but at /health' : ''}`, () => {
      for (const path of [...pages, ...others, '/health']) {
        const isOpen = path === '/health' && (method === 'GET' || method === 'HEAD');
        assert.equal(statusAt(entrance, headOf(method, path)), isOpen ? 200 : 401, path);
        assert.equal(
          statusAt(entrance, headOf(method, path, { authorization: 'Bearer bad' })),
          isOpen ? 200 : 401,
          path,
        );
        assert.equal(statusAt(entrance, headOf(method, path, { authorization: 'Bearer good' })), 200, path);
      }
    });
  }

  it('has its caller from then on; at /health it has none', () => {
    const [call, health] = [headOf('POST', '/read_file', { authorization: 'Bearer good' }), headOf('GET', '/health')];
    entrance.admit(call);
    entrance.admit(health);
    assert.deepEqual([call.caller, health.caller], [seven, undefined]);
  });

  it('is refused as MCP and RFC 6750 ask for', () => {
    for (const authorization of [[], ['Bearer bad'], ['Bearer good', 'Bearer good'], ['Basic good']]) {
      const refused = entrance.admit(headOf('POST', '/mcp', { authorization }));
      assert.ok(refused !== null);
      assert.deepEqual([statusOf(refused.failure), codeOf(refused.failure)], [401, -32600]);
      assert.deepEqual(refused.headers, ['WWW-Authenticate', 'Bearer']);
      const { message, details } = refused.failure;
      assert.ok(![message, details].some((text) => /bad|good/.test(text)), `${message} ${details}`);
    }
  });

  it('may carry it in no other header', () => {
    const names = [
      'proxy-authorization',
      'x-authorization',
      'x-api-key',
      'cookie',
      'authorization-',
      'www-authenticate',
    ];
    for (const name of names)
      assert.equal(statusAt(entrance, headOf('GET', '/metrics', { [name]: 'Bearer good' })), 401);
  });

  it('carries exactly one: of several nobody knows which one a proxy has looked at', () => {
    for (const authorization of [
      ['Bearer good', 'Bearer good'],
      ['Bearer good', 'Bearer bad'],
      ['Bearer bad', 'Bearer good'],
      ['', 'Bearer good'],
      ['Bearer good', ''],
      ['Basic x', 'Bearer good'],
    ]) {
      assert.equal(statusAt(entrance, headOf('GET', '/metrics', { authorization })), 401, authorization.join(' | '));
    }
  });
});

describe('a page of a browser', () => {
  const entrance = new Entrance(config, tokens);
  const ask = (origin: string, path = '/read_file'): RequestHead =>
    headOf('OPTIONS', path, { origin, 'access-control-request-method': 'POST' });

  it('asks without a token whether it may send one, if its origin is allowed', () => {
    for (const path of ['/read_file', '/mcp', '/health', '/unknown']) {
      const head = ask('https://app.example', path);
      assert.equal(entrance.admit(head), null, path);
      assert.ok(isPreflight(head));
      assert.equal(head.caller, undefined);
    }
    assert.match(preflightHeaders(true).join(), /Access-Control-Allow-Headers,authorization, /);
    assert.ok(!preflightHeaders(false).join().includes('authorization'));
  });

  it('of another origin is refused, with a token too', () => {
    assert.equal(statusAt(entrance, ask('https://evil.example')), 403);
    const head = headOf('POST', '/read_file', { origin: 'https://evil.example', authorization: 'Bearer good' });
    assert.equal(statusAt(entrance, head), 403);
    assert.equal(head.caller, undefined);
  });

  it('of an allowed origin may read that it needs a token', () => {
    const head = headOf('POST', '/read_file', { origin: 'https://app.example' });
    assert.equal(statusAt(entrance, head), 401);
    assert.equal(head.allowedOrigin, 'https://app.example');
    assert.ok(corsHeaders('https://app.example').includes('https://app.example'));
  });
});

describe('a refusal before a request is let in', () => {
  it('may be read by a page of an allowed origin, and of no other', () => {
    const entrance = new Entrance(config, tokens);
    for (const [origin, host, allowed] of [
      ['https://app.example', ['localhost'], 'https://app.example'],
      ['https://evil.example', ['localhost'], undefined],
      ['https://app.example', ['localhost', 'localhost'], undefined],
      ['https://app.example', ['evil.example'], undefined],
    ] as const) {
      const head = headOf('POST', '/read_file', { origin, host });
      entrance.allowOrigin(head);
      assert.equal(head.allowedOrigin, allowed, `${origin} ${host.join()}`);
    }
  });
});

describe('with tokens, a foreign Host', () => {
  it('is refused before the token is looked at, also at /health', () => {
    const looked: (string | undefined)[] = [];
    const entrance = new Entrance(config, {
      callerOf: (header) => {
        looked.push(header);
        return seven;
      },
    });
    for (const [method, path] of [
      ['GET', '/health'],
      ['POST', '/read_file'],
      ['OPTIONS', '/mcp'],
    ] as const) {
      const head = headOf(method, path, { host: 'evil.example', authorization: 'Bearer good' });
      assert.equal(statusAt(entrance, head), 403);
    }
    assert.deepEqual(looked, []);
  });
});

describe('without tokens', () => {
  it('everyone is let in, whatever the header says', () => {
    const entrance = new Entrance(config);
    for (const authorization of ['', 'Bearer bad', 'Basic x']) {
      const head = headOf('POST', '/read_file', { authorization });
      assert.equal(statusAt(entrance, head), 200);
      assert.equal(head.caller, undefined);
    }
  });

  it('everyone is held to the paths of the server', () => {
    const entrance = new Entrance({ ...config, paths: ['src/**'] });
    const head = headOf('POST', '/read_file', {});
    assert.equal(statusAt(entrance, head), 200);
    assert.deepEqual(head.caller?.readable?.limits, { server: ['src/**'] });
    assert.equal(head.caller.name, undefined);
  });
});
