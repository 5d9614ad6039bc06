/** The built commands as users run them: child processes, exit codes, stdout and stderr. */
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { certificates, withoutOpenssl } from '../certificates.js';
import { offered } from '../operations/offered.js';

const dist = (name: string): string => fileURLToPath(new URL(`../../dist/src/${name}`, import.meta.url));
const cli = dist('cli.cjs');
const nobody = 65_534;

let root = '';
let dir = '';
before(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'cli-')));
  chmodSync(root, 0o755);
});
beforeEach(() => {
  dir = mkdtempSync(join(root, 'served-'));
});
after(() => {
  rmSync(root, { recursive: true });
});

/** A running command and its output so far. */
class Running {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], options: SpawnOptions = {}, program = process.execPath) {
    this.child = spawn(program, args, { env: { PATH: process.env['PATH'] }, ...options, stdio: 'pipe' });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
  }

  /** Exit code, or the signal that ended it. */
  async end(): Promise<unknown> {
    const [code, signal] = (await once(this.child, 'close')) as unknown[];
    return code ?? signal;
  }

  /** Resolves once the combined streams contain a match. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(`${this.stdout}\n${this.stderr}`);
      if (match !== null) return match;
      assert.equal(this.child.exitCode, null, `ended without ${String(pattern)}:\n${this.stdout}${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

function run(t: TestContext, args: readonly string[], options?: SpawnOptions, program?: string): Running {
  const running = new Running(args, options, program);
  t.after(() => running.child.kill('SIGKILL'));
  return running;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

const request = (id: number, method: string, params: object): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;

describe('information', () => {
  for (const args of [['--help'], ['-h'], ['--port=1', '--help', '--foo'], ['--dir', '--help']]) {
    it(`${args.join(' ')} prints the help and nothing else`, async (t) => {
      const server = run(t, [cli, ...args]);
      assert.equal(await server.end(), 0);
      assert.match(server.stdout, /^file-editor \d+\.\d+\.\d+(?:-[\w.]+)?: .*\n[^]*--dir=PATH/);
      assert.equal(server.stderr, '');
    });
  }

  for (const flag of ['--version', '-v']) {
    it(`${flag} prints the version of the package`, async (t) => {
      const server = run(t, [cli, flag]);
      assert.equal(await server.end(), 0);
      const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
      assert.ok(typeof manifest === 'object' && manifest !== null);
      assert.equal(server.stdout, `${String(Reflect.get(manifest, 'version'))}\n`);
    });
  }
});

const isContainer = existsSync('/.dockerenv') || existsSync('/run/.containerenv');
/** Runs the following command as PID 1 of its own namespace. */
const asFirst = ['--pid', '--fork', '--kill-child', '--mount-proc'];
const canBeFirst = isContainer && spawnSync('unshare', [...asFirst, 'true']).status === 0;
const notFirst = !canBeFirst && 'needs a container, and root in it';

describe('starting inside a container', () => {
  const advice = /"msg":"this address is inside the container; for calls from outside, start it with --host=0\.0\.0\.0/;

  const command = async (): Promise<string[]> => [cli, `--dir=${dir}`, `--port=${String(await freePort())}`];

  it("explains how to reach it from outside if it is the container's main process", { skip: notFirst }, async (t) => {
    const server = run(t, [...asFirst, process.execPath, ...(await command())], {}, 'unshare');
    await server.printed(advice);
    server.child.kill('SIGKILL');
    await server.end();
  });

  it('omits that if a shell in the container started it and can reach it', async (t) => {
    const server = run(t, await command());
    await server.printed(/serves/);
    server.child.kill('SIGTERM');
    assert.equal(await server.end(), 0);
    assert.doesNotMatch(server.stderr, advice);
  });
});

