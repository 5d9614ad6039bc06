/** The server in a bundle or plugin: everything it loads on stdio, for every platform, and the licences. */
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Its folder in the bundle and in the plugin. */
const folder = 'server';

/** The command, in the bundle and in the plugin. */
export const entryPoint = `${folder}/src/cli.cjs`;

/** Files that the command loads on stdio, at the start or later. Not the pages, which are for HTTP. */
const programs = ['src/cli', 'src/observe/log-lines', 'src/protocols/mcp/mcp-bundle', 'workers/main'];

const platforms = ['darwin', 'linux', 'win32'].flatMap((system) => [`${system}-arm64`, `${system}-x64`]);

/** Copied as packages, because they find their files by their own location (esbuild.config.ts). */
const piscina = 'node_modules/piscina';
const locks = 'node_modules/fs-native-extensions';

/**
 * Put the server into a bundle or a plugin.
 * @param root of this package, already built
 * @param target the folder of the bundle or the plugin
 */
export async function copyServer(root: string, target: string): Promise<void> {
  const threads = await readdir(join(root, piscina, 'dist'), { recursive: true });
  const libraries = [
    `${piscina}/package.json`,
    `${piscina}/LICENSE`,
    ...threads.filter((name) => name.endsWith('.js')).map((name) => `${piscina}/dist/${name}`),
    `${locks}/package.json`,
    `${locks}/LICENSE`,
    ...platforms.map((platform) => `${locks}/prebuilds/${platform}/fs-native-extensions.node`),
  ];
  // Without the precompiled code, which only the Node that made it can use: clients bring their own.
  const built = [...programs.flatMap((name) => [`${name}.cjs`, `${name}.code.cjs`]), 'third-party-licences.txt'];
  for (const name of built) await put(join(root, 'dist', name), join(target, folder, name));
  for (const name of ['LICENSE', ...libraries]) await put(join(root, name), join(target, folder, name));
}

async function put(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
}
