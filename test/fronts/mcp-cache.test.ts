import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDirectory } from '../directory.js';
import { startHttpServer } from './server-process.js';

/** Reads of files older than this, in milliseconds, can be answered from the cache (src/core/file-identity.ts). */
const trustedMs = 105;

interface Server {
  readonly post: (path: string, body: object) => Promise<string>;
  readonly overMcp: (params: object) => Promise<string>;
  /** Answers from the cache. */
  readonly hits: () => Promise<number>;
}

async function withServer(
  files: Readonly<Record<string, string>>,
  use: (server: Server) => Promise<void>,
): Promise<void> {
  await withDirectory(files, async (directory) => {
    await sleep(trustedMs);
    const server = await startHttpServer(directory, {});
    const post: Server['post'] = (path, body) => server.post(path, body).then((response) => response.text());
    try {
      await use({
        post,
        overMcp: (params) =>
          post('/mcp', {
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'read_file', arguments: params },
          }),
        hits: async () => {
          const metrics = await (await fetch(`${server.url}/metrics`)).text();
          return Number(/^file_editor_cache_hits_total (\d+)$/m.exec(metrics)?.[1]);
        },
      });
    } finally {
      await server.stop();
    }
  });
}

describe('a read over MCP', () => {
  it('is answered from what a REST read left in the cache, and vice versa', () =>
    withServer({ 'a.txt': 'one\ntwo\n' }, async ({ post, overMcp, hits }) => {
      assert.match(await post('/read_file', { name: 'a.txt' }), /^\{"content":"one\\ntwo"/);
      assert.match(await overMcp({ name: 'a.txt' }), /"File: a\.txt \(2 lines\)\\n\\none\\ntwo"/);
      assert.equal(await hits(), 1);
      assert.match(await overMcp({ name: 'a.txt', start_line: 1 }), /\(lines 1-1 of 2 total\)\\n\\ntwo"/);
      assert.match(await post('/read_file', { name: 'a.txt', start_line: 2 }), /^\{"content":"two"/);
      assert.equal(await hits(), 2);
    }));

  it('caches nothing of a text longer than its messages', () => {
    const content = 'line\n'.repeat(2_000_000);
    return withServer({ 'a.txt': content }, async ({ post, overMcp }) => {
      for (const range of [{}, { end_line: 1_999_999 }]) {
        assert.match(await overMcp({ name: 'a.txt', ...range }), /Go on with start_line \d+/);
        const { content: read } = JSON.parse(await post('/read_file', { name: 'a.txt', ...range })) as {
          content: string;
        };
        assert.ok(read.length >= content.length - 6, String(read.length));
        assert.match(await overMcp({ name: 'a.txt', ...range }), /Go on with start_line \d+/);
      }
    });
  });
});
