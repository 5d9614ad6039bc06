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
import { basename, dirname, join } from 'node:path';
import { after, before } from 'node:test';
import { systemErrorCode } from '../src/core/error-code.js';

/** Write a file that does not count as unfinished (workers/commit/other-writers.ts), so edits do not wait for more. */
export function writeFinished(path: string, content: string | Uint8Array): void {
  writeFileSync(path, content);
  const now = new Date();
  utimesSync(path, now, now);
}

/**
 * Lend a new directory with these `files` (by path; text or bytes), and remove it afterwards. Neighbours created by
 * `use` are removed too if their names begin with that of the directory and a hyphen.
 */
export async function withDirectory<Result>(
  files: Readonly<Record<string, string | Uint8Array>>,
  use: (directory: string) => Result | Promise<Result>,
): Promise<Result> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'file-editor-test-')));
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFinished(join(directory, path), content);
    }
    return await use(directory);
  } finally {
    removeDirectory(directory);
    const beside = readdirSync(dirname(directory)).filter((name) => name.startsWith(`${basename(directory)}-`));
    for (const name of beside) rmSync(join(dirname(directory), name), { recursive: true, force: true });
  }
}

function removeDirectory(directory: string): void {
  try {
    emptyDirectory(directory);
    rmSync(directory, { recursive: true, force: true });
  } catch (error) {
    // A workspace of this process still has directories open. There, this keeps them until the process ends.
    if (process.platform !== 'win32' || !/^(?:EBUSY|ENOTEMPTY|EPERM)$/.test(systemErrorCode(error) ?? '')) throw error;
  }
}

/**
 * Lend such a directory to the enclosing suite.
 * @param begin runs before its tests; returns the clean-up
 */
export function lendToSuite(
  files: Readonly<Record<string, string | Uint8Array>>,
  begin: (directory: string) => Promise<() => Promise<unknown>>,
): void {
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  let ended: Promise<void>;
  before(
    () =>
      new Promise<void>((ready, failed) => {
        ended = withDirectory(files, async (directory) => {
          const finish = await begin(directory);
          ready();
          await over;
          await finish();
        });
        ended.catch(failed);
      }),
  );
  after(() => {
    end();
    return ended;
  });
}

/** Remove all contents, including files whose names are not UTF-8, on which rmSync fails. */
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
