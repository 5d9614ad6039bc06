// Lets node run the TypeScript of the tests and of what they import: each file is translated by esbuild as it is
// loaded, line by line, so that coverage is that of the lines as they were written (tsx puts a file on one line, and
// every line of it then counts as covered).
import { register } from 'node:module';

const hooks = `
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from ${JSON.stringify(import.meta.resolve('esbuild'))};

export async function resolve(specifier, context, next) {
  if (/^\\.{1,2}\\/.*\\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
    const url = new URL(specifier.replace(/\\.js$/, '.ts'), context.parentURL);
    if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const file = fileURLToPath(url);
  const source = await readFile(file, 'utf8');
  const options = { loader: 'ts', format: 'esm', target: 'node20.10', sourcemap: 'inline', sourcefile: file };
  const { code } = await transform(source, options);
  return { format: 'module', source: code, shortCircuit: true };
}
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
