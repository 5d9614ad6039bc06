import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import { freePort, startProgram } from './server-process.js';

describe('a program without uWebSockets.js', () => {
  it('listens with node:http, and says why in one sentence', () =>
    withDirectory({}, async (directory) => {
      const port = await freePort();
      const server = startProgram([`--dir=${directory}`, `--port=${String(port)}`], { nodeListener: true });
      await once(server.lines, 'line');
      const { status, headers } = await fetch(`http://127.0.0.1:${String(port)}/health`);
      const code = await server.stop();
      assert.deepEqual([status, headers.has('uwebsockets'), code], [200, false, 0]);
      assert.match(server.errors(), /"reason":"Cannot find module 'uWebSockets\.js-not-installed'","msg":.*node:http/);
    }));
});
