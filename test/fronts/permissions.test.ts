import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { lendToSuite, withDirectory } from '../directory.js';
import { untilTrusted } from '../operations/lister.js';
import { cli, startHttpServer } from './server-process.js';

/** Root may do everything, so the server runs as `nobody` here. */
const nobody = 65_534;

function reasonToSkip(): string | false {
  if (process.getuid?.() !== 0) return 'needs root to start a server as another user';
  const look = `require('node:fs').accessSync(${JSON.stringify(cli)})`;
  const { status } = spawnSync(process.execPath, ['-e', look], { uid: nobody, gid: nobody });
  return status === 0 ? false : 'needs a checkout that other users can read';
}

interface Refusal {
  readonly status: number;
  readonly message: string;
}

describe("missing permissions of the server's user", { skip: reasonToSkip() }, () => {
  let directory: string;
  let call: (operation: string, params: object) => Promise<{ status: number; body: Record<string, unknown> }>;
  let health: () => Promise<number>;

  lendToSuite({ 'mine.txt': 'text\n' }, async (lent) => {
    directory = lent;
    for (const name of ['.', 'mine.txt']) chownSync(join(directory, name), nobody, nobody);
    for (const [name, mode] of [
      ['read-only.txt', 0o444],
      ['write-only.txt', 0o200],
    ] as const) {
      writeFileSync(join(directory, name), 'text\n');
      chownSync(join(directory, name), nobody, nobody);
      chmodSync(join(directory, name), mode);
    }
    // This user must be able to write coverage data, too.
    const coverage = process.env['NODE_V8_COVERAGE'];
    if (coverage !== undefined) chmodSync(coverage, 0o777);
    const server = await startHttpServer(directory, {}, { user: nobody });
    call = async (operation, params) => {
      const response = await server.post(`/${operation}`, params);
      const body: unknown = await response.json();
      assert.ok(typeof body === 'object' && body !== null);
      return { status: response.status, body: { ...body } };
    };
    health = async () => (await fetch(`${server.url}/health`)).status;
    return () => {
      chmodSync(directory, 0o700);
      return server.stop();
    };
  });

  async function refusal(operation: string, params: object): Promise<Refusal> {
    const { status, body } = await call(operation, params);
    const error = body['error'];
    assert.ok(typeof error === 'object' && error !== null && 'message' in error, JSON.stringify(body));
    return { status, message: String(error.message) };
  }

  async function listed(): Promise<unknown[][]> {
    const { body } = await call('list_files', {});
    const files = body['files'];
    assert.ok(Array.isArray(files));
    return files.map(({ name, readable, writable, lines }: Record<string, unknown>) => [
      name,
      readable,
      writable,
      lines,
    ]);
  }

  it('are shown in the list', async () => {
    const rights = [
      ['mine.txt', true, true, 1],
      ['read-only.txt', true, false, 1],
      ['write-only.txt', false, true, -1],
    ];
    assert.deepEqual(await listed(), rights);
    await untilTrusted();
    for (let i = 0; i < 2; i++) assert.deepEqual(await listed(), rights);
  });

  it('do not prevent counting the lines of readable files that others own', async () => {
    const path = join(directory, 'others.txt');
    writeFileSync(path, 'one\ntwo\n');
    const others = (await listed()).filter(([name]) => name === 'others.txt');
    rmSync(path);
    assert.deepEqual(others, [['others.txt', true, false, 2]]);
  });

  it('are shown in the list as soon as they change', async () => {
    const change = (...modes: number[]): void => {
      for (const [i, name] of ['mine.txt', 'read-only.txt', 'write-only.txt'].entries())
        chmodSync(join(directory, name), modes[i] ?? 0);
    };
    change(0o200, 0o644, 0o444);
    assert.deepEqual(await listed(), [
      ['mine.txt', false, true, -1],
      ['read-only.txt', true, true, 1],
      ['write-only.txt', true, false, 1],
    ]);
    await untilTrusted();
    await listed();
    change(0o644, 0o444, 0o200);
    assert.deepEqual(await listed(), [
      ['mine.txt', true, true, 1],
      ['read-only.txt', true, false, 1],
      ['write-only.txt', false, true, -1],
    ]);
  });

  it("are not bypassed: a file's own permission bits decide", async () => {
    for (const [operation, name] of [
      ['edit_file', 'read-only.txt'],
      ['edit_file', 'write-only.txt'],
      ['read_file', 'write-only.txt'],
    ] as const) {
      assert.deepEqual(await refusal(operation, { name, ...(operation === 'edit_file' ? { append: 'x' } : {}) }), {
        status: 403,
        message: `Permission denied accessing '${name}'`,
      });
    }
    assert.equal(readFileSync(join(directory, 'read-only.txt'), 'utf8'), 'text\n');
  });

  it('refuse edits in an unwritable directory, and nothing is left there', async () => {
    chmodSync(directory, 0o500);
    for (const params of [
      { name: 'mine.txt', append: 'x' },
      { name: 'new.txt', append: 'x', create_if_missing: true },
    ]) {
      const { status, message } = await refusal('edit_file', params);
      assert.equal(status, 403);
      assert.equal(message, 'Failed to write file atomically: EACCES: permission denied');
    }
    assert.deepEqual(readdirSync(directory).sort(), ['mine.txt', 'read-only.txt', 'write-only.txt']);
  });

  it('list a file as not writable if its directory lets nobody, or only the owner, replace it', async () => {
    const listed = async (): Promise<unknown[]> => {
      const files = (await call('list_files', {})).body['files'];
      assert.ok(Array.isArray(files));
      return files.map((file: { name: string; writable: boolean }) => [file.name, file.writable]);
    };
    writeFileSync(join(directory, 'of-root.txt'), 'text\n');
    chmodSync(join(directory, 'of-root.txt'), 0o666);
    // For a link, the permissions of its target and of the target's directory count.
    mkdirSync(join(directory, 'sub'));
    chmodSync(join(directory, 'sub'), 0o777);
    writeFileSync(join(directory, 'sub/b.txt'), 'text\n');
    chmodSync(join(directory, 'sub/b.txt'), 0o666);
    symlinkSync('sub/b.txt', join(directory, 'link.txt'));
    const others = [
      ['read-only.txt', false],
      ['write-only.txt', true],
    ];
    try {
      for (const [mode, owner, writable] of [
        [0o1777, 0, false],
        [0o1777, nobody, true],
        [0o777, 0, true],
      ] as const) {
        chownSync(directory, owner, owner);
        chmodSync(directory, mode);
        const asked = [
          ['link.txt', true],
          ['mine.txt', true],
          ['of-root.txt', writable],
        ] as const;
        assert.deepEqual(await listed(), [...asked, ...others]);
        for (const [name, may] of asked) {
          const { status } = await call('edit_file', { name, append: 'x' });
          assert.equal(status, may ? 200 : 403, name);
        }
      }
      chownSync(join(directory, 'sub/b.txt'), 0, 0);
      chmodSync(join(directory, 'sub'), 0o1777);
      assert.deepEqual((await listed())[0], ['link.txt', false]);
      chmodSync(join(directory, 'sub'), 0o755);
      assert.deepEqual((await listed())[0], ['link.txt', false]);
      chmodSync(directory, 0o555);
      assert.deepEqual((await listed())[1], ['mine.txt', false]);
    } finally {
      for (const name of ['of-root.txt', 'link.txt']) unlinkSync(join(directory, name));
      rmSync(join(directory, 'sub'), { recursive: true });
      chownSync(directory, nobody, nobody);
      chmodSync(directory, 0o700);
    }
  });

  it('refuse a listing of an unreadable directory, whose files can still be read by name', async () => {
    chmodSync(directory, 0o300);
    assert.deepEqual(await refusal('list_files', {}), { status: 403, message: 'Cannot access working directory' });
    assert.equal((await call('read_file', { name: 'mine.txt' })).status, 200);
    assert.equal(await health(), 503);
  });

  it('refuse all access in a directory that may not be searched', async () => {
    chmodSync(directory, 0o000);
    assert.equal((await refusal('read_file', { name: 'mine.txt' })).status, 403);
    assert.equal((await refusal('edit_file', { name: 'mine.txt', append: 'x' })).status, 403);
    for (const mode of [0o000, 0o400]) {
      chmodSync(directory, mode);
      assert.deepEqual(await refusal('list_files', {}), { status: 403, message: 'Cannot access working directory' });
    }
    assert.equal(await health(), 503);
    chmodSync(directory, 0o700);
    assert.equal(await health(), 200);
  });
});

