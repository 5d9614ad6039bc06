/** The storage tools (spec 11) for programs: their types, and a storage without a server. */
import { isAbsolute } from 'node:path';
import { quoted } from '../config/arguments.js';
import { checkDirectory, impossible } from '../config/directory.js';
import { StartError } from '../config/start-error.js';
import { systemErrorCode } from '../core/error-code.js';
import { makeDirectories } from '../config/make-directories.js';
import type { Reason } from '../core/errors.js';
import { runHere } from './in-process.js';
import { Refused } from './refused.js';
import { valueOf } from '../call/result-json.js';
import { rows, type Params } from '../core/operations.js';
import { withWayToMake } from '../call/how-to-make.js';
import { asToldBy } from '../core/path-failure.js';
import { readUmask } from '../pool/threads.js';
import { validate } from '../call/validation/index.js';
import { checkPaths } from '../core/names/path.js';

/** A storage, local or remote. Refused calls reject with a StorageError. */
export interface FileStorage {
  /** Read a file, or list the names in a directory. Links are followed, and must stay inside. */
  view(path: string): Promise<FileContent>;
  /** Create a file, from text or base64, and its missing parent directories. Never overwrites. */
  create(path: string, content: string, encoding?: 'utf-8' | 'base64'): Promise<void>;
  /** Replace a text that occurs exactly once in the file. */
  str_replace(path: string, old_str: string, new_str: string): Promise<void>;
  /** Insert text verbatim before a line, counted from 1; end it with a newline to make it a separate line. */
  insert(path: string, insert_line: number, new_str: string): Promise<void>;
  /** Delete a file, a link or an empty directory; hidden files count as content. */
  delete(path: string): Promise<void>;
  /** Rename or move a file, a link or a directory. Never overwrites. */
  rename(old_path: string, new_path: string): Promise<void>;
}

/** Result of `view`: content, encoding and size of a file, or the entries of a directory. */
export interface FileContent {
  readonly type: 'file' | 'directory';
  /** Text, or bytes in base64. */
  readonly content?: string;
  readonly encoding?: 'utf-8' | 'base64';
  /** In code point order, without names that begin with a dot. */
  readonly entries?: string[];
  /** In bytes. */
  readonly size?: number;
}

export interface StorageError {
  readonly code: Reason;
  readonly message: string;
  /** As the caller wrote it. */
  readonly path?: string;
}

/** Rejection of a storage call. */
export class FileStorageError extends Refused implements StorageError {
  override readonly name = 'FileStorageError';
}

/** Operations of a storage. */
type Name = 'view' | 'create' | 'str_replace' | 'insert' | 'delete' | 'rename';

/**
 * A storage that works on a directory without a server: same engine, locks and write path, on the caller's thread.
 * Calls take effect in the order in which they are made. Servers and other programs may use the directory at the same
 * time. It does not keep the process alive.
 * @param options.basePath absolute path of the directory, which is created if missing
 * @throws StartError if the directory cannot be used
 */
export function createFileStorage({ basePath }: { readonly basePath: string }): FileStorage {
  const place = { directory: directoryAt(basePath), umask: readUmask() };
  const directories = [place.directory, basePath];
  let last: Promise<unknown> = Promise.resolve();
  const call = async <Of extends Name>(name: Of, params: Params[Of]): Promise<Readonly<Record<string, unknown>>> => {
    const row = rows[name];
    const refused = validate(row, params) ?? checkPaths(row, params, { directories });
    if (refused !== null) throw new FileStorageError(asToldBy(row, params, refused));
    const { answer, ended } = runHere(row, params, { ...place, after: last });
    last = ended;
    const outcome = await answer;
    if (outcome.ok) return outcome.result;
    const told = asToldBy(row, params, outcome);
    throw new FileStorageError(withWayToMake(row, params, told, () => 'call create with its content.'));
  };
  const done = async <Of extends Name>(name: Of, params: Params[Of]): Promise<void> => {
    await call(name, params);
  };
  return {
    view: async (path) => contentIn(await call('view', { path })),
    create: (path, content, encoding = 'utf-8') => done('create', { path, content, encoding }),
    str_replace: (path, old_str, new_str) => done('str_replace', { path, old_str, new_str }),
    insert: (path, insert_line, new_str) => done('insert', { path, insert_line, new_str }),
    delete: (path) => done('delete', { path }),
    rename: (old_path, new_path) => done('rename', { old_path, new_path }),
  };
}

/** The real path of the directory, created if missing. */
function directoryAt(basePath: unknown): string {
  const refuse = (problem: string): never => {
    throw new StartError([problem]);
  };
  // Callers without types may pass anything.
  if (typeof basePath !== 'string' || !isAbsolute(basePath)) {
    return refuse(`basePath: ${quoted(String(basePath))} is not an absolute path; expected that of a directory`);
  }
  try {
    makeDirectories(basePath);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    return refuse(impossible('basePath', basePath, code));
  }
  const checked = checkDirectory(basePath, false);
  return 'realPath' in checked ? checked.realPath : refuse(`basePath: ${quoted(basePath)} ${checked.problem}`);
}

/** The result of `view`; its members may be JSON bytes. */
function contentIn(result: Readonly<Record<string, unknown>>): FileContent {
  const entries = valueOf(result['entries']);
  if (Array.isArray(entries)) return { type: 'directory', entries: entries.map(String) };
  return {
    type: 'file',
    content: String(valueOf(result['content'])),
    encoding: result['encoding'] === 'base64' ? 'base64' : 'utf-8',
    size: Number(result['size']),
  };
}
