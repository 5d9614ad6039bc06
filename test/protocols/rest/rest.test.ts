import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf, errorKindNames, failure, statusOf, type Outcome } from '../../../src/core/errors.js';
import { operations } from '../../../src/core/operations.js';
import { historyLimits, offered } from '../../operations/offered.js';
import { answerTo, errorOf, kinds, read, request, servedBy, withServer } from '../../transports/http/harness.js';

const name = '{"name":"a.txt"}';
interface TypeCase {
  readonly contentType: string | undefined;
  readonly accepted: boolean;
}

const contentTypes: readonly TypeCase[] = [
  ...[
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json ; charset = utf8',
    'application/json; Charset=UTF8',
    'application/json; profile=x; charset=utf-8',
    'application/json; profile="a;charset=latin1"',
    'application/json; charset="ut\\f-8"',
  ].map((contentType) => ({ contentType, accepted: true })),
  ...[
    undefined,
    '',
    'text/plain',
    'application/jsonx',
    'application/json-rpc',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json; charset="utf-8',
    'application/json, application/json',
    ';application/json',
    'text/plain; application/json',
  ].map((contentType) => ({ contentType, accepted: false })),
];

for (const kind of kinds) {
  describe(`REST (${kind})`, { concurrency: true }, () => {
    const served = servedBy(kind);

    served('answers each operation of the table at its own path, with its parameters', async ({ port, calls }) => {
      for (const operation of operations.keys()) {
        const { status, headers, body } = await answerTo(port, request(`/${operation}`, name));
        assert.equal(status, 200);
        assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
        assert.deepEqual(JSON.parse(body), read.ok && read.result);
      }
      assert.deepEqual(
        calls.map((call) => [call.name, call.params]),
        [...operations.keys()].map((operation) => [operation, { name: 'a.txt' }]),
      );
    });

    served(
      'has only the operations of its toolsets, and none that writes if read-only',
      { config: { readOnly: true } },
      async ({ port, calls }) => {
        const edit = await answerTo(port, request('/edit_file', name));
        assert.deepEqual([edit.status, errorOf(edit).code], [404, -32601]);
        assert.equal((await answerTo(port, request('/read_file', name))).status, 200);
        const { body } = await answerTo(port, request('GET /openapi.json'), 'GET');
        const described = [...operations.keys()].filter((operation) => body.includes(`"/${operation}":`));
        assert.deepEqual(
          described,
          offered(['files', 'storage', 'edits', 'search', 'changes', 'history'], true, historyLimits),
        );
        assert.equal(calls.length, 1);
      },
    );

    served('refuses unknown paths: 404, -32601, without an operation', async ({ port, calls }) => {
      for (const path of [
        '/nowhere',
        '/read_file/',
        '//read_file',
        '/READ_FILE',
        '/constructor',
        '/read%5Ffile',
        '/mcp//',
      ]) {
        const response = await answerTo(port, request(path, name));
        const { code, data } = errorOf(response);
        assert.deepEqual([response.status, code, 'operation' in data], [404, -32601, false], path);
        assert.equal(typeof data.details, 'string');
      }
      assert.equal(calls.length, 0);
    });

    served('names the flag that enables a missing operation', { config: { toolsets: ['files'] } }, async ({ port }) => {
      const { data } = errorOf(await answerTo(port, request('/str_replace', name)));
      assert.match(
        String(data.details),
        /^Start the server with --toolset=files,storage \(or all\) to have str_replace\. Use /,
      );
    });

    served(
      'says that no flag enables a writing operation on a read-only server',
      { config: { toolsets: ['files'], readOnly: true } },
      async ({ port }) => {
        const { data } = errorOf(await answerTo(port, request('/apply_edits', name)));
        assert.match(String(data.details), /^apply_edits writes, and this server was started with --read-only\. Use /);
      },
    );

    served('refuses other methods: 405 with Allow, -32600', async ({ port, calls }) => {
      for (const [path, allow, methods] of [
        ['/read_file', 'POST', ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']],
        ['/health', 'GET, HEAD, OPTIONS', ['POST', 'PUT', 'DELETE']],
        ['/', 'GET, HEAD, OPTIONS', ['POST', 'PATCH']],
      ] as const) {
        for (const method of methods) {
          const response = await answerTo(port, request(`${method} ${path}`), method);
          assert.deepEqual([response.status, response.headers.get('allow')], [405, allow], `${method} ${path}`);
          if (method !== 'HEAD') assert.equal(errorOf(response).code, -32600);
        }
      }
      assert.equal(calls.length, 0);
    });

    served('accepts only JSON in UTF-8, by Content-Type', async ({ port, calls }) => {
      for (const { contentType, accepted } of contentTypes) {
        const lines = contentType === undefined ? [] : [`Content-Type: ${contentType}`];
        const bytes = `POST /read_file HTTP/1.1\r\n${['Host: localhost', 'Content-Length: 16', ...lines].join('\r\n')}\r\n\r\n${name}`;
        const response = await answerTo(port, bytes);
        assert.equal(response.status, accepted ? 200 : 400, contentType);
        if (!accepted) assert.equal(errorOf(response).code, -32600);
      }
      assert.equal(calls.length, contentTypes.filter(({ accepted }) => accepted).length);
    });

    served(
      'treats an empty body as {} if the operation allows it, even without a Content-Type',
      async ({ port, calls }) => {
        for (const lines of [[], ['Content-Length: 0'], ['Content-Length: 0', 'Content-Type: text/plain']]) {
          assert.equal((await answerTo(port, request('/list_files', '', lines))).status, 200);
        }
        const inChunks = request('/list_files', '0\r\n\r\n', [
          'Transfer-Encoding: chunked',
          'Content-Type: text/plain',
        ]);
        assert.equal((await answerTo(port, inChunks)).status, 200);
        assert.equal(calls.length, 4);
        for (const { params } of calls) assert.deepEqual(params, {});

        const unfit = await answerTo(port, request('/list_files', '{}', ['Content-Type: text/plain']));
        assert.deepEqual([unfit.status, errorOf(unfit).code], [400, -32600]);
        const chunk = request('/list_files', '2\r\n{}\r\n0\r\n\r\n', [
          'Transfer-Encoding: chunked',
          'Content-Type: text/plain',
        ]);
        assert.equal((await answerTo(port, chunk)).status, 400);
        const empty = await answerTo(port, request('/read_file', '', ['Content-Type: application/json']));
        assert.deepEqual([empty.status, errorOf(empty).code], [400, -32700]);
        assert.equal(calls.length, 4);
      },
    );

    served('refuses what is not JSON in UTF-8: 400, -32700 with the operation', async ({ port, calls }) => {
      for (const body of [
        '{',
        '{"name":"a"',
        "{'name':'a'}",
        '{"name":"\xff"}',
        '\xef\xbb\xbf{}',
        '{} {}',
        '\0',
        'null,',
      ]) {
        const response = await answerTo(port, request('/read_file', body));
        const { code, message, data } = errorOf(response);
        assert.deepEqual(
          [response.status, code, message, data.operation],
          [400, -32700, 'Parse error', 'read_file'],
          body,
        );
      }
      assert.equal(calls.length, 0);
    });

    served('passes any JSON value on to the schema', async ({ port, calls }) => {
      for (const body of ['[]', '5', 'null', '"x"', '{"a":[{"b":null}]}'])
        await answerTo(port, request('/read_file', body));
      assert.deepEqual(
        calls.map(({ params }) => params),
        [[], 5, null, 'x', { a: [{ b: null }] }],
      );
    });

    served('echoes a valid X-Request-Id and replaces others', async ({ port, calls }) => {
      const sane = ['abc', 'A-1.b_2', '!"#~', 'x'.repeat(128)];
      const insane = [undefined, '', 'two words', 'x'.repeat(129), 'caf\xe9', 'a\tb'];
      const made = new Set<string>();
      for (const id of [...sane, ...insane]) {
        const lines = id === undefined ? [] : [`X-Request-Id: ${id}`];
        const { headers } = await answerTo(port, request('/read_file', name, lines));
        const answered = headers.get('x-request-id') ?? '';
        assert.equal(calls.at(-1)?.context.requestId, answered);
        if (id !== undefined && sane.includes(id)) assert.equal(answered, id);
        else made.add(answered);
      }
      assert.equal(made.size, insane.length);
      for (const id of made) assert.match(id, /^[\x21-\x7e]{1,128}$/);
      const twice = await answerTo(port, request('/read_file', name, ['X-Request-Id: a', 'X-Request-Id: b']));
      assert.notEqual(twice.headers.get('x-request-id'), 'a');
      const { headers } = await answerTo(port, request('/nowhere', '', ['X-Request-Id: lost']));
      assert.equal(headers.get('x-request-id'), 'lost');
    });

    it('renders every kind of failure with its status and code', async () => {
      let index = 0;
      await withServer(
        kind,
        async ({ port }) => {
          for (const kindName of errorKindNames) {
            const failed = failure(kindName, '');
            const [code, status] = [codeOf(failed), statusOf(failed)];
            const response = await answerTo(port, request('/read_file', name));
            const error = errorOf(response);
            assert.deepEqual([response.status, error.code, error.message], [status, code, 'What happened'], kindName);
            assert.deepEqual([error.data.operation, error.data.filename], ['read_file', 'a.txt']);
            assert.match(String(error.data.timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
            assert.equal(response.headers.has('retry-after'), status === 503, kindName);
          }
        },
        { outcome: () => failure(errorKindNames[index++] ?? 'internal', 'What happened') },
      );
    });

    it('passes on the details of a failure, with an ETag for its hash', async () => {
      const data = { errno: 'ENOSPC', applied: 'unknown', current_hash: 'beef' } as const;
      await withServer(
        kind,
        async ({ port }) => {
          const response = await answerTo(port, request('/edit_file', name));
          const error = errorOf(response);
          assert.deepEqual(
            [error.data.errno, error.data.applied, error.data.current_hash],
            ['ENOSPC', 'unknown', 'beef'],
          );
          assert.equal(response.headers.get('etag'), '"beef"');
          assert.equal(response.body.includes('secret'), false);
        },
        { outcome: () => failure('changed', "File 'a.txt' has changed", { data, cause: 'secret' }) },
      );
    });

    it('sends an ETag for every text with a hash', async () => {
      let outcome: Outcome = read;
      await withServer(
        kind,
        async ({ port }) => {
          assert.equal((await answerTo(port, request('/read_file', name))).headers.get('etag'), '"abc123"');
          outcome = { ok: true, result: {} };
          assert.equal((await answerTo(port, request('/list_files', '{}'))).headers.has('etag'), false);
        },
        { outcome: () => outcome },
      );
    });
  });
}