describe('a file whose owner or group the server may not preserve', { skip: reasonToSkip() }, () => {
  const cases = [
    ['its group', nobody, 0, /^The group of a file could not be kept, it went from 65534:0 to 65534:65534: EPERM/],
    ['its owner', 0, nobody, /^The owner of a file could not be kept, it went from 0:65534 to 65534:65534: EPERM/],
    ['both', 0, 0, /^The owner and the group of a file could not be kept, it went from 0:0 to 65534:65534: EPERM/],
  ] as const;
  for (const [what, uid, gid, message] of cases) {
    it(`loses ${what}, and the log says which`, () =>
      withDirectory({ 'a.txt': 'text\n' }, (directory) => {
        chmodSync(directory, 0o777);
        chownSync(join(directory, 'a.txt'), uid, gid);
        chmodSync(join(directory, 'a.txt'), 0o666);
        const params = { name: 'a.txt', append: 'x' };
        const { stdout, stderr } = spawnSync(process.execPath, [cli, `--dir=${directory}`, '--transport=stdio'], {
          input: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'edit_file', params }),
          encoding: 'utf8',
          uid: nobody,
          gid: nobody,
        });
        assert.match(stdout, /"success":true/);
        const lines = stderr.split('\n').filter((line) => line.includes('could not be kept'));
        assert.equal(lines.length, 1, stderr);
        const line: unknown = JSON.parse(lines[0] ?? '');
        assert.match(String(Reflect.get(Object(line), 'msg')), message);
        assert.equal(Reflect.get(Object(line), 'filename'), 'a.txt');
      }));
  }
});

