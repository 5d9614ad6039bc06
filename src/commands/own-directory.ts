/** For commands that make their own directory: if a flag is wrong, or the port is taken, nothing may be made. */
import { readArguments } from '../config/arguments.js';
import type { Command } from '../config/commands.js';
import { configFromArguments, type Config } from '../config/config.js';
import { StartError } from '../config/start-error.js';
import { configured } from '../server.js';
import { exclusiveBindProblems } from '../transports/http-address.js';
import { exitWith } from './exit.js';

/**
 * Whether the directory may be made: the start can then be expected to succeed once it exists. Any other problem ends
 * the process here, since the start itself would also complain of the missing directory.
 * @returns false if the arguments ask for something other than this directory as it is
 */
export async function mayMakeDirectory(command: Command, args: readonly string[]): Promise<boolean> {
  const { given, information } = readArguments(args);
  if (information !== undefined || given.some(({ name }) => name === 'dir' || name === 'read-only')) return false;
  const config = await acceptedConfig(command, args);
  // For a shared port, only the start itself can tell.
  const taken = config.transport === 'http' && !config.reusePort ? await exclusiveBindProblems(config) : [];
  if (taken.length > 0) exitWith(taken);
  return true;
}

/** The configuration that the flags ask for, tried on a directory that exists. */
async function acceptedConfig(command: Command, args: readonly string[]): Promise<Config> {
  try {
    return await configured(() => configFromArguments(args, { BASE_PATH: process.cwd() }, command));
  } catch (error) {
    if (error instanceof StartError) exitWith(error.problems);
    throw error;
  }
}
