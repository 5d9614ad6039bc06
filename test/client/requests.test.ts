import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FileEditor, FileEditorError, type Fetch } from '../../src/client/index.js';
import { examples } from '../../src/protocols/pages/examples.js';
import { operations, subjectOf } from '../../src/core/operations.js';
import { withDirectory } from '../directory.js';
import { methodOf } from '../fronts/client.js';
import { startHttpServer } from '../fronts/server-process.js';
import { done, lost, notFound, scripted } from './scripted.js';

describe('the client', () => {
  for (const row of operations.values()) {
    it(`has a method for ${row.name} that names the file to load balancers and retries unless it writes`, async () => {
      const { params: all, result } = examples[row.name];
      const params = Object.fromEntries(Object.entries(all).filter(([name]) => name !== 'expected_hash'));
      const network = scripted(lost, done(result));
      const editor = new FileEditor('http://localhost:8080/', { fetch: network.fetch });
      const method = methodOf(editor, row.name);
      const call = row.name === 'list_files' ? method() : method(params);
      if (row.writes) await assert.rejects(call, { applied: 'unknown' });
      else assert.deepEqual(await call, result);
      const [request] = network.sent;
      assert.ok(request);
      const { pathname, searchParams, origin } = new URL(request.url);
      assert.deepEqual([origin, pathname], ['http://localhost:8080', `/${row.name}`]);
      assert.equal(searchParams.get('name') ?? undefined, subjectOf(row, params));
      assert.deepEqual(request.body, params);
      assert.equal(request.headers.get('content-type'), 'application/json');
    });
  }

  it('sends its token, unless its headers hold another login', async () => {
    const network = scripted(done({}), done({}));
    const { fetch } = network;
    await new FileEditor('/files', { fetch, token: 't' }).view({ path: '' });
    await new FileEditor('/files', { fetch, token: 't', headers: { authorization: 'Basic x' } }).view({ path: '' });
    assert.deepEqual(
      network.sent.map(({ headers }) => headers.get('authorization')),
      ['Bearer t', 'Basic x'],
    );
  });

  it('sends custom headers, a request id and any file name', async () => {
    const network = scripted(done({}), done({}));
    const editor = new FileEditor('/files', { fetch: network.fetch, headers: { Authorization: 'Bearer x' } });
    await editor.view({ path: 'ä b/\ud800.txt' }, { requestId: 'job-7' });
    await editor.view({ path: 'ü'.repeat(4000) });
    const [first, second] = network.sent;
    assert.equal(first?.url, '/files/view?name=%C3%A4+b%2F%EF%BF%BD.txt');
    assert.deepEqual([first.headers.get('x-request-id'), first.headers.get('authorization')], ['job-7', 'Bearer x']);
    assert.ok((second?.url.length ?? 0) < 2000, 'fits into the head of a request');
  });

  it('passes on the details of a refusal', async () => {
    const { fetch } = scripted(notFound);
    await assert.rejects(new FileEditor('http://localhost', { fetch }).readFile({ name: 'a.txt' }), (error) => {
      assert.ok(error instanceof FileEditorError);
      const { code, status, message, details, reason, applied } = error;
      const told = { code, status, message, details, reason, applied };
      assert.deepEqual(told, {
        code: -32001,
        status: 404,
        message: "File 'a.txt' not found",
        details: 'Call list_files.',
        reason: undefined,
        applied: undefined,
      });
      return true;
    });
  });

  it('is one module that a page can load, free of Node APIs', async () => {
    const bundle = await readFile(new URL('../../dist/src/client/index.js', import.meta.url), 'utf8');
    assert.doesNotMatch(bundle, /^import|\brequire\(|node:|\bprocess\b|\bBuffer\b/m);
    assert.match(bundle, /^export \{\n {2}FileEditor,\n {2}FileEditorError\n\};/m);
    // Each operation adds only its method.
    assert.ok(bundle.length < 9_000 + 300 * operations.size, `${String(bundle.length)} characters`);
  });

  it('reads a file only if it has changed, and edits the version it read', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      const server = await startHttpServer(directory, { toolset: 'all' });
      try {
        const editor = new FileEditor(server.url);
        const { hash } = await editor.readFile({ name: 'a.txt', return_hash: true });
        assert.equal(await editor.readFileIfChanged({ name: 'a.txt' }, ['other', hash]), undefined);
        await editor.editFile({ name: 'a.txt', append: 'two', expected_hash: hash });
        const changed = await editor.readFileIfChanged({ name: 'a.txt' }, hash);
        assert.equal(changed?.content, 'one\ntwo');
        assert.match(changed.hash ?? '', /^[0-9a-f]{16}$/);
        await assert.rejects(editor.delete({ path: 'a.txt', expected_hash: hash }), {
          status: 412,
          reason: 'conflict',
          requestId: /./,
        });
      } finally {
        assert.equal(await server.stop(), 0);
      }
    }));

  it('applies an edit with expected_hash once, even when it is resent after a lost answer', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      const server = await startHttpServer(directory);
      try {
        let requests = 0;
        const lossy: Fetch = async (url, init) => {
          const response = await fetch(url, init);
          requests++;
          if (requests === 2) throw new TypeError('fetch failed');
          return response;
        };
        const editor = new FileEditor(server.url, { fetch: lossy });
        const { hash } = await editor.readFile({ name: 'a.txt', return_hash: true });
        const edit = editor.editFile({ name: 'a.txt', append: 'two', expected_hash: hash });
        await assert.rejects(edit, { status: 412, applied: 'unknown' });
        assert.equal(requests, 3);
        assert.equal(await readFile(join(directory, 'a.txt'), 'utf8'), 'one\ntwo\n');
      } finally {
        assert.equal(await server.stop(), 0);
      }
    }));
});
