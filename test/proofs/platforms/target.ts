/** The server that the checks talk to, and what the machine under it does with names. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isRecord } from '../../reliability/client.js';

interface Target {
  /** Starts a server; its flags follow. */
  readonly command: readonly string[];
  /** How much slower than this machine itself, roughly: there are fewer rounds, and waits are longer. */
  readonly slowness: number;
}

/** Set by the drivers of emulations; without it, the checks start the server of this clone on this machine. */
export const targetVariable = 'PLATFORM_TARGET';

export const target: Target = given(process.env[targetVariable]) ?? {
  command: [process.execPath, resolve('dist/src/cli.cjs')],
  slowness: 1,
};

function given(text: string | undefined): Target | undefined {
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Error(`${targetVariable} holds no target`);
  const { command, slowness } = value;
  if (!Array.isArray(command) || typeof slowness !== 'number') throw new Error(`${targetVariable} holds no target`);
  return { command: command.map(String), slowness };
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
