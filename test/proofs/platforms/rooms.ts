/** The rooms of the suite that run in Wine: the unit tests, as far as they depend on a system. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { filesOfTests, together, translateAll } from '../../suite.js';

const rooms = ['core', 'observe', 'answers', 'workers', 'access', 'config', 'text', 'call', 'client', 'search'];

/** They compute, and would take minutes: what Linux computes, Windows does too. */
const onlyComputes = /\.property\.test\.ts$/;

/** Files that Wine cannot run, and why. */
const leftOut: Readonly<Record<string, string>> = {
  'test/call/validation/compile.test.ts': 'generates code with esbuild, which does not run in Wine',
};

/**
 * Prepare the rooms, translated because esbuild does not run in Wine.
 * @param urlOf where Windows finds a file @returns a file of tests for each process
 */
export async function roomsForWine(folder: string, urlOf: (path: string) => string): Promise<string[]> {
  await translateAll();
  const files = rooms.flatMap((room) => filesOfTests(`test/${room}`));
  return together(
    files.filter((file) => !onlyComputes.test(file) && leftOut[file] === undefined),
    {
      into: pathToFileURL(`${folder}/rooms/`),
      process: (file) => file.split('/').slice(0, 2).join('/'),
      urlOf: (file) => urlOf(resolve(file)),
    },
  ).map((file) => resolve(file));
}
