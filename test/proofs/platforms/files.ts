/** Directories to serve, and what is in them. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeFinished } from '../../directory.js';

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A new directory with these files. @returns its real path */
export function makeDirectory(files: Files): string {
  const directory = realpathSync.native(mkdtempSync(join(tmpdir(), 'platforms-')));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFinished(join(directory, path), content);
  }
  return directory;
}

/** Windows frees the files of a killed process a moment later. */
export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** Lend a new directory with these files, and remove it afterwards. */
export async function withDirectory(files: Files, use: (directory: string) => Promise<void>): Promise<void> {
  const directory = makeDirectory(files);
  try {
    await use(directory);
  } finally {
    removeDirectory(directory);
  }
}

/** The text of a file of the directory. */
export function textOf(directory: string, path: string): string {
  return readFileSync(join(directory, path), 'utf8');
}

/** What calls and crashes must not leave behind: all that is in the reserved directory but locks and its ignore file. */
export function leftIn(directory: string): string[] {
  const reserved = join(directory, '.file-editor');
  const names = existsSync(reserved) ? readdirSync(reserved) : [];
  return names.filter((name) => !/^(?:.+\.lock|\.gitignore)$/.test(name));
}
