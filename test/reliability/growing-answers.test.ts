/** Spec 6: unread answers are limited, even if their size cannot be known in advance. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { forgetPeak, memoryMb, peakMemoryMb } from '../../bench/process-figures.js';
import { withDirectory } from '../directory.js';
import { cli, startHttpServer } from '../fronts/server-process.js';

/** Together they ask for 480 MB. */
const clients = 8;
/** Six times as long in JSON. */
const text = '\0'.repeat(10 * 1_048_576);
/** The limit on held answers, plus freed memory that V8 and the allocator keep. */
const mostMb = 256 + 100;

const readLong = { name: 'long.txt' };
const calledTool = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'read_file', arguments: readLong },
};

const readMethod = { jsonrpc: '2.0', id: 1, method: 'read_file', params: readLong };

/** Request on a separate connection, without reading the answer. */
function ask(port: number, path: string, message: object): Socket {
  const socket = connect(port, '127.0.0.1').pause();
  const body = JSON.stringify(message);
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${String(body.length)}`;
  socket.on('error', () => undefined).write(`${head}\r\n\r\n${body}`);
  return socket;
}

/** Peak in MB above the idle process, measured once it grows no further. */
async function mostOf(pid: number, work: () => void): Promise<number> {
  forgetPeak(pid);
  const idle = memoryMb(pid) ?? NaN;
  work();
  for (let before = -1, now = 0; before !== now;) {
    before = now;
    await sleep(500);
    now = Math.round((peakMemoryMb(pid) ?? NaN) - idle);
  }
  return (peakMemoryMb(pid) ?? NaN) - idle;
}

function assertBounded(mb: number): void {
  assert.ok(mb < mostMb, `${mb.toFixed(0)} MB`);
  assert.ok(mb > 50, `${mb.toFixed(0)} MB: nothing was made`);
}

const skip = process.platform !== 'linux' && 'no /proc';

describe('answers of unpredictable length are built as memory becomes available', { skip }, () => {
  for (const [front, path, message, nodeListener] of [
    ['REST', '/read_file', readLong, false],
    ['MCP', '/mcp', calledTool, true],
  ] as const) {
    it(`${front}, ${nodeListener ? 'node:http' : 'uWebSockets.js'}`, () =>
      withDirectory({ 'long.txt': text, 'a.txt': 'one' }, async (directory) => {
        const server = await startHttpServer(directory, { cacheMb: 0, mcpMaxChars: 2_000_000 }, { nodeListener });
        const readSmall = async (): Promise<number> => {
          return (await server.post('/read_file', { name: 'a.txt' })).status;
        };
        try {
          assert.equal(await readSmall(), 200);
          const port = Number(new URL(server.url).port);
          let sockets: Socket[] = [];
          const most = await mostOf(server.child.pid ?? 0, () => {
            sockets = Array.from({ length: clients }, () => ask(port, path, message));
          });
          assertBounded(most);
          assert.equal(await readSmall(), 200, 'a small file is read meanwhile');
          for (const socket of sockets) socket.destroy();
        } finally {
          assert.equal(await server.stop(), 0);
        }
      }));
  }

  it('JSON-RPC, stdio, where all are eventually read', () =>
    withDirectory({ 'long.txt': text }, async (directory) => {
      // Calls that wait for memory have a timeout: on a busy machine the default had passed before the last call was
      // made.
      const args = [cli, `--dir=${directory}`, '--transport=stdio', '--cache-mb=0', '--timeout=120'];
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
      const exited = once(child, 'exit');
      try {
        child.stdin.write('{"jsonrpc":"2.0","id":0,"method":"list_files"}\n');
        await once(child.stdout, 'readable');
        const most = await mostOf(child.pid ?? 0, () => {
          for (let asked = 0; asked < clients; asked++) child.stdin.write(`${JSON.stringify(readMethod)}\n`);
        });
        assertBounded(most);
        child.stdin.end();
        let bytes = 0;
        child.stdout.on('data', (piece: Buffer) => (bytes += piece.length));
        assert.deepEqual(await exited, [0, null]);
        assert.ok(bytes > clients * 6 * text.length, `${String(bytes)} bytes`);
      } finally {
        child.kill('SIGKILL');
      }
    }));
});