describe('a failed start', () => {
  it('lists all problems on stderr, one per line, exits with 1 and creates nothing', async (t) => {
    const server = run(t, [cli, `--dir=${dir}`, '--port=80', '--timeout=0', '--prot', '--max-queue=1']);
    assert.equal(await server.end(), 1);
    assert.equal(server.stdout, '');
    const lines = server.stderr.trimEnd().split('\n');
    assert.equal(lines.length, 4, server.stderr);
    for (const flag of ['--port', '--timeout', '--prot', '--max-queue']) {
      assert.ok(
        lines.some((line) => line.replaceAll('"', '').startsWith(flag)),
        flag,
      );
    }
    assert.deepEqual(readdirSync(dir), []);
  });

  it('does not create a missing directory', async (t) => {
    const missing = join(dir, 'missing');
    const server = run(t, [cli, `--dir=${missing}`, `--port=${String(await freePort())}`]);
    assert.equal(await server.end(), 1);
    assert.match(server.stderr, /^--dir: ".*missing" does not exist; expected .*\n$/);
    assert.ok(!existsSync(missing));
  });

  it('because of an unwritable directory succeeds with --read-only', async (t) => {
    const locked = join(dir, 'locked');
    mkdirSync(locked);
    chmodSync(dir, 0o755);
    chmodSync(locked, 0o555);
    // Root may write everywhere, so the server runs as another user.
    const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
    const port = String(await freePort());
    const refused = run(t, [cli, `--dir=${locked}`, `--port=${port}`], user);
    assert.equal(await refused.end(), 1);
    assert.match(
      refused.stderr,
      process.getuid?.() === 0
        ? /^--dir: ".*locked" is not writable for this process \(EACCES\); accepted with --read-only \(it belongs to user 0 with mode 555, and this process runs as user \d+\)/
        : /^--dir: ".*locked" is not writable for this process \(EACCES\); accepted with --read-only/,
    );

    const accepted = run(t, [cli, `--dir=${locked}`, '--read-only', `--port=${port}`], user);
    await accepted.printed(new RegExp(`serves .*locked on .* \\(${offered(['files'], true).join(', ')}\\)\n`));
    accepted.child.kill('SIGTERM');
    assert.equal(await accepted.end(), 0);
  });

  it('names the reserved directory if it belongs to another user', async (t) => {
    if (process.getuid?.() !== 0) {
      t.skip('only root can make a directory of somebody else');
      return;
    }
    mkdirSync(join(dir, '.file-editor'), { mode: 0o700 });
    chmodSync(dir, 0o777);
    const refused = run(t, [cli, `--dir=${dir}`], { uid: nobody, gid: nobody });
    assert.equal(await refused.end(), 1);
    assert.match(refused.stderr, /holds \.file-editor, which this process cannot write \(EACCES\)/);
  });

  it('names a port in use, and tells how to find the process that has it', async (t) => {
    const port = await freePort();
    const first = run(t, [cli, `--dir=${dir}`, `--port=${String(port)}`]);
    await first.printed(/serves/);
    const second = run(t, [cli, `--dir=${dir}`, `--port=${String(port)}`]);
    assert.equal(await second.end(), 1);
    assert.equal(second.stdout, '');
    assert.match(second.stderr, new RegExp(`^--port: .*${String(port)}.*\\n$`));
    if (process.platform === 'linux') assert.ok(second.stderr.includes(`(ss -ltnp 'sport = :${String(port)}' tells`));
    assert.deepEqual(readdirSync(dir), []);
  });

  for (const shared of [[], ['--reuse-port']]) {
    it(`lists a port in use with all other problems ${shared.join()}`, async (t) => {
      const port = await freePort();
      const first = run(t, [cli, `--dir=${dir}`, `--port=${String(port)}`]);
      await first.printed(/serves/);
      const missing = join(dir, 'missing');
      const args = [`--dir=${missing}`, `--port=${String(port)}`, ...shared, '--max-queue=1', '--help=1'];
      const second = run(t, [cli, ...args]);
      assert.equal(await second.end(), 1);
      assert.equal(second.stdout, '');
      const starts = second.stderr.split('\n').map((line) => line.slice(0, line.indexOf(':')));
      assert.deepEqual(starts, ['--help', '--dir', '--max-queue', '--port', ''], second.stderr);
      assert.match(
        second.stderr,
        new RegExp(
          `\n--port: ${String(port)} is in use on 127.0.0.1; expected a free port, for example --port=\\d+ .*\n$`,
        ),
      );
      assert.ok(!existsSync(missing));
    });
  }
});

