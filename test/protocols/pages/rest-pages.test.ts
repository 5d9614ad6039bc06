import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operations } from '../../../src/core/operations.js';
import { resultSchema } from '../../../src/protocols/pages/openapi-results.js';
import { RequestHead } from '../../../src/transports/http/guard.js';
import { publishedParams } from '../../../src/core/names/filename.js';
import { platform } from '../../../src/core/platform.js';
import { answerTo, Client, first, kinds, read, request, siteOf, withServer } from '../../transports/http/harness.js';

const pages = [
  ['/', 'text/html; charset=utf-8'],
  ['/health', 'application/json; charset=utf-8'],
  ['/metrics', 'text/plain; version=0.0.4; charset=utf-8'],
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/assets/status.js', 'text/javascript; charset=utf-8'],
  ['/assets/status.css', 'text/css; charset=utf-8'],
  ['/assets/status.svg', 'image/svg+xml; charset=utf-8'],
] as const;

describe('a request for a page', () => {
  it('does not delay the release of memory, unlike a call', () => {
    let touched = 0;
    const idle = { touch: () => (touched += 1) };
    const site = siteOf(async () => read, { idle });
    const judge = (method: string, path: string): void => {
      const head = new RequestHead(method, path);
      head.take('host', 'localhost');
      site.judge(head);
    };
    for (const [path] of pages) for (const method of ['GET', 'HEAD', 'OPTIONS']) judge(method, path);
    assert.equal(touched, 0);
    judge('POST', '/read_file');
    assert.equal(touched, 1);
  });
});

for (const kind of kinds) {
  describe(`pages (${kind})`, { concurrency: true }, () => {
    it('answer GET, HEAD without a body but with its length, and OPTIONS', async () => {
      await withServer(kind, async ({ port }) => {
        for (const [path, type] of pages) {
          const got = await answerTo(port, request(`GET ${path}?query`));
          assert.deepEqual([got.status, got.headers.get('content-type')], [200, type], path);
          assert.equal(got.headers.get('content-length'), String(Buffer.byteLength(got.body)));

          const head = await Client.connect(port);
          await head.send(request(`HEAD ${path}`));
          const reply = await head.reply(1, 'HEAD');
          const { status, headers } = first(reply);
          assert.deepEqual([status, headers.get('content-type'), reply.rest], [200, type, '']);
          // Metrics change between two requests.
          assert.ok(Math.abs(Number(headers.get('content-length')) - Buffer.byteLength(got.body)) < 60);
          // No part of a body may follow later either: the client would parse it as the next answer.
          await head.send(request(`OPTIONS ${path}`));
          const options = (await head.reply(2, 'HEAD')).responses[1];
          assert.deepEqual([options?.status, options?.headers.get('allow')], [204, 'GET, HEAD, OPTIONS']);
          head.leave();
        }
      });
    });

    it("health reports the server's state: 503 unless it works", async () => {
      await withServer(kind, async (server) => {
        for (const [state, status, text] of [
          ['ok', 200, 'ok'],
          ['shutting_down', 503, 'shutting down'],
          ['no_directory', 503, 'no access to the working directory'],
        ] as const) {
          server.state = state;
          const answer = await answerTo(server.port, request('GET /health'));
          assert.equal(answer.status, status);
          assert.deepEqual(JSON.parse(answer.body), { status: text, version: '1.2.3', uptime_s: 4.568 });
        }
      });
    });

    it('the status page shows what is served, escaped, and loads nothing from elsewhere', async () => {
      await withServer(
        kind,
        async ({ port }) => {
          const { body: html } = await answerTo(port, request('GET /'));
          for (const operation of operations.keys()) assert.ok(html.includes(`POST /${operation}`));
          assert.ok(html.includes('/srv/&lt;b&gt;&amp;'));
          assert.ok(html.includes('1.2.3'));
          assert.doesNotMatch(html, /<b>|https?:|<style|style=|<script>| on\w+=/);
          const links = Array.from(html.matchAll(/(?:href|src)="([^"]*)"/g), ([, link]) => `/${link ?? ''}`);
          for (const link of links) assert.equal((await answerTo(port, request(`GET ${link}`))).status, 200, link);
          assert.equal(links.length, 7);
        },
        { config: { directory: '/srv/<b>&' } },
      );
    });

    it('the status page has lines to copy that connect clients to this server', async () => {
      await withServer(
        kind,
        async ({ port }) => {
          const { body: html } = await answerTo(port, request('GET /'));
          const address = '<span data-address>ADDRESS</span>';
          assert.ok(html.includes(`claude mcp add --transport http files ${address}/mcp`));
          const [quote, inside] = platform.commandsNeedShell ? ['&quot;', '\\&quot;'] : ["'", '&quot;'];
          const body = `{${inside}path${inside}:${inside}${inside}}`;
          const header = `${quote}Content-Type: application/json${quote}`;
          assert.ok(html.includes(`curl ${address}/view -H ${header} -d ${quote}${body}${quote}`));
          assert.ok(html.includes('&quot;--dir=/srv/ADDRESS&quot;'));
          assert.ok(html.includes('<details id="connect" open>'));
          assert.doesNotMatch(html, /--mcp-text-only<\/code>/);
          assert.doesNotMatch(html, /--toolset=agent/);
        },
        { config: { directory: '/srv/ADDRESS', toolsets: ['storage'] } },
      );
    });

    it('the status page recommends the tools for agents where nobody has chosen any', async () => {
      await withServer(
        kind,
        async ({ port }) => {
          const { body: html } = await answerTo(port, request('GET /'));
          assert.ok(html.includes('start it with <code>--toolset=agent</code>'));
          assert.ok(html.includes('&quot;--toolset=agent&quot;'));
        },
        { config: { toolsets: ['files'] } },
      );
    });

    it('the status page may load and run only its own files, and may not be framed', async () => {
      await withServer(kind, async ({ port }) => {
        const { headers } = await answerTo(port, request('GET /'));
        const policy = headers.get('content-security-policy') ?? '';
        assert.match(policy, /^default-src 'none'; /);
        assert.match(policy, /frame-ancestors 'none'/);
        assert.doesNotMatch(policy, /unsafe|\*|data:|https?:/);
      });
    });

    it('other methods than GET, HEAD and OPTIONS are not allowed', async () => {
      await withServer(kind, async ({ port }) => {
        for (const [path] of pages) {
          const { status, headers } = await answerTo(port, request(path, '{}'));
          assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD, OPTIONS'], path);
        }
      });
    });

    it('OpenAPI describes each operation with the schemas of the table', async () => {
      await withServer(kind, async ({ port }) => {
        const { body } = await answerTo(port, request('GET /openapi.json'));
        const document: unknown = JSON.parse(body);
        assert.equal(at(document, 'openapi'), '3.1.0');
        assert.equal(at(document, 'info', 'version'), '1.2.3');
        for (const row of operations.values()) {
          const post = at(document, 'paths', `/${row.name}`, 'post');
          assert.deepEqual(
            at(post, 'requestBody', 'content', 'application/json', 'schema'),
            publishedParams(row.params, row, 'portable'),
          );
          assert.deepEqual(at(post, 'responses', '200', 'content', 'application/json', 'schema'), resultSchema(row));
          assert.equal(at(post, 'operationId'), row.name);
        }
      });
    });
  });
}

/** A nested member of a value. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    assert.ok(typeof inner === 'object' && inner !== null, `nothing at ${key}`);
    return Reflect.get(inner, key);
  }, value);
}
