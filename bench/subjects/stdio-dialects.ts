/** What programs over stdio are asked for the same thing. */
import { join } from 'node:path';
import type { Program } from '../programs/program.js';
import { mcpServer, stdioServer } from '../programs/programs.js';
import type { Message, StdioTalk } from './stdio-talk.js';

export interface Replace {
  readonly name: string;
  readonly line: number;
  /** What the line holds, and no other line of the file. */
  readonly from: string;
  readonly to: string;
}

export interface Dialect {
  readonly program: Program;
  /** Until it answers requests. */
  readonly handshake: (talk: StdioTalk) => Promise<void>;
  readonly read: (directory: string, name: string) => Message;
  readonly edit: (directory: string, change: Replace) => Message;
}

/** This server, in JSON-RPC. */
export function ownDialect(...flags: readonly string[]): Dialect {
  return {
    program: stdioServer(...flags),
    handshake: async (talk) => {
      await talk.ask({ method: 'list_files', params: {} });
    },
    read: (_directory, name) => ({ method: 'read_file', params: { name } }),
    edit: (_directory, { name, line, to }) => ({
      method: 'edit_file',
      params: { name, edits: [{ line, operation: 'replace', content: to }] },
    }),
  };
}

function callTool(name: string, args: unknown): Message {
  return { method: 'tools/call', params: { name, arguments: args } };
}

/** The server that the authors of MCP publish. */
export const mcpDialect: Dialect = {
  program: mcpServer,
  handshake: async (talk) => {
    const clientInfo = { name: 'bench', version: '1' };
    await talk.ask({ method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
    talk.notify('notifications/initialized');
  },
  read: (directory, name) => callTool('read_text_file', { path: join(directory, name) }),
  edit: (directory, { name, from, to }) =>
    callTool('edit_file', { path: join(directory, name), edits: [{ oldText: from, newText: to }] }),
};
