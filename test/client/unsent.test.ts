/** Mistakes are found before anything is sent, so the call was certainly not executed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FileEditor, FileEditorError, type CallOptions, type FileEditorOptions } from '../../src/client/index.js';
import { methodOf } from '../fronts/client.js';
import { done, scripted } from './scripted.js';

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

const told =
  (message: RegExp) =>
  (error: unknown): true => {
    assert.ok(error instanceof FileEditorError, String(error));
    assert.match(error.message, message);
    assert.deepEqual([error.applied, error.status], [undefined, undefined]);
    return true;
  };

describe('the URL of a client', () => {
  const wrong: readonly [string, string, RegExp][] = [
    ['without a scheme', 'localhost:18431', /"localhost:18431" is not the URL of a server.* begin with http:\/\//],
    ['of another scheme', 'ftp://127.0.0.1', /begin with http:\/\/ or https:\/\//],
    ['with an invalid port', 'http://127.0.0.1:80800', /is not the URL of a server, such as .*: Invalid URL/],
    ['without a host', 'http://', /is not the URL of a server/],
    ['with a blank in its host', 'http://local host', /is not the URL of a server/],
    ['with a password', 'http://me:secret@127.0.0.1', /send it in a header/],
    ['with a query', 'http://127.0.0.1/?', /end before \? and #/],
    ['with a fragment', 'http://127.0.0.1/#', /end before \? and #/],
  ];
  for (const [title, url, message] of wrong) {
    it(`is refused immediately ${title}`, () => {
      assert.throws(() => new FileEditor(url), told(message));
    });
  }

  for (const url of ['http://127.0.0.1:8080', new URL('https://example.org/files/'), 'http://[::1]:80', '', '/files']) {
    it(`may be ${JSON.stringify(url)}`, () => {
      assert.ok(new FileEditor(url));
    });
  }

  for (const url of ['', '/files', '127.0.0.1:18431']) {
    it(`is refused by a call if ${JSON.stringify(url)} is relative and there is no page`, async () => {
      const edit = new FileEditor(url).editFile({ name: 'a.txt', append: 'x' });
      await assert.rejects(edit, told(/^This URL cannot be called: .*edit_file/));
    });
  }

  it('is relative to the page', async (t) => {
    const pages: readonly [string, 'http' | 'none'][] = [
      ['https://example.org/editor.html', 'http'],
      ['file:///home/me/editor.html', 'none'],
    ];
    t.after(() => Reflect.deleteProperty(globalThis, 'location'));
    for (const [href, kind] of pages) {
      Object.defineProperty(globalThis, 'location', { value: { href }, configurable: true });
      if (kind === 'http') assert.ok(new FileEditor(''));
      else assert.throws(() => new FileEditor(''), told(/begin with http:\/\//));
    }
  });
});

describe('a call of the client that cannot be sent', () => {
  const cases: readonly [string, Record<string, unknown>, CallOptions, FileEditorOptions, RegExp][] = [
    [
      'for a number that JSON cannot represent',
      { append: 5n },
      {},
      {},
      /^The parameters cannot be written as JSON: .*BigInt/,
    ],
    ['for a cycle', { append: cyclic }, {}, {}, /^The parameters cannot be written as JSON: .*circular/],
    [
      'for an id that is not a valid header value',
      {},
      { requestId: 'née€' },
      {},
      /^The header X-Request-Id cannot be sent: /,
    ],
    ['for an id with a line break', {}, { requestId: 'a\nb' }, {}, /^The header X-Request-Id cannot be sent: /],
    [
      'for a header that the client sets itself',
      {},
      {},
      { headers: { 'a b': 'c' } },
      /^The header a b cannot be sent: /,
    ],
    ['for an invalid timeout', {}, { timeoutMs: NaN }, {}, /^timeoutMs has to be a number from 0, not NaN$/],
    ['for a negative timeout', {}, {}, { timeoutMs: -1 }, /^timeoutMs has to be a number from 0, not -1$/],
  ];
  for (const [title, params, options, settings, message] of cases) {
    it(`says so ${title}`, async () => {
      const network = scripted();
      const editor = new FileEditor('http://localhost', { fetch: network.fetch, ...settings });
      await assert.rejects(editor.editFile({ name: 'a.txt', append: 'x', ...params }, options), told(message));
      assert.equal(network.sent.length, 0);
    });
  }

  const ofNode: readonly [string, string, FileEditorOptions, RegExp][] = [
    ['a port that fetch blocks', 'http://127.0.0.1:1', {}, /^Nothing was sent to \/edit_file: bad port$/],
    [
      'a header that only fetch may set',
      'http://127.0.0.1:9999',
      { headers: { Expect: 'x' } },
      /^Nothing was sent to \/edit_file: expect header not supported$/,
    ],
  ];
  for (const [title, url, settings, message] of ofNode) {
    it(`says so for ${title}`, async () => {
      await assert.rejects(new FileEditor(url, settings).editFile({ name: 'a.txt', append: 'x' }), told(message));
    });
  }

  it('leaves to the server what can be sent', async () => {
    const network = scripted(done({}));
    await methodOf(new FileEditor('http://localhost', { fetch: network.fetch }), 'edit_file')({ name: 5, append: 'x' });
    const [request] = network.sent;
    assert.deepEqual([request?.url, request?.body], ['http://localhost/edit_file', { name: 5, append: 'x' }]);
  });
});

describe('a call of the client that a proxy answers with 304', () => {
  it('counts as a lost edit', async () => {
    const { fetch } = scripted({ status: 304, body: undefined });
    const edit = new FileEditor('http://localhost', { fetch }).editFile({ name: 'a.txt', append: 'x' });
    await assert.rejects(edit, { name: 'FileEditorError', status: 304, applied: 'unknown' });
  });
});

describe('the timeout of a call', () => {
  for (const timeoutMs of [Infinity, 3e9, 2 ** 31, 10_000.5]) {
    it(`may be ${String(timeoutMs)} ms`, async () => {
      const network = scripted(done({ files: [] }));
      const editor = new FileEditor('http://localhost', {
        timeoutMs,
        fetch: async (url, init) => {
          // Long enough for a timer that has overflowed to fire.
          await new Promise((resolve) => setTimeout(resolve, 20));
          return network.fetch(url, init);
        },
      });
      assert.deepEqual(await editor.listFiles(), { files: [] });
    });
  }
});
