/** The commands that are installed (contract 1), and what makes the difference between them. */
export interface Command {
  readonly name: string;
  /** What clients of the MCP are told. */
  readonly serverName: string;
  /** Flags, by name, that are as if they had been given, unless they are. */
  readonly defaults: Readonly<Record<string, string>>;
}

export const fileEditor: Command = { name: 'file-editor', serverName: 'file-editing-server', defaults: {} };

export const fileStorageBackend: Command = {
  name: 'file-storage-backend',
  serverName: 'file-storage-backend',
  defaults: { transport: 'stdio', toolset: 'storage' },
};
