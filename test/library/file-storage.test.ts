import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createFileStorage,
  FileStorageError,
  StartError,
  type FileStorage,
  type StorageError,
} from '../../src/index.js';
import { withDirectory } from '../directory.js';
import { startServer } from '../reliability/server.js';
import { needs } from '../needs.js';
import { untilDone } from './until-done.js';

const library = new URL('../../dist/src/index.js', import.meta.url).href;

describe('a storage without a server', () => {
  it('has the operations of the interface, with the declared results', () =>
    withDirectory({}, async (directory) => {
      const storage: FileStorage = createFileStorage({ basePath: directory });
      assert.equal(await storage.create('notes/a.md', 'one\n'), undefined);
      assert.equal(await storage.insert('notes/a.md', 2, 'two\n'), undefined);
      assert.equal(await storage.str_replace('notes/a.md', 'one', 'ONE'), undefined);
      assert.equal(await storage.rename('notes/a.md', 'b.md'), undefined);
      assert.deepEqual(await storage.view('b.md'), { type: 'file', content: 'ONE\ntwo\n', encoding: 'utf-8', size: 8 });
      assert.equal(await storage.delete('notes'), undefined);
      await storage.create('bytes', 'AP8=', 'base64');
      assert.deepEqual(await storage.view('bytes'), { type: 'file', content: 'AP8=', encoding: 'base64', size: 2 });
      assert.deepEqual(await storage.view(''), { type: 'directory', entries: ['b.md', 'bytes'] });
    }));

  const errors: readonly [string, (storage: FileStorage) => Promise<unknown>, StorageError][] = [
    [
      'something already exists',
      (storage) => storage.create('a.md', '', 'utf-8'),
      { code: 'file_exists', message: 'File already exists: a.md', path: 'a.md' },
    ],
    [
      'the path leads outside',
      (storage) => storage.delete('../a.md'),
      { code: 'path_security', message: 'Path escapes base directory', path: '../a.md' },
    ],
    [
      'a parameter has the wrong type, as an untyped caller may send',
      async (storage) => {
        const view: unknown = Reflect.get(storage, 'view');
        assert.ok(typeof view === 'function');
        await Reflect.apply(view, storage, [7]);
      },
      { code: 'invalid_params', message: 'Invalid params: /path must be a string, not a number' },
    ],
  ];
  for (const [what, call, expected] of errors) {
    it(`rejects with a code, a message and the path where ${what}`, () =>
      withDirectory({ 'a.md': 'one\ntwo\n' }, async (directory) => {
        mkdirSync(join(directory, 'sub'));
        await assert.rejects(call(createFileStorage({ basePath: directory })), (error) => {
          assert.ok(error instanceof FileStorageError);
          const { code, message, path, details } = error;
          assert.deepEqual({ code, message, ...(path === undefined ? {} : { path }) }, expected);
          assert.match(details, /^\S.*\.$/s);
          return true;
        });
        assert.equal(readFileSync(join(directory, 'a.md'), 'utf8'), 'one\ntwo\n');
      }));
  }

  it('runs calls in the order they were made', () =>
    withDirectory({}, async (directory) => {
      const storage = createFileStorage({ basePath: directory });
      const lines = Array.from({ length: 10 }, (_, index) => `${String(index)}\n`);
      const [, , viewed] = await Promise.all([
        storage.create('a.md', '', 'utf-8'),
        Promise.all(lines.map((line, index) => storage.insert('a.md', index + 1, line))),
        storage.view('a.md'),
        storage.rename('a.md', 'b.md'),
      ]);
      assert.equal(viewed.content, lines.join(''));
      assert.equal(readFileSync(join(directory, 'b.md'), 'utf8'), lines.join(''));
    }));

  it('continues after a failed call', () =>
    withDirectory({}, async (directory) => {
      const storage = createFileStorage({ basePath: directory });
      const [failed, made] = await Promise.allSettled([storage.view('a'), storage.create('a', '', 'utf-8')]);
      assert.deepEqual([failed.status, made.status], ['rejected', 'fulfilled']);
    }));

  it('loses no edit among two storages and a server', () =>
    withDirectory({ 'a.txt': '' }, async (directory) => {
      const server = await startServer('http', directory, { toolset: 'storage' });
      try {
        const client = server.connect(4);
        const storages = [1, 2].map(() => createFileStorage({ basePath: directory }));
        const names = Array.from({ length: 15 }, (_, index) => String(index));
        const insertByStorage = (storage: FileStorage, line: string): Promise<string> =>
          storage.insert('a.txt', 1, `${line}\n`).then(
            () => 'done',
            (error: unknown) => (error instanceof FileStorageError ? error.code : String(error)),
          );
        const insertByServer = async (line: string): Promise<string> => {
          const reply = await client.call('insert', { path: 'a.txt', insert_line: 1, new_str: `${line}\n` });
          return reply.kind === 'refused' ? String(reply.data['reason']) : reply.kind;
        };
        await Promise.all(
          names.flatMap((name) => [
            ...storages.map((storage, index) =>
              untilDone(() => insertByStorage(storage, `storage ${String(index)} ${name}`)),
            ),
            untilDone(() => insertByServer(`server ${name}`)),
          ]),
        );
        const expected = names.flatMap((name) => [`storage 0 ${name}`, `storage 1 ${name}`, `server ${name}`]);
        const lines = readFileSync(join(directory, 'a.txt'), 'utf8').split('\n').slice(0, -1);
        assert.deepEqual(lines.sort(), expected.sort());
      } finally {
        await server.kill();
      }
    }));

  it("gives new files the process's default mode", { skip: process.platform === 'win32' }, () =>
    withDirectory({}, async (directory) => {
      await createFileStorage({ basePath: directory }).create('sub/a', '', 'utf-8');
      const mode = (path: string): number => statSync(join(directory, path)).mode;
      writeFileSync(join(directory, 'other'), '');
      mkdirSync(join(directory, 'folder'));
      assert.deepEqual([mode('sub/a'), mode('sub')], [mode('other'), mode('folder')]);
    }),
  );

  it('closes every descriptor', { skip: process.platform !== 'linux' && 'there is no /proc' }, () =>
    withDirectory({}, async (directory) => {
      const storage = createFileStorage({ basePath: directory });
      const open = (): number => readdirSync('/proc/self/fd').length;
      const round = async (): Promise<void> => {
        await storage.create('a', 'x', 'utf-8');
        await storage.view('');
        await storage.str_replace('a', 'y', '').catch(() => undefined);
        await storage.rename('a', 'b');
        await storage.delete('b');
      };
      await round();
      await sleep(50);
      const before = open();
      for (let rounds = 0; rounds < 20; rounds++) await round();
      await sleep(50);
      assert.equal(open(), before);
    }),
  );

  it('is in the package, and lets its process exit', () =>
    withDirectory({}, async (directory) => {
      const program = `import { createFileStorage } from ${JSON.stringify(library)};
        const storage = createFileStorage({ basePath: ${JSON.stringify(directory)} });
        await storage.create('a/b.txt', 'one', 'utf-8');
        console.log((await storage.view('a/b.txt')).content);`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [printed, ended] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      assert.equal(printed, 'one\n');
      assert.deepEqual(ended, [0, null]);
    }));
});

