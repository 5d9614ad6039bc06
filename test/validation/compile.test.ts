import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { operations, rows, type Operation } from '../../src/operations.js';
import { validatorCode, writeValidators } from '../../src/validation/compile.js';
import { validators } from '../../src/validation/compiled.js';

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'compile-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('the generated validators', () => {
  it('are what the operation table says now', async () => {
    const generated = await readFile(new URL('../../src/validation/compiled.js', import.meta.url), 'utf8');
    assert.equal(generated, await validatorCode(), 'run the build');
  });

  it('exist for every operation', () => {
    assert.deepEqual(Object.keys(validators).sort(), [...operations.keys()].sort());
  });

  it('need nothing at run time', async () => {
    // The name of a bundled helper, for those who generate code without bundling it.
    const code = (await validatorCode()).replace(/^ *ucs2length\.code = .*$/m, '');
    assert.doesNotMatch(code, /\brequire\(|\bimport\b.*\bfrom\b|\bimport\(/);
  });

  it('bring the helpers with them that some keywords need', async () => {
    const row = rows.read_file;
    // The length of a string makes ajv call a function of its own.
    const short = { type: 'string', minLength: 2 } as const;
    const table: readonly Operation[] = [{ ...row, params: { ...row.params, properties: { name: short } } }];
    await withFolder(async (folder) => {
      const code = await validatorCode(table);
      assert.match(code, /ucs2length/);
      const check = `
        if (validators.read_file({ name: '😀' })) throw new Error('one character was accepted');
        if (!validators.read_file({ name: '😀😀' })) throw new Error('two characters were refused');`;
      const file = join(folder, 'short.mjs');
      await writeFile(file, code + check);
      await import(pathToFileURL(file).href);
    });
  });

  it('are written only where they changed, and leave nothing beside them', async () => {
    await withFolder(async (folder) => {
      const url = pathToFileURL(`${folder}/`);
      await writeValidators(url);
      const old = new Date(1_000_000);
      await utimes(join(folder, 'compiled.js'), old, old);
      await writeValidators(url);
      assert.equal((await stat(join(folder, 'compiled.js'))).mtimeMs, old.getTime());
      assert.deepEqual((await readdir(folder)).sort(), ['compiled.d.ts', 'compiled.js']);
    });
  });
});
