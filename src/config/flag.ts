/** A row of the table of flags (flags.ts). */
import type { Accept } from './flag-values.js';

/** The headings of the help, in its order. */
export const flagGroups = {
  files: 'Files and operations',
  connections: 'Connections',
  mcp: 'MCP results',
  limits: 'Limits',
  resources: 'Threads and memory',
  log: 'Log (JSON lines on stderr) and information',
};

export interface Flag<Value> {
  /** As on the command line, without the dashes. The key of its row is the same in camelCase. */
  readonly name: string;
  readonly alias?: string;
  /** The placeholder for the value in the help; absent if the flag takes none. */
  readonly placeholder?: string;
  /** The section of the help. */
  readonly group: keyof typeof flagGroups;
  /** With its default at most 54 characters, so a line of the help fits on a screen. */
  readonly summary: string;
  /** The unit of the default in the help. */
  readonly unit?: string;
  /** The default shown in the help, if it differs from the fallback. */
  readonly otherwise?: string;
  /** Only has an effect on this transport, and is refused on the other. */
  readonly transport?: 'http';
  /** Only has an effect together with these flags. */
  readonly needs?: readonly string[];
  /** Has no effect together with these flags. */
  readonly excludes?: readonly string[];
  readonly accept: Accept<Value>;
  readonly fallback: NoInfer<Value>;
}

/** One row; the type of its value is inferred. */
export function flag<Value>(row: Flag<Value>): Flag<Value> {
  return row;
}