describe('the directory of a storage', () => {
  it('is created immediately if missing, with its parents', () =>
    withDirectory({}, (directory) => {
      const basePath = join(directory, 'deep/er');
      createFileStorage({ basePath });
      assert.ok(statSync(basePath).isDirectory());
      assert.deepEqual(readdirSync(basePath), []);
    }));

  it('may be a link, which is resolved only once', { skip: needs.links }, () =>
    withDirectory({}, async (directory) => {
      mkdirSync(join(directory, 'real'));
      symlinkSync('real', join(directory, 'link'));
      await createFileStorage({ basePath: join(directory, 'link') }).create('a', '', 'utf-8');
      assert.ok(existsSync(join(directory, 'real/a')));
    }),
  );

  const writesAll = process.getuid?.() === 0 ? 'root may write' : needs.modes;
  const wrong: readonly [string, (directory: string) => unknown, RegExp][] = [
    ['a file', (directory) => join(directory, 'file'), /^basePath: ".*file" is not a directory$/],
    [
      'below a file',
      (directory) => join(directory, 'file/x'),
      /^basePath: ".*x" could not be made \((?:ENOTDIR|ENOENT)\); expected /,
    ],
    ['a relative path', () => 'test', /is not an absolute path; expected that of/],
    ['an empty path', () => '', /^basePath: "" is not an absolute path/],
    ['absent', () => undefined, /^basePath: "undefined" is not an absolute path/],
    ['no longer writable', (directory) => join(directory, 'locked'), /^basePath: ".*locked" is not writable/],
  ];
  for (const [what, basePath, message] of wrong) {
    it(`is refused if it is ${what}`, { skip: what === 'no longer writable' && writesAll }, () =>
      withDirectory({ file: '' }, (directory) => {
        mkdirSync(join(directory, 'locked'));
        chmodSync(join(directory, 'locked'), 0o555);
        const create = (): unknown => Reflect.apply(createFileStorage, undefined, [{ basePath: basePath(directory) }]);
        assert.throws(create, (error) => error instanceof StartError && message.test(error.message));
      }),
    );
  }
});
