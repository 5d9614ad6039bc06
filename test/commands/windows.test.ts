/** How the commands end and read tokens on Windows (spec 19), on any system: a preload makes it Windows for them. */
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withDirectory } from '../directory.js';
import { cli, freePort } from '../fronts/server-process.js';

/** The signals of Linux that stand for those of Windows. */
const sent = { SIGTERM: 'SIGTERM', SIGINT: 'SIGINT', SIGHUP: 'SIGHUP', SIGBREAK: 'SIGUSR2' } as const;
type EndSignal = keyof typeof sent;

const preload = ['--require', fileURLToPath(new URL('elsewhere.cjs', import.meta.url))];
const env = { ...process.env, AS_PLATFORM: 'win32' };

class Server {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  stderr = '';

  constructor(t: TestContext, args: readonly string[]) {
    this.child = spawn(process.execPath, [...preload, cli, ...args], { stdio: 'pipe', env });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    t.after(() => this.child.kill('SIGKILL'));
  }

  /** Resolves once the log has a line with this text, after the first `from` characters. */
  async logged(text: string, from = 0): Promise<string> {
    for (;;) {
      const line = this.stderr
        .slice(from)
        .split('\n')
        .find((each) => each.includes(text));
      if (line !== undefined) return line;
      assert.equal(this.child.exitCode, null, this.stderr);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  send(signal: EndSignal): void {
    this.child.kill(sent[signal]);
  }

  async exitCode(): Promise<unknown> {
    const [code, signal] = (await once(this.child, 'exit')) as unknown[];
    return code ?? signal;
  }
}

function fileOf(...names: readonly string[]): string {
  const members = names.map((name) => ({
    name,
    sha256: createHash('sha256').update(name).digest('hex'),
    access: 'read',
  }));
  return JSON.stringify({ tokens: members });
}

describe('a server on Windows', { timeout: 60_000 }, () => {
  for (const signal of ['SIGINT', 'SIGBREAK', 'SIGHUP', 'SIGTERM'] as const) {
    it(`answers what it has begun and exits with 0 at ${signal}`, (t) =>
      withDirectory({}, async (directory) => {
        const server = new Server(t, [`--dir=${directory}`, '--transport=stdio']);
        await server.logged('serves');
        const edit = { name: 'a.txt', append: 'one', create_if_missing: true };
        server.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'edit_file', params: edit })}\n`);
        const [answer] = (await once(server.child.stdout, 'data')) as unknown[];
        assert.match(String(answer), /"success":true/);
        server.send(signal);
        assert.equal(await server.exitCode(), 0);
        assert.match(server.stderr, new RegExp(`"signal":"${signal}","msg":"shutting down"`));
      }));
  }

  for (const [signal, code] of [
    ['SIGHUP', 129],
    // Linux has no number for it.
    ['SIGBREAK', 128],
  ] as const) {
    it(`ends at once at a second ${signal}`, (t) =>
      withDirectory({ 'a.txt': 'x'.repeat(18_000_000) }, async (directory) => {
        const server = new Server(t, [`--dir=${directory}`, '--transport=stdio', '--max-size=20']);
        await server.logged('serves');
        const read = { jsonrpc: '2.0', id: 1, method: 'read_file', params: { name: 'a.txt' } };
        server.child.stdin.write(`${JSON.stringify(read)}\n`);
        // An answer that is not read delays the end.
        await once(server.child.stdout, 'readable');
        server.send(signal);
        await server.logged('shutting down');
        server.send(signal);
        assert.equal(await server.exitCode(), code);
      }));
  }

  it('exits with 0 at the end of stdin', (t) =>
    withDirectory({}, async (directory) => {
      const server = new Server(t, [`--dir=${directory}`, '--transport=stdio']);
      server.child.stdin.end();
      assert.equal(await server.exitCode(), 0);
    }));

  it('reads the tokens again within 5 s of each change, and keeps them if the file is wrong or gone', (t) =>
    withDirectory({ 'served/a.txt': 'text', 'tokens.json': fileOf('old') }, async (directory) => {
      const file = join(directory, 'tokens.json');
      const port = String(await freePort());
      const server = new Server(t, [`--dir=${join(directory, 'served')}`, `--port=${port}`, `--tokens=${file}`]);
      await server.logged('serves');
      const isLetIn = async (token: string): Promise<boolean> => {
        const headers = { Authorization: `Bearer ${token}` };
        const { status } = await fetch(`http://127.0.0.1:${port}/metrics`, { headers });
        return status === 200;
      };
      const after = async (change: () => void, line: string): Promise<string> => {
        const [from, began] = [server.stderr.length, performance.now()];
        change();
        const told = await server.logged(line, from);
        assert.ok(performance.now() - began < 5_000);
        return told;
      };
      assert.deepEqual([await isLetIn('old'), await isLetIn('new')], [true, false]);

      await after(() => writeFileSync(file, fileOf('new')), 'the tokens were read again');
      assert.deepEqual([await isLetIn('old'), await isLetIn('new')], [false, true]);

      const refused = 'the file of tokens was refused: the tokens stay as they were';
      assert.match(await after(() => writeFileSync(file, '{"tokens":'), refused), /is not JSON/);
      assert.match(await after(() => rmSync(file), refused), /does not exist/);
      assert.deepEqual([await isLetIn('old'), await isLetIn('new')], [false, true]);

      await after(() => writeFileSync(file, fileOf('old', 'new')), '"tokens":2');
      assert.deepEqual([await isLetIn('old'), await isLetIn('new')], [true, true]);

      server.send('SIGHUP');
      assert.equal(await server.exitCode(), 0);
    }));
});

it('npm start prints lines on Windows that cmd takes, with paths as they are there', { timeout: 60_000 }, (t) =>
  withDirectory({}, async (directory) => {
    const start = fileURLToPath(new URL('../../dist/src/quick-start.js', import.meta.url));
    const args = [...preload, start, `--port=${String(await freePort())}`];
    const child = spawn(process.execPath, args, { cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill('SIGKILL'));
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    while (!printed.includes('--log-level=info')) await once(child.stdout, 'data');
    const call = String.raw`/read_file -H "Content-Type: application/json" -d "{\"name\":\"welcome.txt\"}"`;
    assert.ok(printed.includes(`${call}\n`), printed);
    assert.ok(printed.includes(String.raw`--dir=C:\path\to\project --toolset=agent`), printed);
    assert.ok(!printed.includes("'"), printed);
    // Ctrl-C.
    child.kill('SIGINT');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  }),
);

it('file-editor token says when a running server reads the file again, as it is on the platform', () => {
  const told = (...args: readonly string[]): string =>
    spawnSync(process.execPath, [...args, cli, 'token', 'agent-7'], { encoding: 'utf8', env }).stderr;
  assert.match(told(...preload), /A running server reads the file again within 5 s of a change\.\n$/);
  assert.match(told(), /A running server reads the file again at SIGHUP\.\n$/);
});
