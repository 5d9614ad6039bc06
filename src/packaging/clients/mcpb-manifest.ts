/** manifest.json of the bundle for Claude Desktop and other clients that read MCP bundles. */
import { about, serverArguments, tools } from './server.js';
import { entryPoint } from './payload.js';

export const mcpbManifest = {
  // The version of the specification. The tool also knows 0.4, which adds an experimental kind of server.
  manifest_version: '0.3',
  name: about.name,
  display_name: about.title,
  version: about.version,
  description: about.description,
  author: { name: about.author },
  repository: { type: 'git', url: about.repository },
  documentation: `${about.repository}/blob/main/docs/mcp.md`,
  support: about.issues,
  license: about.licence,
  keywords: about.keywords,
  server: {
    type: 'node',
    entry_point: entryPoint,
    mcp_config: {
      command: 'node',
      args: [`\${__dirname}/${entryPoint}`, ...serverArguments('${user_config.directory}')],
    },
  },
  // Values arrive as text, but --read-only takes none, so it cannot be an option here.
  user_config: {
    directory: {
      type: 'directory',
      title: 'Directory',
      description: 'What the agent may read and edit, with all directories below it.',
      required: true,
    },
  },
  tools,
  compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: about.node } },
};
