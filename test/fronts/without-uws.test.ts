import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import { kinds } from '../transports/http/harness.js';
import { freePort, startProgram } from './server-process.js';

describe('a program', () => {
  for (const [title, nodeListener] of [
    ['without uWebSockets.js listens with node:http, and explains why in one sentence', true],
    ['with uWebSockets.js uses it', false],
  ] as const) {
    const skip = !nodeListener && !kinds.includes('uws') && 'it does not load here';
    it(title, { skip }, () =>
      withDirectory({}, async (directory) => {
        const port = await freePort();
        const server = startProgram([`--dir=${directory}`, `--port=${String(port)}`], { nodeListener });
        await once(server.lines, 'line');
        const { status, headers } = await fetch(`http://127.0.0.1:${String(port)}/health`);
        const code = await server.stop();
        assert.deepEqual([status, headers.has('uwebsockets'), code], [200, !nodeListener, 0]);
        const said = /"reason":"Cannot find module 'uWebSockets\.js-not-installed'","msg":.*node:http/;
        assert.equal(server.errors().match(new RegExp(said, 'g'))?.length, nodeListener ? 1 : undefined);
      }),
    );
  }
});
