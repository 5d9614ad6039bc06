/** The rooms of the suite that run in Wine: the unit tests, as far as they depend on a system. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { filesOfTests, together, translateAll } from '../../suite.js';

const rooms = [
  ...['access', 'answers', 'call', 'client', 'config', 'core', 'library', 'observe', 'pool', 'protocols', 'search'],
  ...['text', 'workers'],
];

/**
 * Of the other rooms, what no check of platforms covers. The rest makes links, modes, FIFOs or sockets, sends signals,
 * or injects faults into calls that Windows does not make, such as syncs of directories.
 */
const single = [
  ...['commit/file-lock', 'commit/overtaken', 'disk/lock/lock', 'disk/lock/tree-lock', 'disk/paths/names'],
  ...['disk/paths/scope', 'disk/paths/system-path', 'disk/write/standing', 'commit/has-changed'],
  ...['operations/list-faults', 'operations/list-memory', 'operations/storage-model'],
];

/** They compute, and would take minutes: what Linux computes, Windows does too. */
const onlyComputes = /\.property\.test\.ts$|^test\/(?:core\/json|text\/(?:hash|utf8-corpus|find\/case-folding))\b/;

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
  const files = [
    ...rooms.flatMap((room) => filesOfTests(`test/${room}`)),
    ...single.map((name) => `test/${name}.test.ts`),
  ];
  return together(
    files.filter((file) => !onlyComputes.test(file) && leftOut[file] === undefined),
    {
      into: pathToFileURL(`${folder}/rooms/`),
      process: (file) => file.split('/').slice(0, 2).join('/'),
      urlOf: (file) => urlOf(resolve(file)),
    },
  ).map((file) => resolve(file));
}
