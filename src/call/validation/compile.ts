/**
 * Build step: compiles the params schema of every operation to plain JavaScript. Loading ajv takes 28 ms and 8 MB, so
 * the server never does. Needs ajv and esbuild, which are development dependencies.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import standaloneModule from 'ajv/dist/standalone/index.js';
import formatsModule from 'ajv-formats';
import { build } from 'esbuild';
import { operations, type Operation } from '../../core/operations.js';

/** Both are CommonJS: the default exports are one level deeper than their types declare. */
const standalone = standaloneModule.default;
const addFormats = formatsModule.default;

const head =
  '// Generated from src/core/operations.ts by src/call/validation/compile.ts: edits are lost at the next build.\n';

/** Types of the generated module. */
const declarations = `${head}import type { OperationName } from '../../core/operations.js';

/** As ajv reports it; \`params\` differs from keyword to keyword. */
export interface SchemaViolation {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: { readonly missingProperty?: string; readonly additionalProperty?: string };
}

export interface Validator {
  (params: unknown): boolean;
  errors?: readonly SchemaViolation[] | null;
}

export const validators: Readonly<Record<OperationName, Validator>>;
`;

/** The code of `compiled.js` for these operations: an ES module without imports that exports `validators`. */
export async function validatorCode(table: Iterable<Operation> = operations.values()): Promise<string> {
  const ajv = new Ajv({ allErrors: true, messages: false, code: { source: true, esm: true } });
  addFormats(ajv);
  const exportNames: Record<string, string> = {};
  const entries: string[] = [];
  for (const { name, params } of table) {
    ajv.addSchema(params, name);
    // Prefixed, since an operation may be named like a keyword: `delete`.
    const exportName = `params_${name}`;
    exportNames[exportName] = name;
    entries.push(`${JSON.stringify(name)}: ${exportName}`);
  }
  const code = `${standalone(ajv, exportNames)}\nexport const validators = { ${entries.join(', ')} };`;
  // Some keywords (minLength, format) make the code require ajv/dist/runtime/* or ajv-formats; both are bundled here.
  const bundle = await build({
    stdin: { contents: code, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'js' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    write: false,
    logLevel: 'silent',
  });
  return head + bundle.outputFiles.map((file) => file.text).join('');
}

/** Write `compiled.js` and `compiled.d.ts` into `folder` (default: this one) if they have changed. */
export async function writeValidators(folder = new URL('.', import.meta.url)): Promise<void> {
  const code = await validatorCode();
  await replaceIfChanged(new URL('compiled.js', folder), code);
  await replaceIfChanged(new URL('compiled.d.ts', folder), declarations);
}

/** Atomic by rename: parallel `npm start`s build at the same time, and a server may be importing the file. */
async function replaceIfChanged(file: URL, text: string): Promise<void> {
  const current = await readFile(file, 'utf8').catch(() => undefined);
  if (current === text) return;
  const temporary = new URL(`${file.href}.${String(process.pid)}`);
  await writeFile(temporary, text);
  await rename(temporary, file);
}