describe('over HTTP', () => {
  it('prints on stdout what is served, where and with which operations, and logs how long the start took', async (t) => {
    const port = await freePort();
    const server = run(t, [cli, '--dir', dir, '--port', String(port)]);
    await server.printed(/"startMs":\d+/);
    const url = `http://127.0.0.1:${String(port)}`;
    assert.match(server.stdout, /^file-editor \S+ serves .*\n$/);
    assert.ok(server.stdout.includes(`serves ${dir} on ${url} (${offered().join(', ')})`), server.stdout);
    const health = await fetch(`${url}/health`);
    assert.equal(health.status, 200);
    assert.deepEqual(readdirSync(dir), [], 'the reserved directory is made by the first write');
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`ends on ${signal} with exit code 0`, async (t) => {
      const port = await freePort();
      const server = run(t, [cli, `--dir=${dir}`, `--port=${String(port)}`]);
      await server.printed(/serves/);
      // Keeps its connection open: an idle client must not delay the shutdown.
      await fetch(`http://127.0.0.1:${String(port)}/health`);
      server.child.kill(signal);
      assert.equal(await server.end(), 0);
      assert.match(server.stderr, new RegExp(`"signal":"${signal}"`));
    });
  }

  it('warns when it listens beyond this machine', async (t) => {
    const port = await freePort();
    const server = run(t, [cli, `--dir=${dir}`, `--port=${String(port)}`, '--host=0.0.0.0']);
    await server.printed(/"level":"warn".*"host":"0\.0\.0\.0".*listening beyond this machine/);
  });

  it('logs nothing at --log-level=silent', async (t) => {
    const port = await freePort();
    const server = run(t, [cli, `--dir=${dir}`, `--port=${String(port)}`, '--log-level=silent', '--host=0.0.0.0']);
    await server.printed(/serves/);
    server.child.kill('SIGTERM');
    assert.equal(await server.end(), 0);
    assert.equal(server.stderr, '');
  });
});

const made = certificates();

