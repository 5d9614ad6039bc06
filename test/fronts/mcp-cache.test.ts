import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDirectory } from '../directory.js';
import { startHttpServer } from './server-process.js';

/** Reads of files older than this, in milliseconds, can be answered from the cache (src/file-identity.ts). */
const trustedMs = 105;

describe('a read of the MCP', () => {
  it('is answered from what a read over REST has left in the cache, and the other way round', () =>
    withDirectory({ 'a.txt': 'one\ntwo\n' }, async (directory) => {
      await sleep(trustedMs);
      const server = await startHttpServer(directory, {});
      const post = (path: string, body: object): Promise<string> =>
        fetch(`${server.url}${path}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        }).then((response) => response.text());
      const overMcp = (params: object): Promise<string> =>
        post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read_file', arguments: params } });
      const hits = async (): Promise<number> => {
        const metrics = await (await fetch(`${server.url}/metrics`)).text();
        return Number(/^file_editor_cache_hits_total (\d+)$/m.exec(metrics)?.[1]);
      };
      try {
        assert.match(await post('/read_file', { name: 'a.txt' }), /^\{"content":"one\\ntwo"/);
        assert.match(await overMcp({ name: 'a.txt' }), /"File: a\.txt \(2 lines\)\\n\\none\\ntwo"/);
        assert.equal(await hits(), 1);
        assert.match(await overMcp({ name: 'a.txt', start_line: 1 }), /\(lines 1-1 of 2 total\)\\n\\ntwo"/);
        assert.match(await post('/read_file', { name: 'a.txt', start_line: 2 }), /^\{"content":"two"/);
        assert.equal(await hits(), 2);
      } finally {
        await server.stop();
      }
    }));
});
