/** server.json: tells the MCP registry how clients start the published package. */
import { about, fixedSwitches, fixedValues, npxArguments } from './server.js';

interface Argument {
  readonly type: 'named' | 'positional';
  readonly name?: string;
  /** Clients prompt for an argument without a value. A flag that takes none is therefore a positional argument. */
  readonly value?: string;
  readonly description?: string;
  readonly isRequired?: true;
  readonly format?: 'filepath';
}

const directory: Argument = {
  type: 'named',
  name: '--dir',
  description: 'The directory that the agent may read and edit',
  isRequired: true,
  format: 'filepath',
};

export const npmPackage = {
  registryType: 'npm',
  identifier: about.name,
  version: about.version,
  runtimeHint: 'npx',
  runtimeArguments: npxArguments.map(verbatim),
  transport: { type: 'stdio' },
  packageArguments: [
    directory,
    ...Object.entries(fixedValues).map(([name, value]): Argument => ({ type: 'named', name, value })),
    ...fixedSwitches.map(verbatim),
  ],
};

export const registryEntry = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: about.registryName,
  title: about.title,
  description: about.summary,
  repository: { url: about.repository, source: 'github' },
  version: about.version,
  packages: [npmPackage],
};

function verbatim(value: string): Argument {
  return { type: 'positional', value };
}
