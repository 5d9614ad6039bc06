/** The server as a bundle or a plugin holds it: what it loads on stdio, for every platform, and the licences of that. */
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** In the folder of the payload. */
export const entryPoint = 'src/cli.cjs';

/** Also on stdio: those for MCP and for the log are loaded when they are needed. The pages are for HTTP. */
const programs = ['src/cli', 'src/observe/log-lines', 'src/protocols/mcp/entry', 'workers/main'];

const platforms = ['darwin', 'linux', 'win32'].flatMap((system) => [`${system}-arm64`, `${system}-x64`]);

/** Not bundled, because they find their own files by their location (esbuild.config.ts). */
const piscina = 'node_modules/piscina';
const locks = 'node_modules/fs-native-extensions';

/**
 * Put the server into a folder.
 * @param root of this package, which is built
 */
export async function copyServer(root: string, folder: string): Promise<void> {
  const threads = await readdir(join(root, piscina, 'dist'), { recursive: true });
  const files = [
    // Without the compiled form: it is of the Node that has built it, and clients bring their own.
    ...programs.flatMap((name) => [`${name}.cjs`, `${name}.code.cjs`]).map((name) => [`dist/${name}`, name]),
    ['dist/third-party-licences.txt', 'third-party-licences.txt'],
    ['LICENSE', 'LICENSE'],
    ...[
      `${piscina}/package.json`,
      `${piscina}/LICENSE`,
      ...threads.filter((name) => name.endsWith('.js')).map((name) => `${piscina}/dist/${name}`),
      `${locks}/package.json`,
      `${locks}/LICENSE`,
      ...platforms.map((platform) => `${locks}/prebuilds/${platform}/fs-native-extensions.node`),
    ].map((name) => [name, name]),
  ];
  for (const [from = '', to = ''] of files) {
    await mkdir(dirname(join(folder, to)), { recursive: true });
    await copyFile(join(root, from), join(folder, to));
  }
}
