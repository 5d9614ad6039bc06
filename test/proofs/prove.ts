/**
 * `npm run prove -- NAME [options]`: the proofs that take too long for the suite, or need what not every machine has.
 * Options are those that the head of the proof lists or, where it consists of files of tests, those of node --test.
 */
import { readdirSync } from 'node:fs';
import { nodeTest } from '../node-test.js';

interface Proof {
  readonly of: string;
  /** A program, or test files with their concurrency, in the folder of the proofs. */
  readonly runs: string | { readonly files: readonly string[]; readonly atOnce: number };
}

const proofs: Readonly<Record<string, Proof>> = {
  faults: { of: 'writes, when calls fail, processes die, the power goes', runs: 'faults/run.ts' },
  races: { of: 'servers beside each other and beside other programs', runs: { files: proofsIn('races'), atOnce: 2 } },
  writers: { of: 'many clients of several servers: linearizability', runs: 'writers/run.ts' },
  soak: { of: 'everything at once for long: nothing leaks', runs: 'soak/run.ts' },
  hostile: { of: 'noise, floods, links that are swapped', runs: 'hostile/run.ts' },
  cluster: { of: 'several hosts', runs: { files: proofsIn('cluster'), atOnce: 1 } },
  safety: { of: 'what the alternatives do to files', runs: 'safety/run.ts' },
  package: {
    of: 'what npm packs and clients install, and the script of releases',
    runs: {
      files: ['build', 'package', 'clients', 'generated-client', 'release', 'deployment'].map(
        (name) => `package/${name}.ts`,
      ),
      atOnce: 1,
    },
  },
  binary: { of: 'the single executable', runs: { files: ['binary/binary.ts'], atOnce: 1 } },
  platforms: {
    of: 'what must hold on every platform, on this one',
    runs: { files: ['platforms/checks/all.ts'], atOnce: 1 },
  },
  windows: { of: 'the same on Windows, in Wine', runs: 'platforms/windows.ts' },
  arm64: { of: 'the same on Linux on arm64, in QEMU', runs: 'platforms/arm64.ts' },
  macos: { of: 'the same as macOS sees it, by a preload', runs: 'platforms/macos.ts' },
  day: { of: "a coding agent's day: calls and characters", runs: { files: ['day/day.ts'], atOnce: 1 } },
  page: { of: 'the status page in a browser', runs: { files: ['status-page/status-page.ts'], atOnce: 1 } },
};

const [name = '', ...options] = process.argv.slice(2);
const proof = Object.hasOwn(proofs, name) ? proofs[name] : undefined;
if (proof === undefined) {
  const known = Object.entries(proofs).map(([each, { of }]) => `  ${each.padEnd(9)}${of}\n`);
  process.stderr.write(`usage: npm run prove -- NAME [options]\n${known.join('')}`);
  process.exitCode = 2;
} else if (typeof proof.runs === 'string') {
  process.argv.splice(2, 1);
  await import(`./${proof.runs}`);
} else {
  const files = proof.runs.files.map((file) => `test/proofs/${file}`);
  process.exitCode = await nodeTest([`--test-concurrency=${String(proof.runs.atOnce)}`, ...options], files);
}

function proofsIn(folder: string): string[] {
  return readdirSync(`test/proofs/${folder}`)
    .filter((file) => file.endsWith('.proof.ts'))
    .map((file) => `${folder}/${file}`);
}
