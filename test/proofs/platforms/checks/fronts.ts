/** The ways in: MCP over stdio and over HTTP, REST, and the health of a server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isRecord } from '../../../reliability/client.js';
import { textOf, withDirectory } from '../files.js';
import { send } from '../http.js';
import { lendServer, startHttpServer, type HttpServer } from '../scene.js';

const initialize = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'platforms', version: '1' },
};
const operations = 14;

/** What must hold for the result of `initialize`, of `tools/list` and of a call. */
function assertConversation(started: unknown, listed: unknown, called: unknown): void {
  assert.ok(isRecord(started) && isRecord(started['serverInfo']));
  assert.equal(started['serverInfo']['name'], 'file-editing-server');
  assert.equal(started['protocolVersion'], initialize.protocolVersion);
  assert.ok(isRecord(listed) && Array.isArray(listed['tools']));
  assert.equal(listed['tools'].length, operations);
  assert.ok(isRecord(called) && called['isError'] === false, JSON.stringify(called));
}

describe('MCP over stdio', () => {
  const scene = lendServer({ 'one/two/a.txt': 'x\n' });

  it('begins, lists the tools and calls one', async () => {
    const started = await scene.server.done('initialize', initialize);
    const listed = await scene.server.done('tools/list', {});
    const edits = [{ old_string: 'x', new_string: 'y' }];
    const called = await scene.server.done('tools/call', {
      name: 'apply_edits',
      arguments: { path: 'one/two/a.txt', edits },
    });
    assertConversation(started, listed, called);
    assert.equal(textOf(scene.directory, 'one/two/a.txt'), 'y\n');
  });
});

describe('a server over HTTP', () => {
  let server: HttpServer;
  let directory: string;
  let end = (): void => undefined;
  let ended: Promise<void>;

  before(
    () =>
      new Promise<void>((ready, failed) => {
        ended = withDirectory({ 'a.txt': 'one\ntwo\n' }, async (lent) => {
          directory = lent;
          server = await startHttpServer(lent);
          const over = new Promise<void>((resolve) => (end = resolve));
          ready();
          await over;
          await server.kill();
        });
        ended.catch(failed);
      }),
  );
  after(async () => {
    end();
    await ended;
  });

  it('says that it is well', async () => {
    const { status, body } = await send(server.url, '/health');
    assert.equal(status, 200);
    assert.ok(isRecord(body) && body['status'] === 'ok', JSON.stringify(body));
  });

  it('speaks MCP', async () => {
    const call = async (id: number, method: string, params: object): Promise<unknown> => {
      const { status, body } = await send(server.url, '/mcp', { jsonrpc: '2.0', id, method, params });
      assert.equal(status, 200);
      return isRecord(body) ? body['result'] : undefined;
    };
    const edit = { name: 'edit_file', arguments: { name: 'a.txt', append: 'three' } };
    assertConversation(
      await call(1, 'initialize', initialize),
      await call(2, 'tools/list', {}),
      await call(3, 'tools/call', edit),
    );
    assert.equal(textOf(directory, 'a.txt'), 'one\ntwo\nthree\n');
  });

  it('reads over REST, and says what is missing', async () => {
    const read = await send(server.url, '/read_file', { name: 'a.txt', start_line: 1, end_line: 2 });
    assert.equal(read.status, 200);
    assert.ok(isRecord(read.body) && read.body['content'] === 'one\ntwo', JSON.stringify(read.body));
    const missing = await send(server.url, '/read_file', { name: 'b.txt' });
    assert.equal(missing.status, 404);
  });
});
