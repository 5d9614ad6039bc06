import { isUtf8 } from 'node:buffer';
import { readdirSync } from 'node:fs';
import { OperationError, type Success } from '../../src/errors.js';
import type { Params } from '../../src/operations.js';
import type { Root } from '../disk/root.js';
import { describe, errnoOf, isShortage, isSystemError } from '../disk/system-error.js';
import type { Context } from '../handlers.js';
import type { Name } from './list-entry.js';
import type { ListedFile } from './list-memory.js';
import { isStill, lookAt } from './listed-file.js';

/** After so many files that had changed the next is not looked at but opened at once: a sixth less if all have changed. */
const manyChanged = 4;

/**
 * List the files of the working directory (contract 5.1). One bad file never fails the listing.
 *
 * Each file is compared with what is known of it from the last listing of this thread, by one system call; only what
 * changed is opened and read again. The answer is made as bytes, without an object for each file.
 */
export function listFiles(_params: Params['list_files'], { workspace }: Context): Success {
  const { root, listed: memory } = workspace;
  const listing = { workspace, began: Date.now(), user: process.geteuid?.() };
  const entries: string[] = [];
  let changedInARow = 0;
  memory.begin(circumstances(root));
  for (const { key, regular } of visibleNames(root)) {
    const known = memory.find(key);
    const text = known?.name ?? decoded(key);
    if (text === undefined) continue;
    const file: ListedFile | null =
      known !== undefined && changedInARow < manyChanged && isStill(listing, known)
        ? known
        : lookAt(listing, { key, text, regular }, known);
    changedInARow = known === undefined || file === known ? 0 : changedInARow + 1;
    if (file === null) continue;
    memory.keep(file);
    entries.push(file.json);
  }
  memory.end();
  return answer(entries, root.directory);
}

/**
 * What rights depend on beside the files themselves: whether their file system can be written, and who this
 * process is, which a program around the library may change.
 */
function circumstances(root: Root): string {
  const groups = process.getgroups?.() ?? [];
  return [root.writable, process.getuid?.(), process.geteuid?.(), process.getegid?.(), ...groups].join();
}

/** Names as their bytes, each as one character: half the price of Buffers, and the order of code points for nothing. */
type RawName = Omit<Name, 'text'>;

function visibleNames(root: Root): RawName[] {
  const path = root.anchor.path('.');
  try {
    return namesIn(path)
      .filter(({ key }) => !key.startsWith('.'))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  } catch (error) {
    if (!isSystemError(error) || isShortage(error)) throw error;
    throw new OperationError('directory_denied', 'Cannot access working directory', {
      data: { errno: error.code },
      cause: describe(error),
    });
  }
}

function namesIn(path: string): RawName[] {
  try {
    return readdirSync(path, { encoding: 'latin1', withFileTypes: true }).map((entry) => ({
      key: entry.name,
      regular: entry.isFile(),
    }));
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    // Some file systems tell no types. Node looks at each file then, and fails with one that vanished
    // or that it cannot name in this encoding.
    return readdirSync(path, 'latin1').map((key) => ({ key, regular: false }));
  }
}

/** The name of these bytes; undefined if they are not valid UTF-8. */
function decoded(key: string): string | undefined {
  if (!/[\x80-\xff]/.test(key)) return key;
  const bytes = Buffer.from(key, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/** All of the result as one buffer in memory of its own, so that it can be handed to another thread as it is. */
function answer(entries: readonly string[], directory: string): Success {
  const before = '{"files":';
  const files = `[${entries.join(',')}]`;
  const place = Buffer.from(JSON.stringify(directory)).toString('latin1');
  const text = `${before}${files},"total_count":${entries.length},"directory":${place}}`;
  const json = Buffer.allocUnsafeSlow(text.length);
  json.write(text, 'latin1');
  return {
    ok: true,
    result: {
      files: json.subarray(before.length, before.length + files.length),
      total_count: entries.length,
      directory,
    },
    json,
  };
}
