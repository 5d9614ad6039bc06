import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { operations, rows, type Schema } from '../../../src/core/operations.js';
import { validatorCode, writeValidators } from '../../../src/call/validation/compile.js';
import { validators } from '../../../src/call/validation/compiled.js';
import { explain } from '../../../src/call/validation/explain.js';

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'compile-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

type GeneratedModule = typeof import('../../../src/call/validation/compiled.js');

/** The code generated for a made-up row with one request member, and whether it accepts a value of that member. */
async function validatorOf(member: Schema) {
  const row = rows.read_file;
  const params: Schema = { ...row.params, properties: { name: member } };
  const code = await validatorCode([{ ...row, params }]);
  const { validators } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as GeneratedModule;
  const validator = validators.read_file;
  return { code, params, accepts: (name: unknown) => validator({ name }), errors: () => validator.errors };
}

describe('the generated validators', () => {
  it('match the current operation table', async () => {
    const generated = await readFile(new URL('../../../src/call/validation/compiled.js', import.meta.url), 'utf8');
    assert.equal(generated, await validatorCode(), 'run the build');
  });

  it('exist for every operation', () => {
    assert.deepEqual(Object.keys(validators).sort(), [...operations.keys()].sort());
  });

  it('need nothing at run time', async () => {
    // The name of a bundled helper, in case code is generated without bundling.
    const code = (await validatorCode()).replace(/^ *ucs2length\.code = .*$/m, '');
    assert.doesNotMatch(code, /\brequire\(|\bimport\b.*\bfrom\b|\bimport\(/);
  });

  it('include the helpers that some keywords need', async () => {
    // ajv calls a helper for the length of a string.
    const { code, accepts } = await validatorOf({ type: 'string', minLength: 2 });
    assert.match(code, /ucs2length/);
    assert.deepEqual([accepts('😀'), accepts('😀😀')], [false, true]);
  });

  it('check the format of a text, and include the code for it only if a request needs it', async () => {
    const { code, params, accepts, errors } = await validatorOf({ type: 'string', format: 'date-time' });
    assert.ok(accepts('2025-06-04T10:30:00Z') && accepts('2024-02-29T23:59:60+00:00'));
    for (const wrong of ['', '2025-06-04', '2025-06-04 10:30', '2025-02-29T10:30:00Z', '2025-06-04T25:30:00Z']) {
      assert.ok(!accepts(wrong), wrong);
    }
    const [error] = errors() ?? [];
    assert.ok(error);
    const { pointer, problem } = explain(error, params, { name: '' });
    assert.equal(`${pointer} ${problem}`, '/name must be a string in the format date-time');
    assert.match(code, /fullFormats/);
    assert.doesNotMatch(await validatorCode(), /fullFormats/);
  });

  it('are written only if they changed, and leave no other file', async () => {
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
