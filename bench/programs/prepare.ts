import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { built } from './programs.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const baselines = ['careful-writer', 'node-http', 'uws-constant'].map((name) => `bench/baselines/${name}.ts`);

/** Build the baselines and the clock, so none of them pays for a TypeScript loader. */
export async function preparePrograms(): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: [...baselines, 'bench/programs/rename-clock.ts'],
    entryNames: '[name]',
    outdir: built,
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
}
