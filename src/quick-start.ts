/** `npm start`: serves ./workspace unless another directory is named, and prints the next steps. */
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mayMakeDirectory } from './commands/own-directory.js';
import { readArguments } from './config/arguments.js';
import { fileEditor } from './config/config.js';
import { flags } from './config/flags.js';
import { isIn } from './config/offer.js';
import { systemErrorCode } from './core/error-code.js';
import { makeDirectories } from './config/make-directories.js';
import { rows, type OperationName } from './core/operations.js';
import { platform } from './core/platform.js';
import { isContainer } from './observe/start-report.js';
import { callToTry, curl } from './protocols/pages/status-page/connect.js';

const sample = 'welcome.txt';
const sampleText = `Welcome to the workspace.
Agents can list, read and edit the text files of this folder.
Call edit_file with {"name":"${sample}","append":"Hello!"} to add a line.
`;

/** The default tools only reach files at the top of the directory. */
const wholeProject = `
Serve a whole project to an agent:
  npm start -- --dir=${platform.hasWindowsNames ? String.raw`C:\path\to\project` : '/path/to/project'} --toolset=agent
`;

const folder = resolve('workspace');

const args = process.argv.slice(2);
const { given, information } = readArguments(args);
const isGiven = (...names: readonly string[]): boolean => given.some(({ name }) => names.includes(name));
const elsewhere = isGiven('dir') || (process.env['BASE_PATH'] ?? '') !== '';
const ownWorkspace = information === undefined && !elsewhere;
if (ownWorkspace) {
  if (await mayMakeDirectory(fileEditor, args, folder)) makeWorkspace();
  process.env['BASE_PATH'] = folder;
}

// JSON log lines mean little to a newcomer. On stdio they are the only output, and with another address there may be a
// warning that matters.
const isQuiet = !isGiven('log-level', 'transport', 'host');
if (isQuiet) process.argv.push('--log-level=error');
// Without it, the client that the status page names first shows a model no text of read_file.
if (information === undefined && !isGiven('mcp-text-only')) process.argv.push('--mcp-text-only');

const { started } = await import('./cli.js');
const serving = await started;
if (serving?.url.startsWith('http') === true) process.stdout.write(firstSteps(serving.url));

/** If the directory cannot be made, the start reports it. */
function makeWorkspace(): void {
  try {
    makeDirectories(folder);
    writeFileSync(join(folder, sample), sampleText, { flag: 'wx' });
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
}

function firstSteps(url: string): string {
  const where = isContainer() ? 'another terminal in this container' : 'another terminal';
  const project = elsewhere || isGiven('toolset') ? '' : wholeProject;
  return `
  Status page  ${url}/  (with lines to copy for Claude Code, Cursor, VS Code …)
  MCP address  ${url}/mcp
${ownWorkspace ? `  Your files   ${folder}\n` : ''}  To end it    Ctrl-C

Try a call in ${where}:
  ${callOf(url)}
${project}${isQuiet ? '\nOnly errors are logged here; --log-level=info logs more.\n' : ''}`;
}

/** A call that this server offers and that succeeds: of the sample file, if it exists. */
function callOf(url: string): string {
  const toolsets = flags.toolset.accept.read(given.find(({ name }) => name === 'toolset')?.text ?? 'files') ?? [];
  const offers = (name: OperationName): boolean => toolsets.some((toolset) => isIn(toolset, rows[name]));
  const hasSample = ownWorkspace && existsSync(join(folder, sample));
  const server = { address: url, hasTokens: isGiven('tokens') };
  if (hasSample && offers('read_file')) return curl(server, 'read_file', { name: sample });
  if (hasSample && offers('view')) return curl(server, 'view', { path: sample });
  return callToTry(server, offers);
}
