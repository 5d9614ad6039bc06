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

/** Clients of the running server. @param address its URL, without a trailing slash */
export function httpConnections(address: string, offers: Offers): readonly Connection[] {
  const url = `${address}/mcp`;
  return [
    { client: 'Claude Code', where: 'terminal', lines: `claude mcp add --transport http files ${url}` },
    { client: 'A call without MCP', where: 'terminal', lines: callToTry(address, offers) },
    { client: 'Cursor', where: '.cursor/mcp.json', lines: indentedJsonOf({ mcpServers: { files: { url } } }) },
    {
      client: 'VS Code',
      where: '.vscode/mcp.json',
      lines: indentedJsonOf({ servers: { files: { type: 'http', url } } }),
    },
  ];
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
export function callToTry(address: string, offers: Offers): string {
  if (offers('list_files')) return curl(address, 'list_files', {});
  if (offers('view')) return curl(address, 'view', { path: '' });
  return `curl ${address}/openapi.json`;
}

export function curl(address: string, operation: OperationName, params: object): string {
  return `curl ${address}/${operation} -H 'Content-Type: application/json' -d '${jsonOf(params)}'`;
}
