import { isUtf8 } from 'node:buffer';
import { accessSync, constants, lstatSync, readdirSync, type Stats } from 'node:fs';
import { OperationError, type Success } from '../../src/errors.js';
import type { Params } from '../../src/operations.js';
import { checkFilename } from '../../src/validation/filename.js';
import { followLink } from '../disk/confine.js';
import { withListed } from '../disk/listed-file.js';
import { describe, errnoOf, isShortage, isSystemError } from '../disk/system-error.js';
import type { Context } from '../handlers.js';
import { countLines } from '../text/lines.js';
import type { Workspace } from '../workspace.js';

interface FileInfo {
  readonly name: string;
  readonly size: number;
  readonly modified: string;
  readonly readable: boolean;
  readonly writable: boolean;
  readonly lines: number;
}

/** List the files of the working directory (contract 5.1). One bad file never fails the listing. */
export function listFiles(_params: Params['list_files'], { workspace }: Context): Success {
  const files: FileInfo[] = [];
  for (const { name, regular } of visibleEntries(workspace)) {
    const info = (regular ? regularInfo(workspace, name) : undefined) ?? fileInfo(workspace, name);
    if (info !== null) files.push(info);
  }
  return {
    ok: true,
    result: {
      files: ownMemory(JSON.stringify(files)),
      total_count: files.length,
      directory: workspace.setup.directory,
    },
  };
}

/** Small buffers share a pool, which must not cross threads with its neighbours. */
function ownMemory(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** Sorted by the bytes of their UTF-8, which is the order of code points. */
function visibleEntries({ root }: Workspace): { name: string; regular: boolean }[] {
  try {
    return readdirSync(root.anchor.path('.'), { encoding: 'buffer', withFileTypes: true })
      .filter(({ name }) => name[0] !== 0x2e && isUtf8(name))
      .sort((a, b) => a.name.compare(b.name))
      .map((entry) => ({ name: entry.name.toString(), regular: entry.isFile() }));
  } catch (error) {
    if (!isSystemError(error) || isShortage(error)) throw error;
    throw new OperationError('directory_denied', 'Cannot access working directory', {
      data: { errno: error.code },
      cause: describe(error),
    });
  }
}

/** The short way for most files: opened at once. @returns undefined if it has to be looked at more closely */
function regularInfo(workspace: Workspace, name: string): FileInfo | undefined {
  const path = workspace.root.anchor.path(name);
  try {
    return withListed(path, (stats, read) =>
      stats.isFile() ? describeFile(workspace, name, path, stats, read) : undefined,
    );
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

/** @returns null for what is not listed: other things than regular files, and what vanished meanwhile */
function fileInfo(workspace: Workspace, name: string): FileInfo | null {
  const path = workspace.root.anchor.path(name);
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() === true) return describeFile(workspace, name, path, stats);
    if (stats?.isSymbolicLink() !== true) return null;
    const target = followLink(workspace.root, name);
    if (target === null) return null;
    try {
      const behind = lstatSync(target.place.path, { throwIfNoEntry: false });
      return behind?.isFile() === true ? describeFile(workspace, name, target.place.path, behind) : null;
    } finally {
      target.close();
    }
  } catch (error) {
    // A file that is there must not be missing in the list because it could not be looked at.
    if (isShortage(error)) throw error;
    if (error instanceof OperationError || isSystemError(error)) return null;
    throw error;
  }
}

function describeFile(
  workspace: Workspace,
  name: string,
  path: string,
  stats: Stats,
  read = (size: number): Buffer => withListed(path, (_, readOpened) => readOpened(size)),
): FileInfo {
  const usable = checkFilename(name, workspace.setup.names) === null;
  const lines = usable ? lineCount(workspace, path, stats.size, read) : unreadable;
  return {
    name,
    size: stats.size,
    modified: stats.mtime.toISOString(),
    readable: lines !== unreadable,
    writable: usable && isWritable(workspace, path, stats),
    lines: typeof lines === 'number' ? lines : -1,
  };
}

/**
 * What the owner may write can be seen from the mode, where the file system can be written at all; everything else
 * (groups, ACLs, the rights of root) the system is asked for, at 4 µs a file.
 */
function isWritable({ root }: Workspace, path: string, { uid, mode }: Stats): boolean {
  const owned = uid === process.geteuid?.() && (mode & 0o200) !== 0;
  return owned ? root.writable : isAllowed(path, constants.W_OK);
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

const unreadable = Symbol('unreadable');
const uncountable = Symbol('uncountable');

/** Opened and read once, since the system calls of a thousand files are what a listing costs. */
function lineCount(
  { setup }: Workspace,
  path: string,
  size: number,
  read: (size: number) => Buffer,
): number | typeof unreadable | typeof uncountable {
  if (size > setup.maxBytes) return isAllowed(path, constants.R_OK) ? uncountable : unreadable;
  let bytes: Buffer;
  try {
    bytes = read(size);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return isAllowed(path, constants.R_OK) ? uncountable : unreadable;
  }
  if (!isUtf8(bytes)) return uncountable;
  const lines = countLines(bytes);
  return setup.maxLines !== undefined && lines > setup.maxLines ? uncountable : lines;
}
