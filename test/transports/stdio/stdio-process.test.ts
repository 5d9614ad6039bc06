import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDirectory } from '../../directory.js';
import { cli } from '../../fronts/server-process.js';

const fixture = fileURLToPath(new URL('./fixtures/stdio-echo.ts', import.meta.url));

/** A real process on real streams; each is 'pipe' or a file descriptor. */
function start(stdin: 'pipe' | number = 'pipe', stdout: 'pipe' | number = 'pipe'): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, fixture], { stdio: [stdin, stdout, 'pipe'] });
}

async function exitOf(child: ChildProcess): Promise<unknown> {
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

describe('a process on stdio', () => {
  it('answers over pipes, and flushes a large last answer before it exits', async () => {
    const child = start();
    const exited = exitOf(child);
    assert.ok(child.stdin && child.stdout);
    const output = buffer(child.stdout);
    child.stdin.write('a\r\n\nb\n');
    child.stdin.end('20000000');
    assert.equal(await exited, 0);
    const lines = (await output).toString().split('\n');
    assert.deepEqual(lines.slice(0, 2), ['[a]', '[b]']);
    assert.equal(lines[2]?.length, 20_000_000);
    assert.deepEqual(lines.slice(3), ['']);
  });

  it('works with files as stdin and stdout', async () => {
    await withDirectory({ input: 'a\nb\n500000' }, async (directory) => {
      const input = openSync(join(directory, 'input'), 'r');
      const output = openSync(join(directory, 'output'), 'w');
      assert.equal(await exitOf(start(input, output)), 0);
      closeSync(input);
      closeSync(output);
      assert.equal(readFileSync(join(directory, 'output'), 'utf8'), `[a]\n[b]\n${'x'.repeat(500_000)}\n`);
    });
  });

  it('treats a datagram socket as an ended stream', async () => {
    const socket = createSocket('udp4').bind();
    await once(socket, 'listening');
    const descriptor: unknown = Reflect.get(Reflect.get(socket, '_handle') as object, 'fd');
    assert.ok(typeof descriptor === 'number');
    const child = start(descriptor);
    assert.ok(child.stderr);
    const errors = buffer(child.stderr);
    assert.equal(await exitOf(child), 0, (await errors).toString());
    socket.close();
  });

  it('exits 0 even if its input ends and a signal follows, at any time', () =>
    withDirectory({}, async (directory) => {
      for (const ms of [0, 0, 1, 2, 4, 8]) {
        const child = spawn(process.execPath, [cli, `--dir=${directory}`, '--transport=stdio'], {
          stdio: ['pipe', 'pipe', 'ignore'],
        });
        const params = { name: `${String(ms)}.txt`, append: 'x', create_if_missing: true };
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'edit_file', params })}\n`);
        await once(child.stdout, 'data');
        const exited = once(child, 'exit');
        child.stdin.end();
        await sleep(ms);
        child.kill('SIGTERM');
        assert.deepEqual(await exited, [0, null], `${String(ms)} ms later`);
      }
    }));
});
