/**
 * Lines to copy that connect clients to a server, for the status page and `npm start`. They are quoted for a shell on
 * the server's system (cmd on Windows).
 */
import type { Config } from '../../../config/config.js';
import { availableOperations } from '../../../config/offer.js';
import { indentedJsonOf, jsonOf } from '../../../core/json/json-of.js';
import type { OperationName } from '../../../core/operations.js';
import { platform } from '../../../core/platform.js';

/** The options that decide which files and operations a client gets. */
export type Served = Pick<Config, 'directory' | 'readOnly' | 'toolsets' | 'names' | 'paths'>;

/** One client, and the lines that make it use a server. */
export interface Connection {
  readonly client: string;
  /** The file or program that the lines are for. */
  readonly where: string;
  readonly lines: string;
}

type Offers = (name: OperationName) => boolean;

/** A running server, as seen by its clients. */
export interface Reached {
  /** Its URL, without a trailing slash. */
  readonly address: string;
  /** Whether requests need a token. */
  readonly hasTokens: boolean;
}

/** Clients of a running server. A token comes from the environment, or from the user. */
export function httpConnections(server: Reached, offers: Offers): readonly Connection[] {
  const url = `${server.address}/mcp`;
  const { hasTokens } = server;
  const header = hasTokens ? ` --header ${bearer}` : '';
  const forCursor = hasTokens ? { url, headers: { Authorization: `Bearer \${env:${tokenVariable}}` } } : { url };
  return [
    { client: 'Claude Code', where: 'terminal', lines: `claude mcp add --transport http files ${url}${header}` },
    { client: 'A call without MCP', where: 'terminal', lines: callToTry(server, offers) },
    { client: 'Cursor', where: '.cursor/mcp.json', lines: indentedJsonOf({ mcpServers: { files: forCursor } }) },
    { client: 'VS Code', where: '.vscode/mcp.json', lines: indentedJsonOf(forVsCode(url, hasTokens)) },
  ];
}

const tokenVariable = 'FILES_TOKEN';

const isCmd = platform.commandsNeedShell;
const bearer = `"Authorization: Bearer ${isCmd ? `%${tokenVariable}%` : `$${tokenVariable}`}"`;

function forVsCode(url: string, hasTokens: boolean): object {
  if (!hasTokens) return { servers: { files: { type: 'http', url } } };
  const id = 'files-token';
  return {
    inputs: [{ type: 'promptString', id, description: 'Token of the file server', password: true }],
    servers: { files: { type: 'http', url, headers: { Authorization: `Bearer \${input:${id}}` } } },
  };
}

/** Recommended for agents if nothing was chosen: the default tools reach only the top of the directory. */
function recommended(toolsets: Served['toolsets']): Served['toolsets'] {
  return isTopOnly({ toolsets }) ? ['agent'] : toolsets;
}

/** Whether a server offers only the tools for the files at the top of its directory, as by default. */
export function isTopOnly({ toolsets }: Pick<Served, 'toolsets'>): boolean {
  return toolsets.every((name) => name === 'files');
}

/** A client that starts its own server on the same files: with the same operations, or the recommended ones. */
export function stdioConnection(served: Served): Connection {
  const { directory, readOnly, names, paths } = served;
  // Skip toolsets that --read-only would empty: a server with an empty toolset does not start.
  const toolsets = recommended(served.toolsets).filter(
    (name) => availableOperations({ toolsets: [name], readOnly }).size > 0,
  );
  const args = [
    `--dir=${directory}`,
    '--transport=stdio',
    `--toolset=${toolsets.join(',')}`,
    ...(names === 'portable' ? [] : [`--names=${names}`]),
    ...(paths === undefined ? [] : [`--paths=${paths.join(',')}`]),
    ...(readOnly ? ['--read-only'] : []),
    '--mcp-text-only',
  ];
  const lines = indentedJsonOf({ mcpServers: { files: startedBy(args) } });
  return { client: 'Claude Desktop', where: 'claude_desktop_config.json', lines };
}

/** Clients start a command without a shell. */
function startedBy(args: readonly string[]): { readonly command: string; readonly args: readonly string[] } {
  const command = 'file-editor';
  return platform.commandsNeedShell ? { command: 'cmd', args: ['/c', command, ...args] } : { command, args };
}

/** A successful call without side effects, of an operation that the server offers. */
export function callToTry(server: Reached, offers: Offers): string {
  if (offers('list_files')) return curl(server, 'list_files', {});
  if (offers('view')) return curl(server, 'view', { path: '' });
  return `curl ${server.address}/openapi.json${authorization(server)}`;
}

export function curl(server: Reached, operation: OperationName, params: object): string {
  const [type, body] = ['Content-Type: application/json', jsonOf(params)].map(quoted);
  return `curl ${server.address}/${operation}${authorization(server)} -H ${type} -d ${body}`;
}

function authorization({ hasTokens }: Reached): string {
  return hasTokens ? ` -H ${bearer}` : '';
}

/** Quotes one argument: ' has no meaning to cmd, and programs on Windows take \" as a literal quote. */
function quoted(text: string): string {
  return isCmd ? `"${text.replaceAll(/(\\*)"/g, String.raw`$1$1\"`)}"` : `'${text}'`;
}
