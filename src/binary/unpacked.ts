/**
 * What the single executable carries but must be in files of its own, since Node starts threads and loads libraries
 * only from there. Whoever can write to such a file can make the server do anything, so the folder is private, and
 * every file is compared with what the executable carries before it is used.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { getRawAsset } from 'node:sea';
import { pathToFileURL } from 'node:url';
import { StartError } from '../config/start-error.js';
import { makeDirectories } from '../config/make-directories.js';

/** The name of the folder: a hash of everything that is unpacked, put here by the build. */
declare const contentHash: string;

const lockLibrary = 'workers/fs-native-extensions.node';
const thread = 'workers/main.cjs';

/** Takes the place of `import.meta` in the bundle of the executable. */
export const unpacked = {
  /** As if the bundle were a file beside what is unpacked. */
  get url(): string {
    return pathToFileURL(join(place(), 'src/main.cjs')).href;
  },

  /** Load a library. @throws if it is not carried or does not load here */
  library(name: string): unknown {
    return load(unpack(place(), name));
  },
};

const noPlace =
  'Found no folder to unpack libraries to and load them from; set XDG_CACHE_HOME to one that this user can write to, on a file system that is not mounted with noexec';

let found: string | undefined;

/**
 * The folder, with the thread and the lock library in it. @throws StartError if libraries can be loaded from no folder
 */
function place(): string {
  const reasons: string[] = [];
  for (const candidate of candidates) {
    if (found !== undefined) break;
    try {
      const folder = join(candidate(), contentHash);
      unpack(folder, thread);
      // Tried out, since a file system may be mounted without the right to execute.
      load(unpack(folder, lockLibrary));
      found = folder;
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (found === undefined) throw new StartError([`${noPlace} (${reasons.join('; ')})`]);
  return found;
}

const name = 'file-editing-server';

/** Each returns a folder that belongs to this user alone, or throws. */
const candidates: readonly (() => string)[] = [
  () => privateFolder(join(cacheHome(process.env, homedir()), name)),
  () => privateFolder(join(tmpdir(), `${name}-${String(process.getuid?.() ?? '')}`)),
  // If someone else has taken the usual name: a new one each time.
  () => mkdtempSync(join(tmpdir(), `${name}-`)),
];

/**
 * @returns a user's folder for caches by the XDG Base Directory Specification, to which an empty variable is absent and
 *   a relative path invalid: that would be a folder in whatever directory a server is started in
 */
export function cacheHome(environment: Readonly<Record<string, string | undefined>>, home: string): string {
  const configured = environment['XDG_CACHE_HOME'] ?? '';
  return isAbsolute(configured) ? configured : join(home, '.cache');
}

function privateFolder(folder: string): string {
  makeDirectories(folder, 0o700);
  const { mode, uid } = lstatSync(folder);
  const isMine = process.getuid === undefined || uid === process.getuid();
  // A link does not count as private: its own mode is open to all.
  if (!isMine || (process.platform !== 'win32' && (mode & 0o077) !== 0)) throw new Error(`${folder} is not private`);
  return folder;
}

/** @returns the path of a file with what the executable carries under this name */
function unpack(folder: string, asset: string): string {
  const raw = getRawAsset(asset);
  // The raw asset, since a copy would stay in memory. The types call it a string, which it is not.
  const carried = typeof raw === 'string' ? Buffer.from(raw, 'latin1') : Buffer.from(raw);
  const path = join(folder, asset);
  if (holds(path, carried)) return path;
  makeDirectories(dirname(path), 0o700);
  // By rename: other servers may be starting. Not by the id of the process: in a container it is always the same, and
  // what a killed one has left may be read-only.
  const temporary = `${path}.${crypto.randomUUID()}`;
  try {
    writeFileSync(temporary, carried, { mode: 0o600, flag: 'wx' });
    chmodSync(temporary, 0o500);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return path;
}

/** Bytes read at once: the largest library has 7 MB, which an idle server should not keep. */
const chunkBytes = 65_536;

function holds(path: string, bytes: Buffer): boolean {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return false;
  }
  try {
    if (!fstatSync(file).isFile()) return false;
    const chunk = Buffer.alloc(chunkBytes);
    for (let position = 0; ;) {
      const read = readSync(file, chunk, 0, chunkBytes, position);
      if (read === 0) return position === bytes.length;
      if (!chunk.subarray(0, read).equals(bytes.subarray(position, position + read))) return false;
      position += read;
    }
  } finally {
    closeSync(file);
  }
}

function load(path: string): unknown {
  return createRequire(path)(path);
}
