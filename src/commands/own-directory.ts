/** For commands that make their own directory: if a flag is wrong, or the port is taken, nothing may be made. */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { readArguments } from '../config/arguments.js';
import { configFromArguments, type Command } from '../config/config.js';
import { impossible } from '../config/directory.js';
import { StartError } from '../config/start-error.js';
import { systemErrorCode } from '../core/error-code.js';
import { configured } from '../server.js';
import { exitWith } from './exit.js';

/**
 * Whether a missing directory may be made: the start can then be expected to succeed once it exists. Any other problem
 * ends the process here, since the start itself would also complain of the missing directory.
 * @param directory absolute path of what does not exist, as BASE_PATH names it
 * @returns false if the arguments ask for something other than this directory as it is
 */
export async function mayMakeDirectory(command: Command, args: readonly string[], directory: string): Promise<boolean> {
  const { given, information } = readArguments(args);
  if (information !== undefined || given.some(({ name }) => name === 'dir' || name === 'read-only')) return false;
  try {
    // That it is missing is refused as well, so the port is tried too.
    await configured(() => configFromArguments(args, { BASE_PATH: directory }, command));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const others = error.problems.filter((problem) => !problem.startsWith('BASE_PATH: '));
    if (others.length > 0) exitWith([...whyImpossible(directory), ...others]);
  }
  return true;
}

/** As far as that can be told without making it: something may be in the way, or above it not be writable. */
function whyImpossible(directory: string): string[] {
  const above = dirname(directory);
  try {
    if (!statSync(above).isDirectory()) return [impossible('BASE_PATH', directory, 'ENOTDIR')];
    accessSync(above, constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    return code === 'ENOENT' && above !== directory ? whyImpossible(above) : [impossible('BASE_PATH', directory, code)];
  }
}
