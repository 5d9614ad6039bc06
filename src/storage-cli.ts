#!/usr/bin/env node
/** The command `file-storage-backend`: makes its directory if that does not exist. */
import { existsSync, mkdirSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { runCommand } from './command.js';
import { fileStorageBackend } from './commands.js';
import { mayMakeDirectory } from './own-directory.js';

void main(process.argv.slice(2), process.env['BASE_PATH'] ?? '');

async function main(args: readonly string[], path: string): Promise<void> {
  const missing = isAbsolute(path) && !existsSync(path);
  if (missing && (await mayMakeDirectory(fileStorageBackend, args))) makeDirectory(path);
  await runCommand(fileStorageBackend, args);
}

/** What cannot be made is left for the start to report. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}
