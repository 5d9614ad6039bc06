/** The MCP code is loaded on its first message. If loading fails, the server keeps running and retries. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import { freePort, startProgram } from './server-process.js';

const env = { NODE_OPTIONS: `--import=${new URL('mcp-fails-once.mjs', import.meta.url).href}` };
const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

function codeIn(answer: unknown): unknown {
  const error: unknown = Reflect.get(Object(answer), 'error');
  return error === undefined ? 'listed' : Reflect.get(Object(error), 'code');
}

describe('an MCP module that failed to load', () => {
  it('is loaded by the next message over stdio', () =>
    withDirectory({}, async (directory) => {
      const server = startProgram([`--dir=${directory}`, '--transport=stdio', '--log-level=silent'], { env });
      const ask = async (): Promise<unknown> => {
        const answered = new Promise<string>((resolve) => server.lines.once('line', resolve));
        server.stdin.write(`${list}\n`);
        return codeIn(JSON.parse(await answered));
      };
      assert.deepEqual([await ask(), await ask()], [-32603, 'listed']);
      assert.equal(await server.stop(), 0);
    }));

  it('is loaded by the next message over HTTP', () =>
    withDirectory({}, async (directory) => {
      const port = await freePort();
      const args = [`--dir=${directory}`, `--port=${String(port)}`, '--log-level=silent'];
      const server = startProgram(args, { env });
      await once(server.lines, 'line');
      const ask = async (): Promise<unknown> => {
        const url = `http://127.0.0.1:${String(port)}/mcp`;
        const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
        const response = await fetch(url, { method: 'POST', headers, body: list });
        return [response.status, codeIn(await response.json())];
      };
      assert.deepEqual(
        [await ask(), await ask()],
        [
          [500, -32603],
          [200, 'listed'],
        ],
      );
      assert.equal(await server.stop(), 0);
    }));
});
