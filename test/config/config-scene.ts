/** A directory to serve, and the outcome of command lines that name it. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { configFromArguments, type Config } from '../../src/config/config.js';
import { StartError } from '../../src/config/start-error.js';

export const root = realpathSync(mkdtempSync(join(tmpdir(), 'config-')));
export const dir = join(root, 'served');
mkdirSync(dir);
after(() => {
  rmSync(root, { recursive: true });
});

/** The configuration of a command line that also names the directory. */
export function configOf(...args: string[]): Config {
  return configFromArguments([`--dir=${dir}`, ...args], {});
}

export function problemsOf(read: () => Config): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof StartError) return error.problems;
    throw error;
  }
  assert.fail('nothing was refused');
}

/** The only problem of a command line. */
export function problemOf(...args: string[]): string {
  const problems = problemsOf(() => configOf(...args));
  assert.equal(problems.length, 1, problems.join('\n'));
  return problems.join('');
}