describe('over HTTPS', { skip: made === undefined && withoutOpenssl }, () => {
  if (made === undefined) return;
  const { server: own, expired, authority } = made;

  it('is named in the start-up message, without a warning', async (t) => {
    const port = await freePort();
    const files = [`--tls-cert=${own.cert}`, `--tls-key=${own.key}`];
    const server = run(t, [cli, `--dir=${dir}`, `--port=${String(port)}`, '--host=0.0.0.0', ...files]);
    await server.printed(/"startMs":\d+/);
    assert.ok(server.stdout.includes(` on https://127.0.0.1:${String(port)} (`), server.stdout);
    const answer = get({ port, path: '/health', ca: readFileSync(authority.cert) });
    const [response] = (await once(answer, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    answer.destroy();
    server.child.kill('SIGTERM');
    assert.equal(await server.end(), 0);
    assert.doesNotMatch(server.stderr, /listening beyond this machine/);
  });

  it('warns of an expired certificate', async (t) => {
    const files = [`--tls-cert=${expired.cert}`, `--tls-key=${expired.key}`];
    const server = run(t, [cli, `--dir=${dir}`, `--port=${String(await freePort())}`, ...files]);
    await server.printed(/"level":"warn".*the certificate in --tls-cert .* expired on Feb +1 /);
  });

  it('lists problems with its files along with all others, and creates nothing', async (t) => {
    const port = await freePort();
    const first = run(t, [cli, `--dir=${dir}`, `--port=${String(port)}`]);
    await first.printed(/serves/);
    const files = [`--tls-cert=${own.key}`, `--tls-key=${own.key}.none`, `--tls-ca=${dir}`];
    for (const [others, starts] of [
      [[], ['--tls-cert', '--tls-key', '--tls-ca', '--port']],
      [['--timeout=0'], ['--timeout', '--tls-cert', '--tls-key', '--tls-ca', '--port']],
    ] as const) {
      const second = run(t, [cli, `--dir=${dir}`, `--port=${String(port)}`, ...files, ...others]);
      assert.equal(await second.end(), 1);
      const lines = second.stderr.trimEnd().split('\n');
      assert.deepEqual(
        lines.map((line) => line.split(/[: ]/, 1)[0]),
        starts,
      );
    }
    const base = join(dir, 'made');
    const args = [dist('storage-cli.cjs'), '--transport=http', `--port=${String(port)}`, ...files];
    const backend = run(t, args, { env: { BASE_PATH: base } });
    assert.equal(await backend.end(), 1);
    assert.ok(!existsSync(base));
  });
});

describe('over stdio', () => {
  it('answers everything read before the end of input, and exits with 0', async (t) => {
    const server = run(t, [cli, `--dir=${dir}`, '--transport=stdio']);
    const lines = Array.from({ length: 50 }, (_, id) => request(id, 'list_files', {}));
    server.child.stdin?.end(lines.join('').trimEnd());
    assert.equal(await server.end(), 0);
    const answers = server.stdout.trimEnd().split('\n');
    assert.equal(answers.length, 50);
    for (const answer of answers) assert.match(answer, /"total_count":0/);
    assert.match(server.stderr, new RegExp(`serves .* on stdio \\(${offered().join(', ')}\\)`));
  });
});

describe('file-storage-backend', () => {
  const initialize = request(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} });
  const backend = (t: TestContext, args: readonly string[], base?: string): Running =>
    run(t, [dist('storage-cli.cjs'), ...args], { env: { ...(base === undefined ? {} : { BASE_PATH: base }) } });

  it('serves BASE_PATH over stdio with the storage tools, and creates the directory if it is missing', async (t) => {
    const base = join(dir, 'made', 'storage');
    const server = backend(t, [], base);
    const create = { name: 'create', arguments: { path: 'b/a', content: 'x', encoding: 'utf-8' } };
    server.child.stdin?.end(initialize + request(2, 'tools/call', create) + request(3, 'tools/list', {}));
    assert.equal(await server.end(), 0, server.stderr);
    assert.match(server.stdout, /"serverInfo":\{"name":"file-storage-backend"/);
    assert.match(server.stdout, /"text":"OK: b\/a"/);
    assert.deepEqual(
      [...server.stdout.matchAll(/\{"name":"([a-z_]+)","title"/g)].map(([, name]) => name),
      offered(['storage']),
    );
    assert.equal(readFileSync(join(base, 'b/a'), 'utf8'), 'x');
  });

  for (const [what, args] of [
    ['a wrong flag', ['--timeout=0']],
    ['--read-only', ['--read-only']],
    ['another --dir', [`--dir=${join(tmpdir(), 'not-there')}`]],
    ['--help', ['--help']],
  ] as const) {
    it(`creates nothing with ${what}`, async (t) => {
      const server = backend(t, args, join(dir, 'made'));
      assert.equal(await server.end(), what === '--help' ? 0 : 1);
      assert.deepEqual(readdirSync(dir), []);
    });
  }

  it('reports wrong flags, but not a missing directory that it would create', async (t) => {
    const server = backend(t, ['--foo', '--timeout=0'], join(dir, 'made'));
    assert.equal(await server.end(), 1);
    const [first, second, ...others] = server.stderr.trimEnd().split('\n');
    assert.match(first ?? '', /^"--foo": unknown flag/);
    assert.match(second ?? '', /^--timeout must be between 1 and 300 seconds; "0" is not/);
    assert.deepEqual(others, []);
  });

  it(
    'creates it regardless of the current directory',
    { skip: process.getuid?.() !== 0 && 'needs root' },
    async (t) => {
      const base = join(dir, 'made');
      chmodSync(dir, 0o777);
      const env = { BASE_PATH: base };
      const server = run(t, [dist('storage-cli.cjs')], { env, cwd: '/', uid: nobody, gid: nobody });
      server.child.stdin?.end(initialize);
      assert.equal(await server.end(), 0, server.stderr);
      assert.ok(existsSync(base));
    },
  );

  it('reports a directory that it cannot create', async (t) => {
    writeFileSync(join(dir, 'file'), '');
    const server = backend(t, [], join(dir, 'file', 'storage'));
    assert.equal(await server.end(), 1);
    assert.match(server.stderr, /^BASE_PATH: .* could not be made \(ENOTDIR\); expected a directory, or a path where/);
  });

  it('gives up where no directory can be created', async (t) => {
    const server = backend(t, [], '/proc/nowhere/storage');
    assert.equal(await server.end(), 1);
    assert.match(server.stderr, /^BASE_PATH: .* could not be made \(ENOENT\)/);
  });

  it('gives flags precedence', async (t) => {
    const server = backend(t, ['--toolset=files', `--dir=${dir}`, '--log-level=info'], join(dir, 'made'));
    server.child.stdin?.end();
    assert.equal(await server.end(), 0);
    assert.match(server.stderr, new RegExp(`serves ${dir} on stdio \\(list_files`));
    assert.deepEqual(readdirSync(dir), []);
  });
});

describe('a defect', () => {
  it('is logged as fatal, and the process exits with 1', async (t) => {
    const defect = 'data:text/javascript,setTimeout(() => { throw new Error("defect") }, 300)';
    const server = run(t, ['--import', defect, cli, `--dir=${dir}`, '--transport=stdio']);
    assert.equal(await server.end(), 1);
    assert.match(server.stderr, /"level":"fatal".*"message":"defect".*"msg":"uncaught exception"/);
  });
});

describe('npm start', () => {
  const quickStart = dist('quick-start.js');

  it('serves ./workspace with a sample file, and prints a call that works', async (t) => {
    const port = await freePort();
    const server = run(t, [quickStart, `--port=${String(port)}`], { cwd: dir });
    const [, url, body] = await server.printed(
      /\n {2}curl (http:\S+) -H 'Content-Type: application\/json' -d '(.*)'\n/,
    );
    assert.match(server.stdout, /^file-editor .* serves .*workspace on http/);
    assert.equal(server.stdout.includes('Try a call in another terminal in this container:\n'), isContainer);
    assert.ok(url !== undefined && body !== undefined);
    const answer = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /Welcome to the workspace/);
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'read_file', arguments: { name: 'welcome.txt' } },
    };
    const told = await fetch(new URL('/mcp', url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify(message),
    });
    const toModels = await told.text();
    assert.match(toModels, /Welcome to the workspace/);
    assert.doesNotMatch(toModels, /structuredContent/, 'some clients would show a model that, without the text');
    const page = await (await fetch(new URL('/', url))).text();
    assert.doesNotMatch(page, /<code>--mcp-text-only<\/code> for them/);
    assert.deepEqual(readdirSync(join(dir, 'workspace')), ['welcome.txt']);
  });

  it('prints the page, the MCP address, the files and how to stop, and nothing in JSON', async (t) => {
    const port = String(await freePort());
    const server = run(t, [quickStart, `--port=${port}`], { cwd: dir });
    await server.printed(/--log-level=info/);
    const url = `http://127.0.0.1:${port}`;
    for (const line of [
      `Status page  ${url}/  (`,
      `MCP address  ${url}/mcp\n`,
      `Your files   ${join(dir, 'workspace')}\n`,
      'To end it    Ctrl-C\n',
    ])
      assert.ok(server.stdout.includes(`\n  ${line}`), server.stdout);
    server.child.kill('SIGINT');
    assert.equal(await server.end(), 0);
    assert.equal(server.stderr, '');
  });

  for (const more of ['--log-level=info', '--host=127.0.0.2']) {
    it(`logs like the command with ${more}`, async (t) => {
      const server = run(t, [quickStart, `--port=${String(await freePort())}`, more], { cwd: dir });
      await server.printed(/"level":"info".*"startMs":\d+/);
    });
  }

  it('serves another directory if asked, and creates nothing then', async (t) => {
    const port = await freePort();
    const served = join(dir, 'other');
    mkdirSync(served);
    const server = run(t, [quickStart, `--port=${String(port)}`, `--dir=${served}`], { cwd: dir });
    await server.printed(/curl http:.*\/list_files/);
    assert.deepEqual(readdirSync(dir), ['other']);
  });

  it('serves only the workspace with --read-only, and does not create one', async (t) => {
    const port = `--port=${String(await freePort())}`;
    const missing = run(t, [quickStart, port, '--read-only'], { cwd: dir });
    assert.equal(await missing.end(), 1);
    assert.match(missing.stderr, /workspace" does not exist/);
    assert.deepEqual(readdirSync(dir), []);
    mkdirSync(join(dir, 'workspace'));
    const server = run(t, [quickStart, port, '--read-only'], { cwd: dir });
    await server.printed(/curl http:.*\/list_files/);
    assert.match(server.stdout, /serves \S+\/workspace on/);
  });

  for (const [toolset, call] of [
    ['storage,edits', /\/view .*welcome\.txt/],
    ['edits', /\/openapi\.json\n/],
    ['edits, files', /\/read_file .*welcome\.txt/],
  ] as const) {
    it(`prints a call that works with --toolset=${toolset}`, async (t) => {
      const args = [`--port=${String(await freePort())}`, `--toolset=${toolset}`];
      await run(t, [quickStart, ...args], { cwd: dir }).printed(call);
    });
  }

  it('keeps existing files in the workspace', async (t) => {
    mkdirSync(join(dir, 'workspace'));
    writeFileSync(join(dir, 'workspace', 'welcome.txt'), 'mine');
    const server = run(t, [quickStart, `--port=${String(await freePort())}`], { cwd: dir });
    await server.printed(/curl/);
    assert.equal(readFileSync(join(dir, 'workspace', 'welcome.txt'), 'utf8'), 'mine');
  });

  for (const args of [['--help'], ['--port=1'], ['--frobnicate']]) {
    it(`creates nothing with ${args.join(' ')}`, async (t) => {
      const port = args[0] === '--frobnicate' ? [`--port=${String(await freePort())}`] : [];
      const server = run(t, [quickStart, ...args, ...port], { cwd: dir });
      assert.equal(await server.end(), args[0] === '--help' ? 0 : 1);
      assert.deepEqual(readdirSync(dir), []);
      assert.equal(server.stderr.split('\n').length - 1, args[0] === '--help' ? 0 : 1, server.stderr);
    });
  }

  it('creates nothing if the port is in use', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    t.after(() => other.close());
    const address = other.address();
    assert.ok(typeof address === 'object' && address !== null);
    const server = run(t, [quickStart, `--port=${String(address.port)}`], { cwd: dir });
    assert.equal(await server.end(), 1);
    assert.match(server.stderr, new RegExp(`^--port: ${String(address.port)} is in use on 127.0.0.1; expected .*\n$`));
    assert.deepEqual(readdirSync(dir), []);
  });

  it('reserves stdout for the protocol over stdio', async (t) => {
    const server = run(t, [quickStart, '--transport=stdio'], { cwd: dir });
    server.child.stdin?.end(request(1, 'list_files', {}));
    assert.equal(await server.end(), 0);
    assert.match(server.stdout, /^\{"jsonrpc":"2\.0","id":1,"result":.*welcome\.txt.*\}\n$/);
  });
});

