#!/usr/bin/env node
/** The command `file-storage-backend`, which creates its directory if missing. */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { runCommand } from './commands/command.js';
import { exitWith } from './commands/exit.js';
import { mayMakeDirectory } from './commands/own-directory.js';
import { fileStorageBackend } from './config/config.js';
import { impossible } from './config/directory.js';
import { systemErrorCode } from './core/error-code.js';
import { makeDirectories } from './config/make-directories.js';

void main(process.argv.slice(2), process.env['BASE_PATH'] ?? '');

async function main(args: readonly string[], path: string): Promise<void> {
  const missing = isAbsolute(path) && !existsSync(path);
  if (missing && (await mayMakeDirectory(fileStorageBackend, args, path))) makeDirectory(path);
  await runCommand(fileStorageBackend, args);
}

function makeDirectory(path: string): void {
  try {
    makeDirectories(path);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    exitWith([impossible('BASE_PATH', path, code)]);
  }
}
