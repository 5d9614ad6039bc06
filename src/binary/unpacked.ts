/**
 * Assets of the single executable that must be files on disk, because Node starts threads and loads libraries only from
 * there. Anyone who can write such a file controls the server, so the folder is private and every file is compared with
 * the embedded copy before it is used.
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
import { platform } from '../core/platform.js';

/** Name of the folder: a hash of all assets, inserted by the build. */
declare const contentHash: string;

const lockLibrary = 'workers/fs-native-extensions.node';
const thread = 'workers/main.cjs';

/** Replaces `import.meta` in the executable's bundle. */
export const unpacked = {
  /** The URL the bundle would have beside the unpacked files. */
  get url(): string {
    return pathToFileURL(join(place(), 'src/main.cjs')).href;
  },

  /** Load a library. @throws if it is not embedded or does not load on this system */
  library(name: string): unknown {
    return load(unpack(place(), name));
  },
};

const noPlace =
  'Found no folder to which libraries can be unpacked and from which they load; set XDG_CACHE_HOME to a folder that this user can write to, on a file system not mounted noexec';

let found: string | undefined;

/**
 * The folder with the worker and the lock library in it. @throws StartError if libraries load from none of the
 * candidates
 */
function place(): string {
  const reasons: string[] = [];
  for (const candidate of candidates) {
    if (found !== undefined) break;
    try {
      const folder = join(candidate(), contentHash);
      unpack(folder, thread);
      // Load it as a check: the file system may be mounted noexec.
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

/** Each returns a folder owned by and private to this user, or throws. */
const candidates: readonly (() => string)[] = [
  () => privateFolder(join(cacheHome(process.env, homedir()), name)),
  () => privateFolder(join(tmpdir(), `${name}-${String(process.getuid?.() ?? '')}`)),
  // Last resort, if another user holds the usual name: a fresh folder for each start.
  () => mkdtempSync(join(tmpdir(), `${name}-`)),
];

/**
 * @returns the user's cache folder by the XDG Base Directory Specification. An empty variable counts as unset; a
 *   relative path is invalid, since it would depend on the directory in which the server starts
 */
export function cacheHome(environment: Readonly<Record<string, string | undefined>>, home: string): string {
  const configured = environment['XDG_CACHE_HOME'] ?? '';
  return isAbsolute(configured) ? configured : join(home, '.cache');
}

function privateFolder(folder: string): string {
  makeDirectories(folder, 0o700);
  const { mode, uid } = lstatSync(folder);
  const isMine = process.getuid === undefined || uid === process.getuid();
  // A link never counts as private: its own mode is open to all.
  if (!isMine || (platform.hasModes && (mode & 0o077) !== 0)) throw new Error(`${folder} is not private`);
  return folder;
}

/** @returns the path of a file that holds the embedded asset of this name */
function unpack(folder: string, asset: string): string {
  const raw = getRawAsset(asset);
  // The raw asset: a copy would stay in memory. Its declared type, string, is wrong.
  const carried = typeof raw === 'string' ? Buffer.from(raw, 'latin1') : Buffer.from(raw);
  const path = join(folder, asset);
  if (holds(path, carried)) return path;
  makeDirectories(dirname(path), 0o700);
  // Rename is atomic; other servers may be starting. The temporary name must not be the process id: in a container that
  // is always the same, and the leftover of a killed process may be read-only.
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

/** Bytes per read. The largest library has 7 MB; read whole, it would stay in the memory of an idle server. */
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
