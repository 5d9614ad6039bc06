/** What clients install works without the clone: the bundle, the plugin, and what the links and the registry name. */
import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { getMcpConfigForManifest, unpackExtension, v0_3, validateManifest } from '@anthropic-ai/mcpb';
import { installLinks } from '../../../src/packaging/clients/install-links.js';
import { npmPackage } from '../../../src/packaging/clients/registry-entry.js';
import { decoded, filledIn, startOf, toolsThatWork, type Start } from '../../clients/installed.js';
import { offered } from '../../operations/offered.js';
import { pack, root, run } from './installation.js';

/** As a desktop program starts a server: no variable of npm or of this process leads back to the clone. */
const bare = { PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':'), NODE_PATH: '' };

describe('what clients install', () => {
  let folder: string;
  /** The current directory of the servers. */
  let elsewhere: string;
  /** A new directory to serve, with a name that a shell would take apart. */
  const newDirectory = async (): Promise<string> => {
    const directory = join(await mkdtemp(join(folder, 'served-')), 'Größe & "Maß" 大');
    await mkdir(directory);
    return directory;
  };

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'clients-')));
    elsewhere = join(folder, 'elsewhere');
    await mkdir(elsewhere);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  describe('as a bundle', () => {
    const bundle = join(root, 'dist/mcpb/file-editing-server.mcpb');
    let unpacked: string;
    before(async () => {
      await run(root, 'npm', 'run', 'build:mcpb');
      unpacked = join(folder, 'a bundle');
      assert.ok(await unpackExtension({ mcpbPath: bundle, outputDir: unpacked, silent: true }));
    });

    it('is valid for the tool, and small', async () => {
      assert.ok(validateManifest(join(unpacked, 'manifest.json')));
      const { size } = await stat(bundle);
      assert.ok(size < 700_000, `${String(size)} bytes`);
    });

    it('starts as its manifest says, with the tools that it lists', async () => {
      const manifest = v0_3.McpbManifestSchema.parse(
        JSON.parse(await readFile(join(unpacked, 'manifest.json'), 'utf8')),
      );
      const directory = await newDirectory();
      // The code by which Claude Desktop makes a command of a manifest and the answers of its user.
      const start = await getMcpConfigForManifest({
        manifest,
        extensionPath: unpacked,
        systemDirs: {},
        userConfig: { directory },
        pathSeparator: sep,
      });
      assert.ok(start?.args);
      const tools = await toolsThatWork({ ...start, args: start.args }, directory, { cwd: elsewhere, env: bare });
      assert.deepEqual(
        manifest.tools?.map(({ name }) => name),
        tools,
      );
    });

    it('has the locks of each platform, all licences, and nothing of the clone', async () => {
      const entries = await readdir(unpacked, { recursive: true, withFileTypes: true });
      const files = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
      const names = files.map((file) => file.slice(unpacked.length + 1));
      const locks = names.filter((name) => name.endsWith('.node')).map((name) => name.split('/').at(-2));
      const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64'];
      assert.deepEqual(locks.sort(), platforms);
      const licences = names.filter((name) => /licen[cs]e/i.test(name)).sort();
      assert.deepEqual(licences, [
        'server/LICENSE',
        'server/node_modules/fs-native-extensions/LICENSE',
        'server/node_modules/piscina/LICENSE',
        'server/third-party-licences.txt',
      ]);
      for (const file of files) assert.ok(!(await readFile(file)).includes(root), file);
    });
  });

  it('as a plugin starts as its file says', async () => {
    await run(root, 'npm', 'run', 'build:plugin');
    const plugin = join(folder, 'a plugin');
    await cp(join(root, 'dist/claude-code'), plugin, { recursive: true });
    const { mcpServers } = JSON.parse(await readFile(join(plugin, '.mcp.json'), 'utf8')) as {
      readonly mcpServers: { readonly files: Start };
    };
    const directory = await newDirectory();
    const start = filledIn(mcpServers.files, { '${CLAUDE_PLUGIN_ROOT}': plugin, '${CLAUDE_PROJECT_DIR}': directory });
    assert.deepEqual(await toolsThatWork(start, directory, { cwd: elsewhere, env: bare }), offered(['agent']));
  });

  describe('with npx', () => {
    let packed: string;
    let env: Record<string, string>;
    before(async () => {
      // The tests have built what the commands need; the declarations would take most of a minute.
      packed = (await pack(folder, '--ignore-scripts')).path;
      const own = Object.entries(process.env).filter((each): each is [string, string] => each[1] !== undefined);
      env = { ...Object.fromEntries(own), npm_config_cache: join(folder, 'cache') };
    });

    /** The package is not published: the packed one stands for its name, and everything else stays as it is. */
    const withPacked = ({ command, args }: Start, name: string): Start => {
      assert.equal(args.filter((arg) => arg === name).length, 1);
      return { command, args: args.map((arg) => (arg === name ? `file:${packed}` : arg)) };
    };

    for (const link of installLinks) {
      it(`starts what a link names: ${link.replace(/\?.*/, '')}`, async () => {
        const directory = await newDirectory();
        const start = withPacked(decoded(link).start(directory), 'file-editing-server@latest');
        assert.deepEqual(await toolsThatWork(start, directory, { cwd: elsewhere, env }), offered(['agent']));
      });
    }

    it('starts what server.json names, flags and values as one argument or as two', async () => {
      for (const join of [(flag: string, value: string) => [`${flag}=${value}`], (...both: string[]) => both]) {
        const directory = await newDirectory();
        const { identifier, version } = npmPackage;
        const start = withPacked(startOf(npmPackage, directory, join), `${identifier}@${version}`);
        assert.deepEqual(await toolsThatWork(start, directory, { cwd: elsewhere, env }), offered(['agent']));
      }
    });

    it('fetches no uWebSockets.js', async () => {
      const fetched = await readdir(join(folder, 'cache/_npx'), { recursive: true });
      assert.ok(fetched.some((name) => name.endsWith('node_modules/piscina')));
      assert.deepEqual(
        fetched.filter((name) => name.endsWith('node_modules/uWebSockets.js')),
        [],
      );
    });
  });
});
