/** The server that the checks talk to, and what the machine under it does with names. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isRecord } from '../../reliability/client.js';

export interface Target {
  /** Node, with its options. */
  readonly node: readonly string[];
  /** The program that starts a server. */
  readonly cli: string;
  /** Options of Node for the check of locks. */
  readonly mandatoryLocks: readonly string[];
  /** How much slower than this machine itself, roughly: there are fewer rounds, and waits are longer. */
  readonly slowness: number;
}

/** Set by the drivers of emulations; without it, the checks start the server of this clone on this machine. */
export const targetVariable = 'PLATFORM_TARGET';

export const target: Target = given(process.env[targetVariable]) ?? {
  node: [process.execPath],
  cli: resolve('dist/src/cli.cjs'),
  mandatoryLocks: [],
  slowness: 1,
};

function given(text: string | undefined): Target | undefined {
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  if (isRecord(value)) {
    const { node, cli, mandatoryLocks, slowness } = value;
    if (isTexts(node) && typeof cli === 'string' && isTexts(mandatoryLocks) && typeof slowness === 'number') {
      return { node, cli, mandatoryLocks, slowness };
    }
  }
  throw new Error(`${targetVariable} holds no target`);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

export const onWindows = process.platform === 'win32';

/** Whether the file system of the checks takes both names for one. */
function takesForOne(name: string, other: string): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'platforms-probe-'));
  try {
    writeFileSync(join(directory, name), '');
    return statSync(join(directory, other), { throwIfNoEntry: false }) !== undefined;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The same name, in the two forms that Unicode has for it. */
export const composed = 'caf\u00e9';
export const decomposed = 'cafe\u0301';

export const ignoresCase = takesForOne('name', 'NAME');
export const ignoresComposition = takesForOne(composed, decomposed);
