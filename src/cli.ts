#!/usr/bin/env node
/** The command `file-editor`. */
import { runCommand } from './commands/command.js';
import { fileEditor } from './config/config.js';

/** The server once it is ready; undefined for --help and --version. */
export const started = runCommand(fileEditor, process.argv.slice(2));
