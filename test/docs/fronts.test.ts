/** The calls that the pages of the fronts show are answered as they say. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import { startProgram } from '../fronts/server-process.js';
import { assertAnswered, httpBlocks, startingFiles, withExampleServer } from './http-examples.js';
import { page } from './newcomer.js';

describe('the pages of the fronts', () => {
  for (const name of ['docs/http.md', 'docs/mcp.md']) {
    it(`show calls that are answered as they say: ${name}`, () =>
      withExampleServer(async (url, reset) => {
        reset();
        const exchanges = httpBlocks(page(name)).flat();
        assert.ok(exchanges.length > 1);
        for (const exchange of exchanges) await assertAnswered(url, exchange);
      }));
  }

  it('show messages over stdio that are answered as they say', () =>
    withDirectory(startingFiles, async (directory) => {
      const text = page('docs/http.md');
      const [, message = ''] = /^→ (.*)$/m.exec(text) ?? [];
      const [, expected = ''] = /^← (.*)$/m.exec(text) ?? [];
      const server = startProgram([`--dir=${directory}`, '--transport=stdio']);
      const answer = once(server.lines, 'line');
      server.stdin.end(`${message}\n`);
      assert.deepEqual(JSON.parse(String((await answer)[0])), JSON.parse(expected));
      await once(server.child, 'exit');
      assert.equal(server.child.exitCode, 0);
    }));
});
