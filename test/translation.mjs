// Loader hooks of Node that translate TypeScript to JavaScript. See typescript.mjs.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const cache = new URL('../node_modules/.cache/typescript-of-tests/', import.meta.url);
const options = { loader: 'ts', format: 'esm', target: 'node20.10', sourcemap: 'inline' };
const require = createRequire(import.meta.url);
const { version } = require('esbuild/package.json');
await mkdir(cache, { recursive: true });

export async function resolve(specifier, context, next) {
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
    const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: await translated(url), shortCircuit: true };
}

/**
 * Translates files ahead of the processes that load them, so none starts an esbuild of its own. A file that cannot be
 * translated, such as a kernel, fails when it is loaded.
 */
export async function translate(files) {
  await Promise.allSettled(files.map((file) => translated(pathToFileURL(file).href)));
}

async function translated(url) {
  // Source maps name a source from where its script is. So every clone shares a translation, also one seen by Windows.
  const sourcefile = posix.basename(url);
  const source = await readFile(fileURLToPath(url), 'utf8');
  const hash = createHash('sha256')
    .update(JSON.stringify([version, { ...options, sourcefile }, source]))
    .digest('hex');
  const known = new URL(`${hash}.js`, cache);
  try {
    return await readFile(known, 'utf8');
  } catch {
    const { transform } = require('esbuild');
    const { code } = await transform(source, { ...options, sourcefile });
    // Renamed into place: other test processes may be reading it.
    const temporary = new URL(`${hash}.${process.pid}`, cache);
    await writeFile(temporary, code);
    await rename(temporary, known);
    return code;
  }
}
