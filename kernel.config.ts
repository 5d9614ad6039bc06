/**
 * Build step: compiles the AssemblyScript of the kernels and puts the WebAssembly of each into a module of its own, so
 * that the bundle, the tests and the benchmarks import it like any other. Needs assemblyscript, which only a build has.
 */
import { readFile, writeFile } from 'node:fs/promises';

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

/** A folder `kernel` of AssemblyScript, and the module beside it. */
interface Kernel {
  readonly folder: string;
  /** Types of what the AssemblyScript exports. Numbers are offsets and lengths in bytes. */
  readonly exports: string;
}

const kernels: readonly Kernel[] = [
  {
    folder: 'workers/text/',
    // A hash is signed.
    exports: `
  readonly CHUNK: Constant;
  readonly COUNTS: Constant;
  readonly INPUT: Constant;
  readonly MARGIN: Constant;
  readonly OUTPUT: Constant;
  readonly escape: (start: number, end: number) => number;
  readonly count: (start: number, end: number) => number;
  readonly skip: (start: number, end: number, wanted: number) => number;
  readonly pairs: (
    end: number,
    first: number,
    firstMask: number,
    second: number,
    secondMask: number,
    distance: number,
  ) => number;
  readonly startHash: () => void;
  readonly addToHash: (size: number) => void;
  readonly finishHash: (size: number) => bigint;`,
  },
  {
    folder: 'src/core/json/',
    // What is true is 1.
    exports: `
  readonly CHUNK: Constant;
  readonly CUTS: Constant;
  readonly INPUT: Constant;
  readonly LEVELS: Constant;
  readonly MOST_CUTS: Constant;
  readonly TEXTS: Constant;
  readonly values: Constant;
  readonly longOnes: Constant;
  readonly texts: Constant;
  readonly crowdedDepth: Constant;
  readonly crowdedFirst: Constant;
  readonly crowdedSecond: Constant;
  readonly begin: (mostValues: number, leastText: number) => void;
  readonly scan: (length: number) => number;
  readonly isComplete: () => number;
  readonly isCrowded: (level: number) => number;
  readonly cuts: (level: number) => number;`,
  },
];

/** Write `kernel.compiled.js` and its `.d.ts` beside each kernel. @throws what the compiler reports */
export async function compileKernels(): Promise<void> {
  await Promise.all(kernels.map(compileKernel));
}

async function compileKernel({ folder, exports }: Kernel): Promise<void> {
  const compiled = (ending: string): URL => new URL(`${folder}kernel.compiled.${ending}`, import.meta.url);
  const head = `// Generated from ${folder}kernel/ by kernel.config.ts: edits are lost at the next build.\n`;
  const wasm = (await compile(new URL(`${folder}kernel/`, import.meta.url))).toString('base64');
  await writeFile(
    compiled('js'),
    `${head}export const createKernel = () =>
  new WebAssembly.Instance(new WebAssembly.Module(Buffer.from('${wasm}', 'base64'))).exports;
`,
  );
  await writeFile(
    compiled('d.ts'),
    `${head}
interface Constant {
  readonly value: number;
}

export interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer };${exports}
}

export const createKernel: () => Kernel;
`,
  );
}

async function compile(folder: URL): Promise<Buffer> {
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
  return Buffer.from(binary);
}
