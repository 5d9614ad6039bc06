import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Imports of other files of this package in a declaration. Imports added by tsc use double quotes. */
const relativeImport = /(?:from|import\()\s*['"](\.{1,2}\/[^'"]+)\.js['"]/g;

/**
 * Remove declarations that are unreachable from the entries: internals, and leftovers of deleted sources.
 * @param folder of declarations
 * @param entries paths in it
 */
export async function keepReachable(folder: string, entries: readonly string[]): Promise<void> {
  const reached = new Set<string>();
  const reach = async (path: string): Promise<void> => {
    if (reached.has(path)) return;
    reached.add(path);
    const text = await readFile(path, 'utf8');
    for (const [, imported = ''] of text.matchAll(relativeImport))
      await reach(`${resolve(dirname(path), imported)}.d.ts`);
  };
  for (const entry of entries) await reach(join(folder, entry));
  const emitted = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const file of emitted.filter((each) => each.isFile())) {
    const path = join(file.parentPath, file.name);
    if (!reached.has(path)) await rm(path);
  }
}
