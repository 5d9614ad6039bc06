import { OperationError } from '../../src/core/errors.js';
import type { Params } from '../../src/core/operations.js';
import { replaceableIn, type Replaceable } from '../disk/paths/open-listed.js';
import { decodedName, namesIn, type RawName } from '../disk/paths/names.js';
import type { Root } from '../disk/paths/root.js';
import { filesInScope } from '../disk/paths/scope.js';
import { describe, isShortage, isSystemError } from '../disk/system-error.js';
import type { Context, SuccessOf } from '../handler.js';
import { inSlices } from '../turn.js';
import { bytesOfJson } from './list-entry.js';
import type { ListedFile } from './list-memory.js';
import { isStill, lookAt } from './listed-file.js';

/**
 * After this many changed files in a row, the next one is opened without a stat first: a sixth less if all have
 * changed.
 */
const manyChanged = 4;

/** List the files of the working directory (spec 5.1). One bad file never fails the listing. */
export function listFiles(
  params: Params['list_files'],
  context: Context,
): SuccessOf<'list_files'> | Promise<SuccessOf<'list_files'>> {
  return inSlices(listSteps(params, context), context.workspace.setup.sharesThread);
}

/**
 * Yields after each file.
 *
 * One system call compares each file with this thread's last listing; only changed files are opened and read again. The
 * answer is built as bytes, without an object per file.
 */
export function* listSteps(
  _params: Params['list_files'],
  { workspace, progress }: Context,
): Generator<undefined, SuccessOf<'list_files'>> {
  const { root, listed: memory } = workspace;
  const began = Date.now();
  const user = process.geteuid?.();
  const names = visibleNames(root);
  const listing = { workspace, began, user, replaceable: replaceableIn(root.anchor.path('.'), user) };
  const isUsable = filesInScope(root, '');
  const entries: string[] = [];
  let changedInARow = 0;
  memory.begin(circumstances(root, listing.replaceable));
  for (const { key, regular } of names) {
    yield;
    // Its time may be up long before the last file, and other calls wait for the thread.
    if (progress.cancelled) throw new OperationError('cancelled', 'Cancelled before all files were listed');
    const known = memory.find(key);
    const text = known?.name ?? decodedName(key);
    if (text === undefined) continue;
    if (!isUsable(text)) {
      // For the next listing by another caller.
      if (known !== undefined) memory.keep(known);
      continue;
    }
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
 * The inputs of access rights besides the files: whether their file system and directory are writable, and the identity
 * of this process, which a program that embeds the library may change.
 */
function circumstances(root: Root, replaceable: Replaceable): string {
  const groups = process.getgroups?.() ?? [];
  return [root.writable, replaceable, process.getuid?.(), process.geteuid?.(), process.getegid?.(), ...groups].join();
}

function visibleNames(root: Root): RawName[] {
  const path = root.anchor.path('.');
  try {
    return namesIn(path, ({ key }) => !key.startsWith('.')).sort((a, b) => (a.key < b.key ? -1 : 1));
  } catch (error) {
    if (!isSystemError(error) || isShortage(error.code)) throw error;
    throw new OperationError('directory_denied', 'Cannot access working directory', {
      data: { errno: error.code },
      cause: describe(error),
    });
  }
}

/** The whole result in one buffer with its own memory, ready to be transferred to another thread. */
function answer(entries: readonly string[], directory: string): SuccessOf<'list_files'> {
  const before = '{"files":';
  const files = `[${entries.join(',')}]`;
  const place = bytesOfJson(directory);
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
