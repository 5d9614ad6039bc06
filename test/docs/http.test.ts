/** The calls that docs/http.md shows are answered as it says. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import { startProgram } from '../fronts/server-process.js';
import { assertAnswered, httpBlocks, startingFiles, withExampleServer } from './http-examples.js';
import { page } from './newcomer.js';

const text = page('docs/http.md');

describe('docs/http.md', () => {
  it('shows calls that are answered as it says', () =>
    withExampleServer(async (url, reset) => {
      reset();
      const exchanges = httpBlocks(text).flat();
      assert.ok(exchanges.length > 5);
      for (const exchange of exchanges) await assertAnswered(url, exchange);
    }));

  it('shows messages over stdio that are answered as it says', () =>
    withDirectory(startingFiles, async (directory) => {
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
