/**
 * Shared by all client configurations: the names of this server, and the arguments that start it. The bundle, the
 * plugin, the registry entry and the install links are generated from it.
 */
import manifest from '../../../package.json' with { type: 'json' };
import { availableOperations, type ToolsetName } from '../../config/offer.js';

const toolset: ToolsetName = 'agent';

/** Facts about the package that client configurations need. */
export const about = {
  name: manifest.name,
  title: 'File editing server',
  version: manifest.version,
  description: manifest.description,
  /** The registry takes at most 100 characters. */
  summary: 'Lets AI agents read, search and edit text files at the same time, without losing an edit.',
  author: manifest.author,
  licence: manifest.license,
  keywords: manifest.keywords,
  registryName: manifest.mcpName,
  repository: manifest.repository.url.replace(/^git\+|\.git$/g, ''),
  issues: manifest.bugs,
  node: manifest.engines.node,
};

/** The name of the server in clients, as in the configurations of the README. */
export const serverName = 'files';

/** Excludes files that agents do not need and could do harm with: git hooks and secrets (spec 17). */
const paths = '**,!.git/**,!**/.env*';
/** Flags of `file-editor` with values. The registry lists them separately from those without. */
export const fixedValues = { '--transport': 'stdio', '--toolset': toolset, '--paths': paths };
/** Clients show a model different parts of a result (docs/mcp.md). Only plain text works in all of them. */
export const fixedSwitches = ['--mcp-text-only'];

/** @param directory to serve, or a placeholder that the client replaces */
export function serverArguments(directory: string): string[] {
  const values = Object.entries(fixedValues).map(([flag, value]) => `${flag}=${value}`);
  return [`--dir=${directory}`, ...values, ...fixedSwitches];
}

export interface Tool {
  readonly name: string;
  readonly description: string;
}

export const tools: readonly Tool[] = Array.from(
  availableOperations({ toolsets: [toolset], readOnly: false }).values(),
  ({ name, description }) => ({ name, description }),
);

/** Without uWebSockets.js: stdio needs none, and its binaries for all platforms are a download of 96 MB. */
export const npxArguments = ['-y', '--omit=optional'];

/** The command that starts the published package. */
export function publishedCommand(directory: string): { readonly command: string; readonly args: readonly string[] } {
  return { command: 'npx', args: [...npxArguments, `${about.name}@latest`, ...serverArguments(directory)] };
}