describe("paths that are off limits to the server's user", { skip: reasonToSkip() }, () => {
  it('are refused by every storage tool, with a one-line cause in the log and nothing left over', () =>
    withDirectory({ 'shut/a.txt': 'text', 'fixed/a.txt': 'text', 'mine.txt': 'text' }, async (directory) => {
      for (const name of ['.', 'shut', 'fixed', 'fixed/a.txt', 'mine.txt'])
        chownSync(join(directory, name), nobody, nobody);
      const coverage = process.env['NODE_V8_COVERAGE'];
      if (coverage !== undefined) chmodSync(coverage, 0o777);
      chmodSync(join(directory, 'shut'), 0o000);
      chmodSync(join(directory, 'fixed/a.txt'), 0o444);
      chmodSync(join(directory, 'fixed'), 0o500);
      const server = await startHttpServer(directory, { toolset: 'storage' }, { user: nobody });
      for (const [operation, params] of [
        ['view', { path: 'shut' }],
        ['view', { path: 'shut/a.txt' }],
        ['create', { path: 'shut/new.txt', content: '', encoding: 'utf-8' }],
        ['create', { path: 'fixed/new.txt', content: '', encoding: 'utf-8' }],
        ['create', { path: 'fixed/new/deep.txt', content: '', encoding: 'utf-8' }],
        ['str_replace', { path: 'fixed/a.txt', old_str: 'text', new_str: '' }],
        ['insert', { path: 'fixed/a.txt', insert_line: 1, new_str: 'x' }],
        ['delete', { path: 'fixed/a.txt' }],
        ['delete', { path: 'shut/a.txt' }],
        ['rename', { old_path: 'mine.txt', new_path: 'fixed/new.txt' }],
        ['rename', { old_path: 'mine.txt', new_path: 'fixed/new/deep.txt' }],
        ['rename', { old_path: 'fixed/a.txt', new_path: 'a.txt' }],
      ] as const) {
        const response = await server.post(`/${operation}`, params);
        const body: unknown = await response.json();
        const error: unknown = Reflect.get(Object(body), 'error');
        const message = 'path' in params ? `Permission denied: ${params.path}` : 'Permission denied';
        assert.deepEqual([response.status, Reflect.get(Object(error), 'message')], [403, message], operation);
        assert.equal(Reflect.get(Object(Reflect.get(Object(error), 'data')), 'reason'), 'permission_denied');
      }
      await server.stop();
      const logged = server.errors().trimEnd().split('\n');
      const told = logged.flatMap((line) => (JSON.parse(line) as { cause?: string }).cause ?? []);
      assert.ok(told.length > 0, server.errors());
      // A system error is named by its errno: it is not a bug, so it needs no stack.
      for (const cause of told) assert.match(cause, /^E[A-Z]+: [^\n]+$/);
      chmodSync(join(directory, 'shut'), 0o700);
      assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'fixed', 'mine.txt', 'shut']);
      assert.deepEqual(
        [readdirSync(join(directory, 'fixed')), readdirSync(join(directory, 'shut'))],
        [['a.txt'], ['a.txt']],
      );
      assert.equal(readFileSync(join(directory, 'fixed/a.txt'), 'utf8'), 'text');
    }));
});
