import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { NoThread } from './thread.js';

/** Load piscina with the first thread; an unused server does without. @throws NoThread */
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
 * If Node fails to find a package, as when descriptors have run out, it caches that failure for ever. Resolving piscina
 * at the start would avoid this but cost every idle server 0.7 MB.
 * @throws the system error; RangeError if it is not installed
 */
function loadByPath(): typeof import('piscina') {
  const require = createRequire(import.meta.url);
  const folder = require.resolve.paths('piscina')?.find((each) => existsSync(join(each, 'piscina/package.json')));
  if (folder === undefined) throw new RangeError('piscina is not installed');
  const { main } = JSON.parse(readFileSync(join(folder, 'piscina/package.json'), 'utf8')) as { main: string };
  return require(join(folder, 'piscina', main)) as typeof import('piscina');
}
