import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Lend a new directory that holds `files` (by path; text or bytes) and remove it afterwards. */
export async function withDirectory<Result>(
  files: Readonly<Record<string, string | Uint8Array>>,
  use: (directory: string) => Result | Promise<Result>,
): Promise<Result> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'file-editor-test-')));
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), content);
    }
    return await use(directory);
  } finally {
    emptyDirectory(directory);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Remove everything in it, also files whose names are not UTF-8, on which rmSync fails. */
export function emptyDirectory(directory: string): void {
  execFileSync('find', [directory, '-mindepth', '1', '-delete']);
}
