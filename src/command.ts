/** A command: arguments in, a server until its process is told to end, exit codes out. */
import { writeSync } from 'node:fs';
import { readArguments } from './arguments.js';
import type { Command } from './commands.js';
import { configFromArguments } from './config.js';
import { createLog } from './log.js';
import { superviseProcess } from './process-end.js';
import { configured, serve, type Serving } from './server.js';
import { StartError } from './start-error.js';

/** @returns the server, once it is ready; undefined where only information was asked for */
export async function runCommand(command: Command, args: readonly string[]): Promise<Serving | undefined> {
  const { information } = readArguments(args);
  if (information !== undefined) {
    const [{ helpText }, { version }] = await Promise.all([import('./help.js'), import('./version.js')]);
    print(1, information === 'help' ? helpText(command) : `${version}\n`);
    return undefined;
  }
  try {
    return await run(command, args);
  } catch (error) {
    const problems = error instanceof StartError ? error.problems : [error instanceof Error ? error.stack : error];
    print(2, problems.map((problem) => `${String(problem)}\n`).join(''));
    process.exit(1);
  }
}

async function run(command: Command, args: readonly string[]): Promise<Serving> {
  const config = await configured(() => configFromArguments(args, process.env, command));
  const log = createLog(config.logLevel);
  const { end, closeWith } = superviseProcess(log);
  const serving = await serve(config, log);
  closeWith(serving.close);
  // On stdio stdout belongs to the protocol, and this line is in the log.
  if (config.transport === 'http') print(1, `${serving.announcement}\n`);
  void serving.finished.then(end);
  return serving;
}

/** At once, so that no exit loses it. */
function print(descriptor: 1 | 2, text: string): void {
  try {
    writeSync(descriptor, text);
  } catch {
    // The reader has gone away: nobody is left to be told.
  }
}
