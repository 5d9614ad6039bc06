/** For commands that make their directory themselves: with wrong flags, or without a port, nothing may be made. */
import { writeSync } from 'node:fs';
import { readArguments } from './arguments.js';
import type { Command } from './commands.js';
import { configFromArguments, type Config } from './config.js';
import { configured } from './server.js';
import { StartError } from './start-error.js';
import { exclusiveBindProblems } from './transports/http-address.js';

/**
 * Whether the start can be expected to succeed once the directory is there. If it cannot, the start itself will say
 * why; but for a port in use, which ends the process here.
 */
export async function mayMakeDirectory(command: Command, args: readonly string[]): Promise<boolean> {
  const { given, information } = readArguments(args);
  if (information !== undefined || given.some(({ name }) => name === 'dir' || name === 'read-only')) return false;
  const config = await acceptedConfig(command, args);
  if (config === undefined) return false;
  await refusePortInUse(config);
  return true;
}

/** What the flags ask for, tried on a directory that exists. */
async function acceptedConfig(command: Command, args: readonly string[]): Promise<Config | undefined> {
  try {
    return await configured(() => configFromArguments(args, { BASE_PATH: process.cwd() }, command));
  } catch (error) {
    if (error instanceof StartError) return undefined;
    throw error;
  }
}

/** A shared port is left to the start, which alone can tell. */
async function refusePortInUse(config: Config): Promise<void> {
  const problems = config.transport === 'http' && !config.reusePort ? await exclusiveBindProblems(config) : [];
  if (problems.length === 0) return;
  writeSync(2, `${problems.join('\n')}\n`);
  process.exit(1);
}
