/** For commands that create their own directory: an invalid flag or a port in use must leave nothing behind. */
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
 * Whether a missing directory may be created: the start should then succeed once it exists. Any other problem ends the
 * process here, since the start would also complain of the missing directory.
 * @param directory absolute path that does not exist, as BASE_PATH names it
 * @returns false if the arguments request something other than serving this directory for writing
 */
export async function mayMakeDirectory(command: Command, args: readonly string[], directory: string): Promise<boolean> {
  const { given, information } = readArguments(args);
  if (information !== undefined || given.some(({ name }) => name === 'dir' || name === 'read-only')) return false;
  try {
    // The missing directory counts as a problem here, so the port is probed too.
    await configured(() => configFromArguments(args, { BASE_PATH: directory }, command));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const others = error.problems.filter((problem) => !problem.startsWith('BASE_PATH: '));
    if (others.length > 0) exitWith([...whyImpossible(directory), ...others]);
  }
  return true;
}

/** Problems that show without creating it: a file in the way, or a parent that is not writable. */
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
