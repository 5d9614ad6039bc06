/**
 * What clients install, from one configuration (src/packaging/clients/server.ts). The first two need the bundles.
 *
 *   tsx clients.config.ts mcpb       dist/mcpb/file-editing-server.mcpb, for Claude Desktop
 *   tsx clients.config.ts plugin     dist/claude-code, for Claude Code
 *   tsx clients.config.ts listings   server.json for the MCP registry, and the install links in the documents
 */
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packExtension } from '@anthropic-ai/mcpb';
import { pluginFiles } from './src/packaging/clients/claude-code-plugin.js';
import { withInstallLinks } from './src/packaging/clients/install-links.js';
import { mcpbManifest } from './src/packaging/clients/mcpb-manifest.js';
import { copyServer } from './src/packaging/clients/payload.js';
import { registryEntry } from './src/packaging/clients/registry-entry.js';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');

const makers: Readonly<Record<string, () => Promise<void>>> = { mcpb, plugin, listings };
const maker = makers[process.argv[2] ?? ''];
if (maker === undefined) throw new Error(`usage: tsx clients.config.ts ${Object.keys(makers).join('|')}`);
await maker();

async function mcpb(): Promise<void> {
  const bundle = join(dist, 'mcpb/file-editing-server.mcpb');
  await filled(async (folder) => {
    const extensionPath = join(folder, 'bundle');
    await copyServer(root, extensionPath);
    await writeFile(join(extensionPath, 'manifest.json'), JSON.stringify(mcpbManifest, null, 2));
    const outputPath = join(folder, 'packed');
    // It reports what is wrong itself.
    if (!(await packExtension({ extensionPath, outputPath }))) throw new Error('The bundle could not be packed');
    await mkdir(dirname(bundle), { recursive: true });
    await rename(outputPath, bundle);
  });
  process.stdout.write(`${bundle}: ${String(Math.round((await stat(bundle)).size / 1000))} kB\n`);
}

async function plugin(): Promise<void> {
  const target = join(dist, 'claude-code');
  await filled(async (folder) => {
    const made = join(folder, 'plugin');
    await copyServer(root, made);
    for (const [path, text] of Object.entries(pluginFiles)) {
      await mkdir(dirname(join(made, path)), { recursive: true });
      await writeFile(join(made, path), text);
    }
    await rm(target, { recursive: true, force: true });
    await rename(made, target);
  });
}

async function listings(): Promise<void> {
  await writeFile(join(root, 'server.json'), `${JSON.stringify(registryEntry, null, 2)}\n`);
  for (const name of ['README.md', 'docs/mcp.md']) {
    const page = join(root, name);
    await writeFile(page, withInstallLinks(await readFile(page, 'utf8')));
  }
}

/** Lend a folder for `fill`. It is in dist, so that what is finished can be renamed into place. */
async function filled(fill: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(dist, 'clients-'));
  try {
    await fill(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
