import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { NoThread } from './thread.js';

/** Loaded with the first thread: a server that has not been asked anything yet does without. @throws NoThread */
export async function loadPiscina(): Promise<typeof import('piscina').Piscina> {
  try {
    return (await import('piscina')).Piscina;
  } catch {
    try {
      return loadByPath().Piscina;
    } catch (error) {
      throw new NoThread(error);
    }
  }
}

/**
 * If Node fails to find a package, as it does while no file can be opened, it remembers that for ever. Resolving this
 * one at the start would help too, but cost every idle server 0.7 MB.
 * @throws the system error; RangeError if it is not installed
 */
function loadByPath(): typeof import('piscina') {
  const require = createRequire(import.meta.url);
  const folder = require.resolve.paths('piscina')?.find((each) => existsSync(join(each, 'piscina/package.json')));
  if (folder === undefined) throw new RangeError('piscina is not installed');
  const { main } = JSON.parse(readFileSync(join(folder, 'piscina/package.json'), 'utf8')) as { main: string };
  return require(join(folder, 'piscina', main)) as typeof import('piscina');
}
