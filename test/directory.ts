import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Lend a new directory with these `files` (by path; text or bytes), and remove it afterwards. Nobody takes them for
 * being written just now (workers/commit/unfinished.ts).
 */
export async function withDirectory<Result>(
  files: Readonly<Record<string, string | Uint8Array>>,
  use: (directory: string) => Result | Promise<Result>,
): Promise<Result> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'file-editor-test-')));
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), content);
      const now = new Date();
      utimesSync(join(directory, path), now, now);
    }
    return await use(directory);
  } finally {
    emptyDirectory(directory);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Remove everything in it, including files whose names are not UTF-8, on which rmSync fails. */
export function emptyDirectory(directory: string | Buffer): void {
  for (const entry of readdirSync(directory, { encoding: 'buffer', withFileTypes: true })) {
    const path = Buffer.concat([Buffer.from(directory), Buffer.from('/'), entry.name]);
    if (entry.isDirectory()) {
      emptyDirectory(path);
      rmdirSync(path);
    } else {
      unlinkSync(path);
    }
  }
}
