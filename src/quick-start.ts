/** `npm start`: serves ./workspace unless another directory is named, and prints a call to try. */
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mayMakeDirectory } from './commands/own-directory.js';
import { readArguments } from './config/arguments.js';
import { fileEditor } from './config/config.js';
import { flags } from './config/flags.js';
import { systemErrorCode } from './core/error-code.js';
import { makeDirectories } from './config/make-directories.js';
import type { Toolset } from './core/operations.js';
import { isContainer } from './observe/start-report.js';

const sample = 'welcome.txt';
const sampleText = `Welcome to the workspace.
Agents can list, read and edit the text files of this folder.
Call edit_file with {"name":"${sample}","append":"Hello!"} to add a line.
`;

const folder = resolve('workspace');

const args = process.argv.slice(2);
const { given, information } = readArguments(args);
const elsewhere = given.some(({ name }) => name === 'dir') || (process.env['BASE_PATH'] ?? '') !== '';
const ownWorkspace = information === undefined && !elsewhere;
if (ownWorkspace) {
  if (await mayMakeDirectory(fileEditor, args, folder)) makeWorkspace();
  process.env['BASE_PATH'] = folder;
}

const { started } = await import('./cli.js');
const serving = await started;
if (serving?.url.startsWith('http') === true) process.stdout.write(invitation(serving.url));

/** What cannot be made is left for the start to report. */
function makeWorkspace(): void {
  try {
    makeDirectories(folder);
    writeFileSync(join(folder, sample), sampleText, { flag: 'wx' });
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
}

function invitation(url: string): string {
  const [what, call] = callToTry();
  const where = isContainer() ? 'another terminal in this container' : 'another terminal';
  return `Try it in ${where} (${what}; operations, flags and more calls: README.md):
  curl ${url}${call}
`;
}

/** What it does, and the rest of its command line: one that this server offers, and that succeeds. */
function callToTry(): readonly [string, string] {
  const toolsets = flags.toolset.accept.read(given.find(({ name }) => name === 'toolset')?.text ?? 'files') ?? [];
  const offers = (tools: Toolset): boolean => toolsets.includes('all') || toolsets.includes(tools);
  const post = (operation: string, params: object): string =>
    `/${operation} -H 'Content-Type: application/json' -d '${JSON.stringify(params)}'`;
  const hasSample = ownWorkspace && existsSync(join(folder, sample));
  if (offers('files')) {
    return hasSample
      ? ['read the sample file', post('read_file', { name: sample })]
      : ['list the files', post('list_files', {})];
  }
  if (offers('storage')) {
    return hasSample
      ? ['view the sample file', post('view', { path: sample })]
      : ['view the directory', post('view', { path: '' })];
  }
  return ['what it offers', '/openapi.json'];
}
