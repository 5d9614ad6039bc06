/** The commands that are installed (spec 1), and what differs between them. */
export interface Command {
  readonly name: string;
  /** The name that MCP clients are told. */
  readonly serverName: string;
  /** Flags, by name, that count as given unless they are given otherwise. */
  readonly defaults: Readonly<Record<string, string>>;
}

export const fileEditor: Command = { name: 'file-editor', serverName: 'file-editing-server', defaults: {} };

export const fileStorageBackend: Command = {
  name: 'file-storage-backend',
  serverName: 'file-storage-backend',
  defaults: { transport: 'stdio', toolset: 'storage' },
};
