/**
 * What the configurations of clients have in common: the names of this server, and the arguments that start it. The
 * bundle, the plugin, the entry for the registry and the install links are made from it.
 */
import manifest from '../../../package.json' with { type: 'json' };
import { availableOperations, type ToolsetName } from '../../config/offer.js';

const toolset: ToolsetName = 'agent';

/** The package, under the names that the forms for clients use. */
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

/** What clients call the server, as in the configurations of the README. */
export const serverName = 'files';

/** What agents do not need, and could do harm with: hooks that git runs, and secrets (spec 17). */
const paths = '**,!.git/**,!**/.env*';
/** Flags of `file-editor` with their values. The registry lists these apart from those without. */
export const fixedValues = { '--transport': 'stdio', '--toolset': toolset, '--paths': paths };
/** Clients differ in what they show a model of a result (docs/mcp.md): the text alone is right in all of them. */
export const fixedSwitches = ['--mcp-text-only'];

/** @param directory the one to serve, or a placeholder that the client replaces */
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

/** Starts the published package. */
export function publishedCommand(directory: string): { readonly command: string; readonly args: readonly string[] } {
  return { command: 'npx', args: [...npxArguments, `${about.name}@latest`, ...serverArguments(directory)] };
}
