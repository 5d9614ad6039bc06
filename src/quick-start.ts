/** `npm start`: serves ./workspace unless another directory is named, and prints a call to try. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mayMakeDirectory } from './commands/own-directory.js';
import { readArguments } from './config/arguments.js';
import { fileEditor } from './config/commands.js';
import { makeDirectories } from './make-directories.js';

const sample = 'welcome.txt';
const sampleText = `Welcome to the workspace.
Agents can list, read and edit the text files of this folder.
Call edit_file with {"name":"${sample}","append":"Hello!"} to add a line.
`;

const args = process.argv.slice(2);
const { given, information } = readArguments(args);
const elsewhere = given.some(({ name }) => name === 'dir') || (process.env['BASE_PATH'] ?? '') !== '';
const ownWorkspace = information === undefined && !elsewhere;
if (ownWorkspace) {
  process.env['BASE_PATH'] = (await mayMakeDirectory(fileEditor, args)) ? makeWorkspace() : process.cwd();
}

const { started } = await import('./cli.js');
const serving = await started;
if (serving?.url.startsWith('http') === true) process.stdout.write(invitation(serving.url));

/** What cannot be made is left for the start to report. */
function makeWorkspace(): string {
  const folder = resolve('workspace');
  try {
    makeDirectories(folder);
    writeFileSync(join(folder, sample), sampleText, { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
  return folder;
}

function invitation(url: string): string {
  const [what, operation, params] = ownWorkspace
    ? ['read the sample file', 'read_file', { name: sample }]
    : ['list the files', 'list_files', {}];
  return `Try it in another terminal (${what}; operations, flags and more calls: README.md):
  curl ${url}/${operation} -H 'Content-Type: application/json' -d '${JSON.stringify(params)}'
`;
}
