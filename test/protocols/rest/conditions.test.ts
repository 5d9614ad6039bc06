import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failure } from '../../../src/core/errors.js';
import type { Precondition } from '../../../src/core/operations.js';
import { matchesIfNone, parseIfMatch } from '../../../src/protocols/rest/conditions.js';
import { ask, errorOf, kinds, request, servedBy } from '../../transports/http/harness.js';

describe('If-Match', () => {
  const cases: readonly (readonly [string, Precondition])[] = [
    ['*', '*'],
    [' * ', '*'],
    ['"abc"', ['abc']],
    ['"a", "b"', ['a', 'b']],
    ['"a","b" , "c"', ['a', 'b', 'c']],
    ['"a,b", "c"', ['a,b', 'c']],
    ['""', ['']],
    [', "a", ,', ['a']],
    // Weak tags never match, nor do invalid ones.
    ['W/"a"', []],
    ['W/"a", "b"', ['b']],
    ['abc', []],
    ["'abc'", []],
    ['"a', []],
    ['"a"b', []],
    ['w/"a"', []],
    ['"a b"', []],
    ['*, "a"', ['a']],
    ['', []],
  ];
  for (const [header, expected] of cases) {
    it(`${header} asks for ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(parseIfMatch(header), expected);
    });
  }
});

describe('If-None-Match', () => {
  const matching = ['*', '"h"', 'W/"h"', '"x", "h"', 'W/"x", W/"h"'];
  const others = ['h', '"x"', 'W/"x"', '"h', "'h'", '"H"', ''];
  for (const header of [...matching, ...others]) {
    const expected = matching.includes(header);
    it(`${header} ${expected ? 'names' : 'does not name'} the version "h"`, () => {
      assert.equal(matchesIfNone(header, 'h'), expected);
    });
  }
});

for (const kind of kinds) {
  describe(`conditions over REST (${kind})`, { concurrency: true }, () => {
    const served = servedBy(kind);

    const edit = '{"name":"a.txt","append":"x"}';

    served('If-Match becomes the precondition of an edit, even from several header lines', async ({ port, calls }) => {
      await ask(port, request('/edit_file', edit));
      await ask(port, request('/edit_file', edit, ['If-Match: "a"']));
      await ask(port, request('/edit_file', edit, ['If-Match: *']));
      await ask(port, request('/edit_file', edit, ['If-Match: "a"', 'if-match: W/"b", "c"']));
      assert.deepEqual(
        calls.map(({ context }) => context.precondition),
        [undefined, ['a'], '*', ['a', 'c']],
      );
    });

    served('If-Match must agree with expected_hash', async ({ port, calls }) => {
      const body = '{"name":"a.txt","expected_hash":"abc"}';
      for (const [header, status] of [
        ['"abc"', 200],
        ['"abd"', 400],
        ['"abc", "abd"', 400],
        ['W/"abc"', 400],
        ['abc', 400],
        ['*', 400],
      ] as const) {
        const { responses } = await ask(port, request('/edit_file', body, [`If-Match: ${header}`]));
        assert.equal(responses[0]?.status, status, header);
        if (status === 200) continue;
        const { code, data } = errorOf(responses[0]);
        assert.deepEqual([code, 'operation' in data], [-32600, false]);
      }
      assert.equal(calls.length, 1);
      // The schema refuses non-strings.
      await ask(port, request('/edit_file', '{"name":"a.txt","expected_hash":5}', ['If-Match: "abc"']));
      assert.equal(calls.length, 2);
    });

    served('If-Match on other operations, and If-None-Match on an edit, are refused', async ({ port, calls }) => {
      for (const [path, body, line] of [
        ['/read_file', '{"name":"a"}', 'If-Match: "a"'],
        ['/list_files', '', 'If-Match: *'],
        ['/edit_file', edit, 'If-None-Match: *'],
      ] as const) {
        const { responses } = await ask(port, request(path, body, [line]));
        const { code, data } = errorOf(responses[0]);
        assert.deepEqual([responses[0]?.status, code, 'operation' in data], [400, -32600, false], path);
      }
      assert.equal(calls.length, 0);
    });

    served(
      'a refused If-None-Match gets advice that does not lead to another refusal',
      { config: { toolsets: ['storage', 'changes'] } },
      async ({ port }) => {
        for (const [path, advice] of [
          ['/insert', /Send If-Match or expected_hash/],
          ['/create', /never overwrites/],
          ['/rename', /never overwrites/],
          ['/apply_changes', /each change has its own expected_hash/],
        ] as const) {
          const { responses } = await ask(port, request(path, '{}', ['If-None-Match: *']));
          assert.match(String(errorOf(responses[0]).data['details']), advice, path);
        }
      },
    );

    served('If-None-Match on an unchanged read: 304 with the ETag and nothing else', async ({ port }) => {
      for (const header of ['"abc123"', 'W/"abc123"', '"x", "abc123"', '*']) {
        const { responses } = await ask(port, request('/read_file', '{"name":"a"}', [`If-None-Match: ${header}`]));
        const { status, headers, body } = responses[0] ?? {
          status: 0,
          headers: new Map<string, string>(),
          body: '?',
        };
        assert.deepEqual([status, headers.get('etag'), body], [304, '"abc123"', ''], header);
        assert.equal(headers.has('content-length'), false);
        assert.equal(headers.has('x-request-id'), true);
      }
      for (const lines of [['If-None-Match: "other"'], ['If-None-Match: abc123'], []]) {
        const { responses } = await ask(port, request('/read_file', '{"name":"a"}', lines));
        assert.equal(responses[0]?.status, 200);
      }
      const { responses } = await ask(port, request('/list_files', '', ['If-None-Match: *']));
      assert.equal(responses[0]?.status, 200);
    });

    served('keeps the connection after a 304', async ({ port }) => {
      const twice = request('/read_file', '{"name":"a"}', ['If-None-Match: *']);
      const { responses } = await ask(port, [twice, twice], 2);
      assert.deepEqual(
        responses.map(({ status }) => status),
        [304, 304],
      );
    });

    served(
      'errors take precedence over 304',
      { outcome: () => failure('not_found', "File 'a' not found") },
      async ({ port }) => {
        const { responses } = await ask(port, request('/read_file', '{"name":"a"}', ['If-None-Match: *']));
        assert.equal(responses[0]?.status, 404);
      },
    );
  });
}
