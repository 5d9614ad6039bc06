/** The build in a copy of this package with other dependencies installed. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const sources = ['src', 'workers', 'package.json', 'tsconfig.json', 'esbuild.config.ts', 'kernel.config.ts'];

interface Manifest {
  readonly bin: { readonly 'file-editor': string };
  readonly exports: { readonly '.': { readonly types: string } };
}

/** A copy without build output, and with the original's installed packages except these. */
async function copyWithout(missing: readonly string[]): Promise<string> {
  const copy = await realpath(await mkdtemp(join(tmpdir(), 'build-')));
  const filter = (name: string): boolean => !name.includes('compiled.');
  for (const name of sources) await cp(join(root, name), join(copy, name), { recursive: true, filter });
  await mkdir(join(copy, 'node_modules'));
  const installed = await readdir(join(root, 'node_modules'));
  for (const name of installed.filter((each) => !missing.includes(each))) {
    await symlink(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  }
  return copy;
}

describe('the build', () => {
  it('produces commands and declarations without the optional dependency', async (t) => {
    const copy = await copyWithout(['uWebSockets.js']);
    t.after(() => rm(copy, { recursive: true }));
    // Coverage of the copy and the compilers is of no interest.
    const env = { ...process.env, NODE_V8_COVERAGE: '' };
    await run(process.execPath, [join(copy, 'node_modules/tsx/dist/cli.mjs'), 'esbuild.config.ts'], { cwd: copy, env });

    const manifest = JSON.parse(await readFile(join(copy, 'package.json'), 'utf8')) as Manifest;
    const { stdout } = await run(process.execPath, [join(copy, manifest.bin['file-editor']), '--version']);
    assert.match(stdout, /^\d+\.\d+\.\d+(?:-[\w.]+)?\n$/);
    const declarations = await readFile(join(copy, manifest.exports['.'].types), 'utf8');
    assert.match(declarations, /export \{ startServer/);
    assert.match(await readFile(join(copy, 'dist/types/src/server.d.ts'), 'utf8'), /function startServer\(/);
  });
});
