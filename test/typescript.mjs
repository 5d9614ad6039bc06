// Lets node run the TypeScript of the tests and of what they import: each file is translated by esbuild when it is
// first loaded, line by line, so that coverage is that of the lines as they were written (tsx puts a file on one line,
// and every line of it then counts as covered). The next hundred processes of the suite take what it has made from
// node_modules/.cache, where its name is the hash of all that it depends on, and start no esbuild. Worker threads run
// what was built, and would each wait for a thread of hooks of their own. What was built is fresh.
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import '../fresh.mjs';
import './leftovers.mjs';

const hooks = `
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const cache = new URL('.cache/typescript-of-tests/', ${JSON.stringify(import.meta.resolve('../node_modules/'))});
const options = { loader: 'ts', format: 'esm', target: 'node20.10', sourcemap: 'inline' };
const esbuild = ${JSON.stringify(import.meta.resolve('esbuild'))};
const { version } = JSON.parse(await readFile(new URL('../package.json', esbuild), 'utf8'));
await mkdir(cache, { recursive: true });

export async function resolve(specifier, context, next) {
  if (/^\\.{1,2}\\/.*\\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
    const url = new URL(specifier.replace(/\\.js$/, '.ts'), context.parentURL);
    if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const sourcefile = fileURLToPath(url);
  const source = await readFile(sourcefile, 'utf8');
  return { format: 'module', source: await translated(source, { ...options, sourcefile }), shortCircuit: true };
}

async function translated(source, options) {
  const hash = createHash('sha256').update(JSON.stringify([version, options, source])).digest('hex');
  const known = new URL(hash + '.js', cache);
  try {
    return await readFile(known, 'utf8');
  } catch {
    const { transform } = await import(esbuild);
    const { code } = await transform(source, options);
    // Renamed into its place: the processes of other tests may be reading it.
    const temporary = new URL(hash + '.' + process.pid, cache);
    await writeFile(temporary, code);
    await rename(temporary, known);
    return code;
  }
}
`;
if (isMainThread) register(`data:text/javascript,${encodeURIComponent(hooks)}`);
