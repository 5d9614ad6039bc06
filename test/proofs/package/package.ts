import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { publint } from 'publint';
import { compile, makeProject, nodeTypes, pack, root, run, type Packed } from './installation.js';

/** Everything that may be in the tarball. */
const needed = [
  /^(?:LICENSE|README\.md|CHANGELOG\.md|SECURITY\.md|package\.json)$/,
  /^docs\/(?:[\w-]+\.md|bench\.svg|deploy\/[\w.-]+)$/,
  /^dist\/src\/(?:cli|storage-cli|observe\/log-lines|access\/tokens-bundle|protocols\/mcp\/mcp-bundle|protocols\/pages\/late-pages)(?:\.code)?\.cjs$/,
  /^dist\/src\/(?:index|client\/index)\.js$/,
  /^dist\/workers\/main(?:\.code)?\.cjs$/,
  /^dist\/third-party-licences\.txt$/,
  /^dist\/types\/(?:src|workers)\/[\w/-]+\.d\.ts$/,
];

const program = `
import { applyEdits, createFileStorage, startServer, ApplyEditsError, FileStorageError } from 'file-editing-server';
import type { FileContent, FileStorage, StartOptions, StorageError } from 'file-editing-server';
import { FileEditor, FileEditorError, type Results } from 'file-editing-server/client';

const options: StartOptions = { dir: process.argv[2] ?? '', port: 0, toolset: 'all', logLevel: 'warn' };
const server = await startServer(options);
const editor = new FileEditor(server.url);
await editor.create({ path: 'a.txt', content: 'one\\n', encoding: 'utf-8' });
const done: Results['edit_file'] = await editor.editFile({ name: 'a.txt', edits: [{ line: 1, operation: 'replace', content: 'two' }] });
const content: Results['view'] = await editor.view({ path: 'a.txt' });
const { diff } = await applyEdits(\`\${process.argv[2] ?? ''}/a.txt\`, [{ old_string: 'two', new_string: 'three' }]);
// @ts-expect-error
await editor.readFile({ path: 'a.txt' }).catch((error: unknown) => {
  if (!(error instanceof FileEditorError) || error.status !== 400) throw error;
});
await server.close();
const storage: FileStorage = createFileStorage({ basePath: process.argv[2] ?? '' });
const stored: FileContent = await storage.view('a.txt');
const refused = await storage.delete('missing').catch((error: unknown): StorageError => {
  if (!(error instanceof FileStorageError)) throw error;
  return error;
});
console.log(JSON.stringify({ done, content, diff, stored, refused: refused?.code, known: ApplyEditsError.name }));
`;

describe('the package', () => {
  let folder: string;
  let packed: Packed;
  let project: string;
  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'package-')));
    packed = await pack(folder);
    project = join(folder, 'project');
    await makeProject(project, [packed.path], { 'program.ts': program });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('contains what is needed and nothing else, in less than 1.15 MB', async () => {
    const { files, size } = packed;
    assert.deepEqual(
      files.filter((path) => !needed.some((pattern) => pattern.test(path))),
      [],
    );
    for (const pattern of needed)
      assert.ok(files.some((path) => pattern.test(path)) || pattern.source.includes('docs'));
    // 1.04 MB since views of several files and edits by glob; a tenth of that is documents.
    assert.ok(size < 1_150_000, `${String(size)} bytes`);
    const installed = Number((await run(project, 'du', '-sk', 'node_modules')).split('\t')[0]);
    assert.ok(installed < 10_000, `${String(installed)} kB with its dependencies`);
  });

  it('runs both commands from the tarball with npx, in an empty folder', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    const empty = join(folder, 'empty');
    await mkdir(empty);
    for (const command of ['file-editor', 'file-storage-backend']) {
      const printed = await run(empty, 'npx', '--yes', `--package=${packed.path}`, command, '--version');
      assert.equal(printed.trim().split('\n').at(-1), version);
    }
  });

  it('edits a file over stdio, as installed', async () => {
    const served = await mkdtemp(join(folder, 'served-'));
    await writeFile(join(served, 'a.txt'), 'one\n');
    const command = join(project, 'node_modules/.bin/file-editor');
    const server = spawn(command, [`--dir=${served}`, '--transport=stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    server.stdin.end(
      '{"jsonrpc":"2.0","id":1,"method":"edit_file","params":{"name":"a.txt","edits":[],"append":"two"}}\n',
    );
    assert.match(await text(server.stdout), /"new_total_lines":2/);
    assert.equal(await readFile(join(served, 'a.txt'), 'utf8'), 'one\ntwo\n');
  });

  it('can be imported under either module resolution, and works', async () => {
    await compile(
      project,
      'bundler.json',
      { module: 'esnext', moduleResolution: 'bundler', ...nodeTypes },
      'program.ts',
    );
    const module = { module: 'node16', moduleResolution: 'node16', noEmit: false };
    await compile(project, 'node16.json', { ...module, ...nodeTypes }, 'program.ts');
    const served = await mkdtemp(join(folder, 'served-'));
    const printed = JSON.parse(await run(project, process.execPath, 'program.js', served)) as Record<string, unknown>;
    assert.deepEqual(printed['content'], { type: 'file', content: 'two\n', encoding: 'utf-8', size: 4 });
    assert.match(String(printed['diff']), /-two\n\+three/);
    assert.deepEqual(printed['stored'], { type: 'file', content: 'three\n', encoding: 'utf-8', size: 6 });
    assert.equal(printed['refused'], 'file_not_found');
  });

  it('has a client for browsers that needs no Node types', async () => {
    await writeFile(
      join(project, 'page.ts'),
      `import { FileEditor } from 'file-editing-server/client';
       export const lines: Promise<number> = new FileEditor('').readFile({ name: 'a' }).then((read) => read.total_lines);`,
    );
    const browser = { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] };
    await compile(project, 'browser.json', browser, 'page.ts');
  });

  it('has types that TypeScript 5.9 and 7.0 accept with nothing but those of Node beside them', async () => {
    const bare = join(folder, 'bare');
    const compilers = { 'typescript-5.9': '5.9.3', 'typescript-7.0': '7.0.2' };
    const aliases = Object.entries(compilers).map(([name, version]) => `${name}@npm:typescript@${version}`);
    // TypeScript 7 is a binary that comes as an optional dependency.
    await makeProject(bare, ['--include=optional', '@types/node@20', ...aliases], { 'program.ts': program });
    const unpacked = join(bare, 'node_modules/file-editing-server');
    await mkdir(unpacked);
    await run(unpacked, 'tar', '-xzf', packed.path, '--strip-components=1');
    for (const name of Object.keys(compilers)) {
      const module = { module: 'node16', moduleResolution: 'node16', types: ['node'] };
      await compile(bare, `${name}.json`, module, 'program.ts', join(bare, 'node_modules', name));
    }
  });

  it('has a manifest that passes publint', async () => {
    const { messages } = await publint({ pkgDir: root, level: 'suggestion', pack: 'npm', strict: true });
    assert.deepEqual(messages, []);
  });

  it('has declarations that pass attw for every way to import it', async () => {
    // Not a dev dependency, since it brings its own compiler.
    const args = ['--yes', '@arethetypeswrong/cli@0.18.5', packed.path, '--profile=esm-only', '--format=ascii'];
    // It also fails on problems of import styles that are deliberately unsupported.
    const report = await run(folder, 'npx', ...args);
    for (const entry of ['file-editing-server', 'file-editing-server/client']) {
      assert.match(report, new RegExp(`"${entry}"\\s+node16 \\(from ESM\\): 🟢 \\(ESM\\)\\s+bundler: 🟢`));
    }
  });
});
