/**
 * The build: validators from the operation table, the kernels, bundles, type declarations.
 *
 *   tsx esbuild.config.ts             everything
 *   tsx esbuild.config.ts --bundles   no type declarations: what src/packaging/fresh.mjs asks for
 *
 * Each command is one file, in which a dynamic import still evaluates its modules late: it starts 10 ms sooner
 * than twelve chunks, and a server that runs while its folder is built again never misses a part of itself. Commands
 * and threads are CommonJS: Node then does without its loader of ES modules, a fifth of the start of a server.
 * Files are renamed into their place, since builds of parallel `npm start`s run at once.
 */
import { spawn } from 'node:child_process';
import { mkdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { compileKernels } from './kernel.config.js';
import { keepReachable } from './src/packaging/declarations.js';
import { noticesOf } from './src/packaging/notices.js';
import { writeValidators } from './src/call/validation/compile.js';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');
/** Its time is when the last complete build of the bundles began. */
const stamp = join(dist, '.built');

/**
 * The last three are files of their own because a start need not even parse them: half of all code, and the MCP, which
 * cost 2.4 ms of it; and the pages, with the script of the status page as a text.
 */
const programs = [
  'src/cli.ts',
  'src/storage-cli.ts',
  'workers/main.ts',
  'src/observe/log-lines.ts',
  'src/protocols/mcp/entry.ts',
  'src/protocols/pages/entry.ts',
];
const modules = ['src/quick-start.ts', 'src/index.ts'];
/** Runs in browsers too: what is of Node cannot be bundled. */
const client = 'src/client/index.ts';

/** Packages that find their own files by their place. */
const external = ['uWebSockets.js', 'piscina'];

/** What other bundles load is not put into them; those that load it lie in dist/src. */
const otherPrograms: Plugin = {
  name: 'other programs',
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path, resolveDir }) => {
      const source = relative(root, join(resolveDir, path)).replaceAll('\\', '/').replace(/js$/, 'ts');
      if (!programs.includes(source)) return undefined;
      return { path: `./${source.replace(/^src\//, '').replace(/ts$/, 'cjs')}`, external: true };
    });
  },
};

/** As imports they would be at the head of the bundle, and cost each start 3 ms and more for what is rarely used. */
const lateHttp: Plugin = {
  name: 'node:http and TLS where they are used',
  setup(build) {
    build.onResolve({ filter: /^node:(?:https?|tls)$/ }, ({ path }) => ({ path, namespace: 'late' }));
    build.onLoad({ filter: /^/, namespace: 'late' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path.slice('node:'.length))});`,
    }));
  },
};

/**
 * The binary of the lock library lies in one place for each platform. Its own loader tries many others first:
 * 11 ms of every start of a server and of a thread, against 0.9.
 */
const lockBinary: Plugin = {
  name: 'lock binary in its place',
  setup(build) {
    build.onLoad({ filter: /fs-native-extensions[\\/]binding\.js$/ }, () => ({
      contents:
        'module.exports = require(`fs-native-extensions/prebuilds/${process.platform}-${process.arch}/fs-native-extensions.node`);',
    }));
  },
};

/** What is CommonJS asks for node's modules by require, which an ES module has not. */
const requireForModules = `import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);`;

/** And an ES module knows its place, which CommonJS calls by another name. */
const urlForPrograms = "const bundleUrl = require('node:url').pathToFileURL(__filename).href;";

const began = new Date();
const included = await generateSources();
await Promise.all([buildBundles(included), process.argv.includes('--bundles') || emitDeclarations()]);

/** What is imported like a source, but made by the build. @returns the files that are in it as they are */
async function generateSources(): Promise<readonly string[]> {
  await writeValidators();
  await compileKernels();
  return writeStatusPage();
}

/** What browsers are sent, as texts: the script of the status page with its chart library, its style and its icon. */
async function writeStatusPage(): Promise<readonly string[]> {
  const folder = join(root, 'src/protocols/pages/status-page');
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { script: join(folder, 'browser/main.ts'), style: join(folder, 'browser/style.css') },
    outdir: join(folder, 'browser'),
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome109', 'firefox115', 'safari16'],
    // The licence of the chart library asks for it.
    legalComments: 'inline',
    write: false,
    metafile: true,
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  texts.set('icon.svg', await readFile(join(folder, 'browser/icon.svg'), 'utf8'));
  const named = [...texts].map(([file, text]): [string, string] => [file.replace(/\..*$/, ''), text]);
  const code = named.map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};\n`);
  await put(join(folder, 'compiled.js'), code.join(''));
  await put(join(folder, 'compiled.d.ts'), named.map(([name]) => `export declare const ${name}: string;\n`).join(''));
  return Object.keys(metafile.inputs);
}

/** @param included files that are in what was generated */
async function buildBundles(included: readonly string[]): Promise<void> {
  const common = {
    absWorkingDir: root,
    outdir: dist,
    outbase: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    external,
    logLevel: 'warning',
    write: false,
    metafile: true,
  } as const;
  const built = await Promise.all([
    build({
      ...common,
      entryPoints: programs,
      format: 'cjs',
      outExtension: { '.js': '.cjs' },
      supported: { 'dynamic-import': false },
      define: { 'import.meta.url': 'bundleUrl' },
      plugins: [otherPrograms, lockBinary],
      banner: { js: urlForPrograms },
    }),
    build({
      ...common,
      entryPoints: modules,
      format: 'esm',
      // What require could not load, for want of a descriptor, it tries again; import never does.
      supported: { 'dynamic-import': false },
      plugins: [otherPrograms, lockBinary, lateHttp],
      banner: { js: requireForModules },
    }),
    build({
      ...common,
      entryPoints: [client],
      platform: 'browser',
      target: 'es2022',
      sourcemap: false,
      external: [],
      format: 'esm',
    }),
  ]);
  const outputFiles = built.flatMap((each) => each.outputFiles);
  for (const { path, contents } of outputFiles) await put(path, contents);
  const inputs = [...included, ...built.flatMap(({ metafile }) => Object.keys(metafile.inputs))];
  await put(join(dist, 'third-party-licences.txt'), await noticesOf(root, inputs));
  await put(stamp, '');
  await utimes(stamp, began, began);
}

async function put(path: string, contents: Uint8Array | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${String(process.pid)}`;
  await writeFile(temporary, contents, path.endsWith('cli.cjs') ? { mode: 0o755 } : {});
  await rename(temporary, path);
}

/**
 * tsc in a process of its own, beside the bundler: it takes most of the time of a full build. It checks nothing
 * (`npm run typecheck` does): an install without optional dependencies has not the types of all that is imported.
 */
async function emitDeclarations(): Promise<void> {
  const entries = ['src/index.d.ts', 'src/client/index.d.ts'];
  const project = join(dist, `tsconfig.${String(process.pid)}.json`);
  const emit = { noEmit: false, declaration: true, emitDeclarationOnly: true, noCheck: true };
  const compilerOptions = { ...emit, outDir: 'types' };
  const config = {
    extends: '../tsconfig.json',
    compilerOptions,
    include: ['../workers/**/*.d.ts'],
    files: entries.map((entry) => `../${entry.replace('.d.ts', '.ts')}`),
  };
  await put(project, JSON.stringify(config));
  try {
    const code = await new Promise((resolve, reject) => {
      const tsc = spawn(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project], {
        stdio: 'inherit',
      });
      tsc.on('error', reject);
      tsc.on('close', resolve);
    });
    if (code !== 0) throw new Error('The type declarations could not be made: see the errors above');
    await keepReachable(join(dist, 'types'), entries);
  } finally {
    await rm(project, { force: true });
  }
}
