/** Tokens as an operator uses them: made by the command, in a file, read again at SIGHUP (spec 16). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import { cli, startHttpServer, type HttpServer } from '../fronts/server-process.js';

function run(...args: readonly string[]) {
  return spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8' });
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function writeTokens(path: string, members: readonly object[]): void {
  writeFileSync(path, JSON.stringify({ tokens: members }, null, 1), { mode: 0o600 });
}

function memberFor(token: string, more: object = {}): object {
  return { name: token, sha256: hashOf(token), access: 'write', ...more };
}

function call(server: HttpServer, token: string, name = 'a.txt'): Promise<Response> {
  return fetch(`${server.url}/read_file`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ name }),
  });
}

async function statusOf(server: HttpServer, token: string, name?: string): Promise<number> {
  const { status } = await call(server, token, name);
  return status;
}

/** Resolves once the log has a line with this text. */
async function logged(server: HttpServer, text: string): Promise<string> {
  for (;;) {
    const line = server
      .errors()
      .split('\n')
      .find((each) => each.includes(text));
    if (line !== undefined) return line;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('file-editor token', () => {
  it('prints a new token, and the member for the file on the next line', () => {
    const [first, second] = [run('token', 'agent-7'), run('token', 'agent-7')].map(({ stdout, status }) => {
      assert.equal(status, 0);
      const [token = '', member = '', ...more] = stdout.split('\n');
      assert.deepEqual(JSON.parse(member), { name: 'agent-7', sha256: hashOf(token), access: 'write' });
      assert.deepEqual(more, ['']);
      return token;
    });
    assert.match(first ?? '', /^[\w-]{43}$/);
    assert.notEqual(first, second);
  });

  it('explains itself with --help', () => {
    for (const flag of ['--help', '-h']) {
      const { status, stdout, stderr } = run('token', flag);
      assert.deepEqual([status, stderr], [0, '']);
      assert.match(stdout, /^Usage: file-editor token NAME\n/);
    }
  });

  for (const [what, args, problem] of [
    ['no name', [], 'token: a name is missing;'],
    ['two names', ['a', 'b'], 'token: takes one name;'],
    ['an empty name', [''], 'token: the name "" must be a text of 1 to 100 characters'],
    ['a flag', ['--dir=.'], 'token: the name "--dir=." must be a text of 1 to 100 characters'],
    ['a name with a line break', ['a\nb'], 'token: the name "a\\nb" must be'],
  ] as const) {
    it(`refuses ${what}`, () => {
      const { status, stdout, stderr } = run('token', ...args);
      assert.equal(status, 1);
      assert.equal(stdout, '');
      assert.ok(stderr.startsWith(problem), stderr);
      assert.match(stderr, /expected file-editor token NAME/);
    });
  }
});

describe('--tokens', () => {
  it('is refused over stdio, and without a usable file, before anything is started', async () => {
    await withDirectory({ 'served/a.txt': '', 'tokens.json': '{"tokens":[{"name":1}]}' }, (directory) => {
      const served = `--dir=${join(directory, 'served')}`;
      const file = join(directory, 'tokens.json');
      chmodSync(file, 0o600);
      const stdio = run(served, '--transport=stdio', `--tokens=${file}`);
      assert.match(
        stdio.stderr,
        /^--tokens: ".*" has no effect with --transport=stdio; accepted with --transport=http$/m,
      );
      const wrong = run(served, '--port=0', `--tokens=${file}`);
      assert.equal(wrong.status, 1);
      // With the other problems.
      assert.match(wrong.stderr, /^--port must be/m);
      assert.match(wrong.stderr, /^--tokens: ".*tokens.json" line 1: tokens\[0\].name must be a text/m);
      assert.match(wrong.stderr, /^--tokens: ".*tokens.json" line 1: tokens\[0\].sha256 is missing/m);
      const missing = run(served, `--tokens=${file}.none`);
      assert.match(missing.stderr, /^--tokens: ".*none" does not exist; expected \{"tokens":/);
    });
  });

  it('names the caller of each call in the log and in the metrics, and no token', { timeout: 30_000 }, async () => {
    await withDirectory({ 'served/a.txt': 'text' }, async (directory) => {
      const file = join(directory, 'tokens.json');
      const odd = 'quote " and \\';
      writeTokens(file, [memberFor('T-1', { name: odd }), memberFor('T-2', { name: 'two', paths: ['b.txt'] })]);
      const server = await startHttpServer(join(directory, 'served'), { tokens: file, logLevel: 'trace' });
      try {
        assert.equal(await statusOf(server, 'T-1'), 200);
        assert.equal(await statusOf(server, 'T-2'), 403);
        assert.equal(await statusOf(server, 'T-3'), 401);
        const { caller, category } = JSON.parse(await logged(server, '"caller":"two"')) as Record<string, unknown>;
        assert.deepEqual([caller, category], ['two', 'not_allowed']);
        const metrics = await fetch(`${server.url}/metrics`, { headers: { Authorization: 'bearer T-2' } });
        const text = await metrics.text();
        assert.ok(text.includes(`file_editor_caller_calls_total{caller="quote \\" and \\\\",outcome="ok"} 1\n`));
        assert.ok(text.includes('file_editor_caller_calls_total{caller="two",outcome="failed"} 1\n'));
        assert.match(text, /requests_refused_total\{front="rest",outcome="unauthorized",code="-32600"\} 1/);
        for (const token of ['T-1', 'T-2', 'T-3']) {
          for (const secret of [token, hashOf(token)]) {
            assert.ok(!server.errors().includes(secret) && !text.includes(secret), secret);
          }
        }
      } finally {
        await server.stop();
      }
    });
  });

  it('reads the file again at SIGHUP, and keeps the tokens if it is wrong', { timeout: 30_000 }, async () => {
    await withDirectory({ 'served/a.txt': 'text', 'served/b.txt': 'text' }, async (directory) => {
      const file = join(directory, 'tokens.json');
      writeTokens(file, [memberFor('T-old'), memberFor('T-stays')]);
      const server = await startHttpServer(join(directory, 'served'), { tokens: file, logLevel: 'info' });
      try {
        assert.deepEqual([await statusOf(server, 'T-old'), await statusOf(server, 'T-new')], [200, 401]);
        assert.equal(await statusOf(server, 'T-stays'), 200);

        writeTokens(file, [memberFor('T-new'), memberFor('T-stays', { paths: ['b.txt'] })]);
        server.child.kill('SIGHUP');
        await logged(server, '"tokens":2');
        assert.deepEqual([await statusOf(server, 'T-old'), await statusOf(server, 'T-new')], [401, 200]);
        // What it has read before is no answer any more.
        assert.deepEqual([await statusOf(server, 'T-stays'), await statusOf(server, 'T-stays', 'b.txt')], [403, 200]);

        writeTokens(file, [memberFor('T-old', { access: 'all' })]);
        server.child.kill('SIGHUP');
        assert.match(await logged(server, 'the file of tokens was refused'), /tokens\[0\]\.access must be/);
        assert.deepEqual([await statusOf(server, 'T-old'), await statusOf(server, 'T-new')], [401, 200]);
      } finally {
        assert.equal(await server.stop(), 0);
      }
    });
  });

  it('warns of a file in the served directory, and of tokens in clear text', { timeout: 30_000 }, async () => {
    await withDirectory({ 'a.txt': 'text' }, async (directory) => {
      const file = join(directory, 'tokens.json');
      writeTokens(file, [memberFor('T-1')]);
      const server = await startHttpServer(directory, { tokens: file, host: '0.0.0.0' });
      try {
        await logged(server, 'the file of tokens is in the served directory');
        await logged(server, 'without TLS: tokens and files travel in clear text');
      } finally {
        await server.stop();
      }
    });
  });
});
