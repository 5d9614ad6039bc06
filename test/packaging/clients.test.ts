/** What registries and clients are told of the package: server.json, the bundle's manifest, the plugin. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { v0_3 } from '@anthropic-ai/mcpb/schemas';
import { Ajv } from 'ajv';
import formatsModule from 'ajv-formats';
import { pluginFiles } from '../../src/packaging/clients/claude-code-plugin.js';
import { mcpbManifest } from '../../src/packaging/clients/mcpb-manifest.js';
import { npmPackage, registryEntry } from '../../src/packaging/clients/registry-entry.js';
import { npxArguments } from '../../src/packaging/clients/server.js';
import { filledIn, startOf, toolsThatWork, type Start } from '../clients/installed.js';
import { loadRegistrySchema } from '../corpora/mcp-registry.js';
import { withDirectory } from '../directory.js';
import { cli } from '../fronts/server-process.js';
import { offered } from '../operations/offered.js';

const text = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const manifest = JSON.parse(text('package.json')) as Readonly<Record<'name' | 'version' | 'mcpName', string>> & {
  readonly bin: Readonly<Record<string, string>>;
};

/** The built command instead of the one that was packed or is fetched: `replaced` arguments. */
function asBuilt({ args }: Start, replaced: number): Start {
  return { command: process.execPath, args: [cli, ...args.slice(replaced)] };
}

describe('server.json', () => {
  const written = text('server.json');

  it('is what the configuration says; npm run build:listings writes it', () => {
    assert.equal(written, `${JSON.stringify(registryEntry, null, 2)}\n`);
  });

  it('is valid by the schema of the registry, which refuses what is not', () => {
    const schema = loadRegistrySchema();
    assert.equal(registryEntry.$schema, schema['$id']);
    // It has an example beside each keyword of JSON Schema.
    const ajv = new Ajv({ allErrors: true, strict: false });
    formatsModule.default(ajv);
    const isValid = ajv.compile(schema);
    assert.ok(isValid(JSON.parse(written)), JSON.stringify(isValid.errors));
    for (const wrong of [{ name: 'no-owner' }, { description: 'x'.repeat(101) }, { version: undefined }]) {
      assert.equal(isValid({ ...registryEntry, ...wrong }), false, JSON.stringify(wrong));
    }
  });

  it('names the package, and the package and the image name it', () => {
    const { name, version } = registryEntry;
    const { identifier, version: packed, transport } = npmPackage;
    assert.deepEqual([name, version, packed], [manifest.mcpName, manifest.version, manifest.version]);
    assert.deepEqual([identifier, transport.type], [manifest.name, 'stdio']);
    const label = `LABEL io.modelcontextprotocol.server.name="${name}"\n`;
    assert.ok(text('docs/deploy/Dockerfile').includes(label));
  });

  it('names a package whose command of the same name npx runs', () => {
    assert.equal(manifest.bin[manifest.name], manifest.bin['file-editor']);
  });

  const joins: readonly [string, (flag: string, value: string) => string[]][] = [
    ['as one argument', (flag, value) => [`${flag}=${value}`]],
    ['as two', (flag, value) => [flag, value]],
  ];
  for (const [form, join] of joins) {
    it(`has arguments that start the server, flags and values ${form}`, () =>
      withDirectory({}, async (directory) => {
        const start = startOf(npmPackage, directory, join);
        const fetched = [...npxArguments, `${manifest.name}@${manifest.version}`];
        assert.deepEqual(start.args.slice(0, fetched.length), fetched);
        const tools = await toolsThatWork(asBuilt(start, fetched.length), directory, { cwd: '/' });
        assert.deepEqual(tools, offered(['agent']));
      }));
  }
});

describe('the manifest of the bundle', () => {
  it('is valid for the tool that packs it', () => {
    assert.deepEqual(v0_3.McpbManifestSchema.safeParse(mcpbManifest).error?.issues, undefined);
  });

  it('lists the tools of the server that it starts', () =>
    withDirectory({}, async (directory) => {
      const { command, args } = mcpbManifest.server.mcp_config;
      const start = filledIn({ command, args }, { '${__dirname}': '', '${user_config.directory}': directory });
      const tools = await toolsThatWork(asBuilt(start, 1), directory, { cwd: '/' });
      assert.deepEqual(
        mcpbManifest.tools.map(({ name }) => name),
        tools,
      );
    }));
});

describe('the plugin for Claude Code', () => {
  const read = (name: string): unknown => JSON.parse(pluginFiles[name] ?? '');

  it('starts the server for the project', () =>
    withDirectory({}, async (directory) => {
      const { mcpServers } = read('.mcp.json') as { readonly mcpServers: { readonly files: Start } };
      const places = { '${CLAUDE_PLUGIN_ROOT}': '', '${CLAUDE_PROJECT_DIR}': directory };
      const tools = await toolsThatWork(asBuilt(filledIn(mcpServers.files, places), 1), directory, { cwd: '/' });
      assert.deepEqual(tools, offered(['agent']));
    }));

  it('has the version of the package, and is the only one of its marketplace', () => {
    const { name, version } = read('.claude-plugin/plugin.json') as Readonly<Record<'name' | 'version', string>>;
    assert.deepEqual([name, version], [manifest.name, manifest.version]);
    const { plugins } = read('.claude-plugin/marketplace.json') as {
      readonly plugins: readonly Readonly<Record<'name' | 'source', string>>[];
    };
    assert.deepEqual(
      plugins.map(({ name: each, source }) => [each, source]),
      [[name, './']],
    );
  });
});
