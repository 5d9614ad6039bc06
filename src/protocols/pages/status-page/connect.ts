/** Lines to copy that connect clients to a server, for the status page and `npm start`. */
import type { Config } from '../../../config/config.js';
import { availableOperations } from '../../../config/offer.js';
import { indentedJsonOf, jsonOf } from '../../../core/json/json-of.js';
import type { OperationName } from '../../../core/operations.js';

/** The options that decide which files and operations a client gets. */
export type Served = Pick<Config, 'directory' | 'readOnly' | 'toolsets' | 'names'>;

/** One client, and the lines that make it use a server. */
export interface Connection {
  readonly client: string;
  /** The file or the program that takes the lines. */
  readonly where: string;
  readonly lines: string;
}

type Offers = (name: OperationName) => boolean;

/** A running server, as its clients reach it. */
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
  const header = hasTokens ? ` --header "Authorization: Bearer $${tokenVariable}"` : '';
  const forCursor = hasTokens ? { url, headers: { Authorization: `Bearer \${env:${tokenVariable}}` } } : { url };
  return [
    { client: 'Claude Code', where: 'terminal', lines: `claude mcp add --transport http files ${url}${header}` },
    { client: 'A call without MCP', where: 'terminal', lines: callToTry(server, offers) },
    { client: 'Cursor', where: '.cursor/mcp.json', lines: indentedJsonOf({ mcpServers: { files: forCursor } }) },
    { client: 'VS Code', where: '.vscode/mcp.json', lines: indentedJsonOf(forVsCode(url, hasTokens)) },
  ];
}

const tokenVariable = 'FILES_TOKEN';

function forVsCode(url: string, hasTokens: boolean): object {
  if (!hasTokens) return { servers: { files: { type: 'http', url } } };
  const id = 'files-token';
  return {
    inputs: [{ type: 'promptString', id, description: 'Token of the file server', password: true }],
    servers: { files: { type: 'http', url, headers: { Authorization: `Bearer \${input:${id}}` } } },
  };
}

/** A client that starts its own server, which offers the same operations on the same files. */
export function stdioConnection(served: Served): Connection {
  const { directory, readOnly, names } = served;
  // Only toolsets that --read-only does not empty: a server with an empty one does not start.
  const toolsets = served.toolsets.filter((name) => availableOperations({ toolsets: [name], readOnly }).size > 0);
  const args = [
    `--dir=${directory}`,
    '--transport=stdio',
    `--toolset=${toolsets.join(',')}`,
    ...(names === 'portable' ? [] : [`--names=${names}`]),
    ...(readOnly ? ['--read-only'] : []),
    '--mcp-text-only',
  ];
  const lines = indentedJsonOf({ mcpServers: { files: { command: 'file-editor', args } } });
  return { client: 'Claude Desktop', where: 'claude_desktop_config.json', lines };
}

/** A successful call without side effects, of an operation that the server offers. */
export function callToTry(server: Reached, offers: Offers): string {
  if (offers('list_files')) return curl(server, 'list_files', {});
  if (offers('view')) return curl(server, 'view', { path: '' });
  return `curl ${server.address}/openapi.json${bearer(server)}`;
}

export function curl(server: Reached, operation: OperationName, params: object): string {
  return `curl ${server.address}/${operation}${bearer(server)} -H 'Content-Type: application/json' -d '${jsonOf(params)}'`;
}

function bearer({ hasTokens }: Reached): string {
  return hasTokens ? ` -H "Authorization: Bearer $${tokenVariable}"` : '';
}