describe('a command', () => {
  it('tells the model about oversized arguments, although one bundle reads them and another calls the tool', async (t) => {
    const server = run(t, [cli, `--dir=${dir}`, '--transport=stdio']);
    const edits = Array.from({ length: 20_000 }, () => ({ line: 0, operation: 'insert', content: 'x' }));
    server.child.stdin?.end(request(1, 'tools/call', { name: 'edit_file', arguments: { name: 'a.txt', edits } }));
    assert.equal(await server.end(), 0);
    assert.match(server.stdout, /Error: Invalid params: too many values\\n\/params\/arguments holds too much/);
  });

  const skip = process.platform !== 'linux' && 'no /proc';
  it('does not need the directory it was started in, even to start threads', { skip }, async (t) => {
    const cwd = mkdtempSync(join(root, 'cwd-'));
    const server = run(t, [cli, `--dir=../${basename(dir)}`, '--transport=stdio', '--read-only'], { cwd });
    server.child.stdin?.write(request(1, 'list_files', {}));
    await server.printed(/"id":1,"result"/);
    assert.equal(readlinkSync(`/proc/${String(server.child.pid)}/cwd`), '/');
    server.child.stdin?.end();
    assert.equal(await server.end(), 0);
  });
});

describe('the library', () => {
  it('starts a server on a free port, and lets the process exit once it is closed', async (t) => {
    const script = `
      import { startServer, StartError } from ${JSON.stringify(dist('index.js'))};
      const server = await startServer({ dir: ${JSON.stringify(dir)}, port: 0, logLevel: 'silent' });
      const { status } = await fetch(server.url + '/health');
      const headers = { 'Content-Type': 'application/json' };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      const pong = await (await fetch(server.url + '/mcp', { method: 'POST', headers, body })).text();
      await server.close();
      await server.close();
      const refused = await startServer({ dir: ${JSON.stringify(dir)}, port: 1 }).catch((error) => error);
      console.log(status, pong, server.port > 1023, refused instanceof StartError, refused.problems.length);
    `;
    const program = run(t, ['--input-type=module', '--eval', script]);
    assert.equal(await program.end(), 0, program.stderr);
    assert.equal(program.stdout, '200 {"jsonrpc":"2.0","id":1,"result":{}} true true 1\n');
  });

  it('reports a port in use together with all other problems', async (t) => {
    const script = `
      import { startServer, StartError } from ${JSON.stringify(dist('index.js'))};
      const { port, close } = await startServer({ dir: ${JSON.stringify(dir)}, port: 0, logLevel: 'silent' });
      const refused = await startServer({ dir: ${JSON.stringify(join(dir, 'missing'))}, port }).catch((error) => error);
      console.log(refused instanceof StartError, refused.problems.map((problem) => problem.split(' ')[0]).join());
      await close();
    `;
    const program = run(t, ['--input-type=module', '--eval', script]);
    assert.equal(await program.end(), 0, program.stderr);
    assert.equal(program.stdout, 'true dir:,port:\n');
  });
});
