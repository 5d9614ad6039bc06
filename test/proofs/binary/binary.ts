/** The single executable, alone in an empty folder, without Node and without an environment. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../fronts/server-process.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Node builds with a shared library, as some distributions ship, have no slot for a program. */
const hasPlace = (await readFile(process.execPath)).includes('NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2');

describe('the single executable', { skip: hasPlace ? false : 'this build of Node can carry no program' }, () => {
  let folder: string;
  let executable: string;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    await run(process.execPath, [join(root, 'node_modules/tsx/dist/cli.mjs'), 'binary.config.ts'], { cwd: root });
    folder = await realpath(await mkdtemp(join(tmpdir(), 'binary-')));
    executable = join(folder, 'file-editor');
    await copyFile(join(root, 'dist/binary/file-editor'), executable);
    await mkdir(join(folder, 'home'));
    await mkdir(join(folder, 'tmp'));
    await mkdir(join(folder, 'empty'));
    env = { PATH: '', HOME: join(folder, 'home'), TMPDIR: join(folder, 'tmp') };
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** A directory to serve, with one file. */
  async function served(content = 'one\n'): Promise<string> {
    const directory = await mkdtemp(join(folder, 'served-'));
    await writeFile(join(directory, 'a.txt'), content);
    return directory;
  }

  /** Append a line over stdio. @returns what the server answers */
  async function append(program: string, args: readonly string[], request: object): Promise<string> {
    const server = spawn(program, args, { cwd: join(folder, 'empty'), env, stdio: ['pipe', 'pipe', 'inherit'] });
    server.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, ...request })}\n`);
    return text(server.stdout);
  }

  const appendTwo = { method: 'edit_file', params: { name: 'a.txt', append: 'two' } };

  it('prints its version without unpacking anything', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    const { stdout } = await run(executable, ['--version'], { cwd: join(folder, 'empty'), env });
    assert.equal(stdout, `${version}\n`);
    assert.deepEqual(await readdir(join(folder, 'home')), []);
  });

  it('edits over stdio, with its unpacked files in a private folder', async () => {
    const directory = await served();
    const answer = await append(executable, [`--dir=${directory}`, '--transport=stdio', '--log-level=warn'], appendTwo);
    assert.match(answer, /"new_total_lines":2/);
    assert.equal(await readFile(join(directory, 'a.txt'), 'utf8'), 'one\ntwo\n');
    const cache = join(folder, 'home/.cache/file-editing-server');
    assert.equal((await stat(cache)).mode & 0o777, 0o700);
    assert.deepEqual(await readdir(join(folder, 'empty')), []);
    assert.deepEqual(await readdir(join(folder, 'tmp')), []);
  });

  it('serves HTTP: edits, and texts transferred between threads', async () => {
    const large = 'x'.repeat(1_000_000);
    const directory = await served(large);
    const port = String(await freePort());
    const server = spawn(executable, [`--dir=${directory}`, `--port=${port}`], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exited = once(server, 'exit');
    await once(createInterface(server.stdout), 'line');
    const call = async (operation: string, params: object): Promise<unknown> => {
      const headers = { 'Content-Type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(params) };
      return (await fetch(`http://127.0.0.1:${port}/${operation}`, init)).json();
    };
    assert.deepEqual(await call('read_file', { name: 'a.txt' }), { content: large, total_lines: 1 });
    const edit = { name: 'b.txt', append: 'b', create_if_missing: true };
    assert.deepEqual(await call('edit_file', edit), {
      success: true,
      lines_modified: 1,
      file_created: true,
      new_total_lines: 1,
    });
    server.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
  });

  it('acts as file-storage-backend under that name', async () => {
    const called = join(folder, 'file-storage-backend');
    await link(executable, called);
    const directory = await served();
    const params = { name: 'view', arguments: { path: '' } };
    const answer = await append(called, [`--dir=${directory}`, '--log-level=warn'], { method: 'tools/call', params });
    assert.match(answer, /"entries":\["a.txt"\]/);
  });

  it('repairs unpacked files that were changed', async () => {
    const cache = join(folder, 'home/.cache/file-editing-server');
    const [hash = ''] = await readdir(cache);
    const thread = join(cache, hash, 'workers/main.cjs');
    await chmod(thread, 0o600);
    await writeFile(thread, 'process.exit(7)');
    const answer = await append(
      executable,
      [`--dir=${await served()}`, '--transport=stdio', '--log-level=warn'],
      appendTwo,
    );
    assert.match(answer, /"new_total_lines":2/);
    assert.doesNotMatch(await readFile(thread, 'utf8'), /^process\.exit/);
  });

  it('uses no folder that others can write', async () => {
    const cache = join(folder, 'home/.cache/file-editing-server');
    await chmod(cache, 0o777);
    const answer = await append(
      executable,
      [`--dir=${await served()}`, '--transport=stdio', '--log-level=warn'],
      appendTwo,
    );
    assert.match(answer, /"new_total_lines":2/);
    const [other] = await readdir(join(folder, 'tmp'));
    assert.match(String(other), /^file-editing-server-/);
    await chmod(cache, 0o700);
  });
});
