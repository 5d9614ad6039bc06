/**
 * Build step: compiles the AssemblyScript in kernel/ and puts the WebAssembly into a module of its own, so that the
 * bundle, the tests and the benchmarks import it like any other. Needs assemblyscript, which only a build has.
 */
import { readFile } from 'node:fs/promises';

/**
 * The part of assemblyscript that is used. Its own types would change those of JavaScript everywhere, so they must not
 * be loaded.
 */
interface Compiler {
  main(
    argv: readonly string[],
    api: {
      readFile: (name: string) => Promise<string | null>;
      writeFile: (name: string, contents: Uint8Array | string) => void;
      listFiles: () => readonly string[];
      stderr: { write: (text: unknown) => void };
    },
  ): Promise<{ readonly error: Error | null }>;
}
const compiler = 'assemblyscript/asc';

const folder = new URL('kernel/', import.meta.url);
const head =
  '// Generated from workers/text/kernel/ by workers/text/compile-kernel.ts: edits are lost at the next build.\n';

/** Types of the generated module. Numbers are offsets and lengths in bytes; a hash is signed. */
const declarations = `${head}
interface Constant {
  readonly value: number;
}

export const kernel: {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly CHUNK: Constant;
  readonly COUNTS: Constant;
  readonly INPUT: Constant;
  readonly MARGIN: Constant;
  readonly OUTPUT: Constant;
  readonly escape: (start: number, end: number) => number;
  readonly count: (start: number, end: number) => number;
  readonly skip: (start: number, end: number, wanted: number) => number;
  readonly startHash: () => void;
  readonly addToHash: (size: number) => void;
  readonly finishHash: (size: number) => bigint;
};
`;

/** The contents of `kernel.compiled.js` and its `.d.ts`. @throws what the compiler reports */
export async function compileKernel(): Promise<{ code: string; declarations: string }> {
  const { default: asc } = (await import(compiler)) as { default: Compiler };
  let binary: Uint8Array | undefined;
  const problems: string[] = [];
  const { error } = await asc.main(
    ['index.ts', '--outFile', 'kernel.wasm', '-O3', '--enable', 'simd', '--runtime', 'stub', '--use', 'abort='],
    {
      readFile: (name) => readFile(new URL(name, folder), 'utf8').catch(() => null),
      writeFile: (_, contents) => {
        if (typeof contents !== 'string') binary = contents;
      },
      listFiles: () => [],
      stderr: { write: (text) => problems.push(String(text)) },
    },
  );
  if (error !== null || binary === undefined)
    throw new Error(`The kernel could not be compiled:\n${problems.join('')}`);
  const base64 = Buffer.from(binary).toString('base64');
  const code = `${head}const wasm = Buffer.from('${base64}', 'base64');
export const kernel = new WebAssembly.Instance(new WebAssembly.Module(wasm)).exports;
`;
  return { code, declarations };
}
