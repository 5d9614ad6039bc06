/**
 * The single executable: the Node that runs this script plus both commands, the thread and the libraries of this
 * platform. Runs after the build, because it uses the generated sources.
 *
 *   tsx binary.config.ts   dist/binary/file-editor
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('.', import.meta.url));
const folder = join(root, 'dist/binary');
const executable = join(folder, process.platform === 'win32' ? 'file-editor.exe' : 'file-editor');
/** The sentinel by which Node detects an injected blob. */
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const platform = `${process.platform}-${process.arch}`;
const lockLibrary = join(root, `node_modules/fs-native-extensions/prebuilds/${platform}/fs-native-extensions.node`);
const uws = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
/** An optional dependency: node:http listens without it. */
const uwsLibrary = join(root, 'node_modules/uWebSockets.js', uws);

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  supported: { 'dynamic-import': false },
  external: ['@napi-rs/nice'],
  logLevel: 'warning',
  write: false,
} as const satisfies BuildOptions;

/** Replaces a module that looks for a file of its own. */
function replaced(filter: RegExp, contents: string): Plugin {
  return {
    name: `replaced ${filter.source}`,
    setup(builder) {
      builder.onLoad({ filter }, () => ({ contents }));
    },
  };
}

/** piscina starts its threads from a neighbouring file. Here the same file also holds their code. */
const threadOfPiscina: Plugin = {
  name: 'thread of piscina',
  setup(builder) {
    builder.onLoad({ filter: /piscina[\\/]dist[\\/]index\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source.replace("(0, node_path_1.resolve)(__dirname, 'worker.js')", 'this.options.filename');
      if (contents === source) throw new Error('piscina starts its threads in another way now');
      return { contents };
    });
  },
};

/** Loaded by name, as in the package, so the listener reports the same for both. */
const uwsOfBinary: Plugin = {
  name: 'uWebSockets.js of the executable',
  setup(builder) {
    builder.onResolve({ filter: /^uWebSockets\.js$/ }, ({ path }) => ({ path, namespace: 'library' }));
    builder.onLoad({ filter: /^/, namespace: 'library' }, () => ({
      contents: "module.exports = unpacked.library('workers/uws.node');",
    }));
  },
};

const lockBinding = /fs-native-extensions[\\/]binding\.js$/;

async function bundled(options: BuildOptions): Promise<Uint8Array> {
  const { outputFiles } = await build({ ...common, ...options, write: false });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('esbuild has made nothing');
  return file.contents;
}

const threadCode = await bundled({
  stdin: {
    contents: "require('./node_modules/piscina/dist/worker.js'); module.exports = require('./workers/main.ts');",
    resolveDir: root,
  },
  define: { 'import.meta.url': 'undefined' },
  plugins: [replaced(lockBinding, "module.exports = require(__dirname + '/fs-native-extensions.node');")],
});
const libraries = { 'workers/fs-native-extensions.node': await readFile(lockLibrary) };
const listener = existsSync(uwsLibrary) ? { 'workers/uws.node': await readFile(uwsLibrary) } : {};
const assets: Readonly<Record<string, Uint8Array>> = { 'workers/main.cjs': threadCode, ...libraries, ...listener };
const hash = createHash('sha256');
for (const bytes of Object.values(assets)) hash.update(createHash('sha256').update(bytes).digest());

const mainCode = await bundled({
  entryPoints: ['src/binary/main.ts'],
  inject: ['src/binary/unpacked.ts'],
  define: { 'import.meta.url': 'unpacked.url', contentHash: JSON.stringify(hash.digest('hex').slice(0, 32)) },
  plugins: [
    replaced(lockBinding, "module.exports = unpacked.library('workers/fs-native-extensions.node');"),
    threadOfPiscina,
    uwsOfBinary,
  ],
});

await mkdir(folder, { recursive: true });
const work = await mkdtemp(join(folder, 'work-'));
try {
  const paths: Record<string, string> = {};
  for (const [index, [name, bytes]] of Object.entries(assets).entries()) {
    paths[name] = join(work, String(index));
    await writeFile(paths[name], bytes);
  }
  const config = {
    // Not the build path, which a stack trace would show.
    main: 'main.cjs',
    output: join(work, 'blob'),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets: paths,
  };
  await writeFile(join(work, config.main), mainCode);
  await writeFile(join(work, 'config.json'), JSON.stringify(config));
  execFileSync(process.execPath, ['--experimental-sea-config', 'config.json'], { cwd: work, stdio: 'pipe' });
  const copy = join(work, 'node');
  await copyFile(process.execPath, copy);
  await chmod(copy, 0o755);
  const postject = join(root, 'node_modules/postject/dist/cli.js');
  const place = ['--sentinel-fuse', sentinelFuse, '--macho-segment-name', 'NODE_SEA'];
  execFileSync(process.execPath, [postject, copy, 'NODE_SEA_BLOB', config.output, ...place], { stdio: 'pipe' });
  await rename(copy, executable);
} finally {
  await rm(work, { recursive: true });
}
