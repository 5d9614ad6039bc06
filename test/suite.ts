/** The files of the suite, and how several of them share a process. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { translate } from './translation.mjs';

/** Those in a folder and below it, in order. */
export function filesOfTests(folder: string): string[] {
  return filesIn(folder, '.test.ts').sort();
}

/** Translate whatever tests may load, ahead of their processes. */
export async function translateAll(): Promise<void> {
  await translate(['src', 'workers', 'bench', 'test'].flatMap((folder) => filesIn(folder, '.ts')));
}

/**
 * Files that share a process are imported by one that is made.
 * @param settings `process`: which one a file is for; `urlOf`: where that process finds it
 * @returns one file per process
 */
export function together(
  files: readonly string[],
  settings: { into: URL; process: (file: string) => string; urlOf: (file: string) => string },
): string[] {
  const folder = fileURLToPath(settings.into);
  mkdirSync(folder, { recursive: true });
  const processes = new Map<string, string[]>();
  for (const file of files) {
    const name = settings.process(file);
    processes.set(name, [...(processes.get(name) ?? []), file]);
  }
  return [...processes].map(([name, tests]) => {
    const [only] = tests;
    if (only !== undefined && tests.length === 1) return only;
    const file = join(folder, `${name.replaceAll('/', '-')}.test.mjs`);
    writeFileSync(file, tests.map((test) => `import '${settings.urlOf(test)}';\n`).join(''));
    return file;
  });
}

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith(ending));
}
