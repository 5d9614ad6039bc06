/** The files of the plugin for Claude Code. Its folder is also a marketplace that offers only this plugin. */
import { about, serverArguments, serverName, tools } from './server.js';
import { entryPoint } from './payload.js';

const plugin = {
  name: about.name,
  version: about.version,
  description: about.summary,
  author: { name: about.author },
  homepage: about.repository,
  repository: about.repository,
  license: about.licence,
  keywords: about.keywords,
};

const marketplace = {
  name: about.name,
  description: about.summary,
  owner: { name: about.author },
  plugins: [{ name: about.name, source: './', description: about.summary }],
};

const mcpServers = {
  [serverName]: {
    command: 'node',
    // Otherwise a model has to search for its tools.
    alwaysLoad: true,
    args: [`\${CLAUDE_PLUGIN_ROOT}/${entryPoint}`, ...serverArguments('${CLAUDE_PROJECT_DIR}')],
  },
};

const readme = `# ${about.title}

${about.description}

The plugin starts the server on stdio for the project that you open, under the name \`${serverName}\`, with the tools
${tools.map(({ name }) => `\`${name}\``).join(', ')}. It needs Node ${about.node} on the PATH, and nothing else.

\`\`\`sh
claude plugin marketplace add FOLDER-OF-THIS-FILE
claude plugin install ${about.name}@${about.name}
\`\`\`

Claude Code has edit tools of its own, which take no locks; deny them if all edits should go through the server.
[More](${about.repository}/blob/main/docs/mcp.md)
`;

/** The contents of its files, by path in the plugin. */
export const pluginFiles: Readonly<Record<string, string>> = {
  '.claude-plugin/plugin.json': json(plugin),
  '.claude-plugin/marketplace.json': json(marketplace),
  '.mcp.json': json({ mcpServers }),
  'README.md': readme,
};

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
