/** The same request over stdio, phrased for each program. */
import { join } from 'node:path';
import type { Program } from '../programs/program.js';
import { agentServer, mcpServer, stdioServer } from '../programs/programs.js';
import type { Message, StdioTalk } from './stdio-talk.js';

export interface Replace {
  readonly name: string;
  readonly line: number;
  /** Text of the line; no other line of the file contains it. */
  readonly from: string;
  readonly to: string;
}

export interface Dialect {
  readonly program: Program;
  /** Completes when the program answers requests. */
  readonly handshake: (talk: StdioTalk) => Promise<void>;
  readonly read: (directory: string, name: string) => Message;
  /** All files of the directory, with their sizes. */
  readonly list: (directory: string) => Message;
  /** One request; all changes are to one file. */
  readonly edit: (directory: string, changes: readonly Replace[]) => Message;
}

/** This server, in JSON-RPC. */
export function ownDialect(...flags: readonly string[]): Dialect {
  return {
    program: stdioServer(...flags),
    handshake: async (talk) => {
      await talk.ask({ method: 'list_files', params: {} });
    },
    read: (_directory, name) => ({ method: 'read_file', params: { name } }),
    list: () => ({ method: 'list_files', params: {} }),
    edit: (_directory, changes) => ({
      method: 'edit_file',
      params: {
        name: nameOf(changes),
        edits: changes.map(({ line, to }) => ({ line, operation: 'replace', content: to })),
      },
    }),
  };
}

/** This server, addressed like the other one: over MCP, with edits by text. */
export function ownMcpDialect(...flags: readonly string[]): Dialect {
  return {
    program: stdioServer('--toolset=all', ...flags),
    handshake: initialize,
    read: (_directory, name) => callTool('read_file', { name }),
    list: () => callTool('list_files', {}),
    edit: (_directory, changes) =>
      callTool('apply_edits', {
        path: nameOf(changes),
        edits: changes.map(({ from, to }) => ({ old_string: from, new_string: to })),
      }),
  };
}

/** This server as the README configures it for an agent. */
export function agentDialect(...flags: readonly string[]): Dialect {
  return {
    program: agentServer(...flags),
    handshake: initialize,
    read: (_directory, name) => callTool('view', { path: name }),
    list: () => callTool('view', { path: '' }),
    edit: (_directory, changes) => {
      const edits = changes.map(({ from, to }) => ({ old_string: from, new_string: to }));
      return callTool('apply_changes', { changes: [{ path: nameOf(changes), edits }] });
    },
  };
}

function nameOf([first]: readonly Replace[]): string {
  if (first === undefined) throw new RangeError('an edit without a change');
  return first.name;
}

async function initialize(talk: StdioTalk): Promise<void> {
  const clientInfo = { name: 'bench', version: '1' };
  await talk.ask({ method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  talk.notify('notifications/initialized');
}

function callTool(name: string, args: unknown): Message {
  return { method: 'tools/call', params: { name, arguments: args } };
}

/** The server that the authors of MCP publish. */
export const mcpDialect: Dialect = {
  program: mcpServer,
  handshake: initialize,
  read: (directory, name) => callTool('read_text_file', { path: join(directory, name) }),
  list: (directory) => callTool('list_directory_with_sizes', { path: directory }),
  edit: (directory, changes) =>
    callTool('edit_file', {
      path: join(directory, nameOf(changes)),
      edits: changes.map(({ from, to }) => ({ oldText: from, newText: to })),
    }),
};
