/** Runs a command: parses arguments, serves until the process is told to stop, sets the exit code. */
import { parse } from 'node:path';
import { readArguments } from '../config/arguments.js';
import { configFromArguments, fileEditor, type Command } from '../config/config.js';
import type { GivenFile } from '../config/given-files.js';
import { StartError } from '../config/start-error.js';
import { platform } from '../core/platform.js';
import { createLog } from '../observe/log.js';
import { configured, serve, type Serving } from '../server.js';
import { whenChanged } from './changed-file.js';
import { exitWith, print } from './exit.js';
import { superviseProcess } from './process-end.js';

/** @returns the server once it is ready; undefined for --help, --version and `token` */
export async function runCommand(command: Command, args: readonly string[]): Promise<Serving | undefined> {
  if (command === fileEditor && args[0] === 'token') {
    const { makeToken } = await import('./token.js');
    makeToken(args.slice(1));
    return undefined;
  }
  const { information } = readArguments(args);
  if (information !== undefined) {
    const [{ helpText }, { version }] = await Promise.all([import('./help.js'), import('../version.js')]);
    print(1, information === 'help' ? helpText(command) : `${version}\n`);
    return undefined;
  }
  try {
    return await run(command, args);
  } catch (error) {
    exitWith(error instanceof StartError ? error.problems : [String(error instanceof Error ? error.stack : error)]);
  }
}

async function run(command: Command, args: readonly string[]): Promise<Serving> {
  const config = await configured(() => configFromArguments(args, process.env, command));
  leaveCurrentDirectory();
  const log = createLog(config.logLevel);
  const { end, serves } = superviseProcess(log);
  const { tokens } = config;
  const endWatch =
    tokens &&
    whenToReload(tokens, () => {
      // A signal that comes early waits until the server is ready.
      void starting.then((started) => {
        started.reloadTokens();
      });
    });
  const starting = serve(config, log);
  const serving = await starting;
  serves({
    isBusy: serving.isBusy,
    close: () => {
      endWatch?.();
      return serving.close();
    },
  });
  // On stdio, stdout belongs to the protocol, and the log has this line.
  if (config.transport === 'http') print(1, `${serving.announcement}\n`);
  void serving.finished.then(end);
  return serving;
}

/** Call `reload` when the file of tokens must be read again (spec 16, 19). @returns a function that stops it */
function whenToReload({ path }: GivenFile, reload: () => void): () => void {
  if (!platform.canSendSighup) return whenChanged(path, reload);
  process.on('SIGHUP', reload);
  // The handler stays installed: without it, the signal would end the process.
  return () => undefined;
}

/**
 * Node cannot start a worker thread in a removed directory: a server started in one failed permanently once its idle
 * threads had ended. Every path is absolute by now.
 */
function leaveCurrentDirectory(): void {
  process.chdir(parse(process.execPath).root);
}
