#!/usr/bin/env node
/** The command `file-editor`. */
import { runCommand } from './commands/command.js';
import { fileEditor } from './config/config.js';

/** The server, once it is ready; undefined if only information was asked for. */
export const started = runCommand(fileEditor, process.argv.slice(2));
