/**
 * What this operating system can and cannot do (spec 19): determined here, and read by name elsewhere. Each fact is one
 * behaviour of a system, so every branch that reads it has a test that runs on that system, or under an emulation of
 * that behaviour (docs/limits.md).
 */
import { statfsSync } from 'node:fs';
import { sep } from 'node:path';
import { systemErrorCode } from './error-code.js';

const name = process.platform;
const isLinux = name === 'linux';
const isWindows = name === 'win32';

export const platform = {
  name,

  /**
   * `/proc/<pid>/fd/<number>/…` is a path that begins in an open directory, wherever that has moved to. Without it,
   * paths begin at the root of the file system, and opened files are checked afterwards.
   */
  hasAnchoredPaths: isLinux,
  /** /proc lists mounts, and the bytes that clients have not taken yet. */
  hasProc: isLinux,
  /**
   * One file name has many spellings: another case, another Unicode form, a short 8.3 name. `realpath` returns the one
   * that the directory holds. Not on Linux, which has such file systems only where someone mounts them.
   */
  tellsSpelling: !isLinux,
  /** `\` separates names, and many names and characters are not allowed. */
  hasWindowsNames: isWindows,
  /** Permission bits and owners mean something. */
  hasModes: !isWindows,
  /** Otherwise the file system journals names by itself, and refuses the call. */
  canSyncDirectories: !isWindows,
  /**
   * A lock denies all other handles the bytes that it covers, and its holder cannot take it again. It lasts as long as
   * its handle. Elsewhere locks are advisory, and a cluster file system may lose them.
   */
  hasMandatoryLocks: isWindows,
  /** Files have extended attributes, which a copy must be given. */
  hasExtendedAttributes: !isWindows,
  /**
   * Sticky directories, file flags and mounts refuse changes in known ways, so a refusal can be predicted without
   * changing anything.
   */
  tellsRefusals: isLinux,
  /** A file that another program has open cannot be replaced, and often neither moved, removed nor read. */
  openFilesAreHeld: isWindows,
  /** A directory that someone has open keeps its name when removed, and blocks renames of all directories above it. */
  openDirectoriesAreHeld: isWindows,
  /**
   * The user decides which programs may see some folders. Others get EPERM when they open one, although its mode and
   * access(2) allow it.
   */
  hasPrivacySettings: name === 'darwin',
  /** Processes send SIGHUP. On Windows it only means that the console was closed. */
  canSendSighup: !isWindows,
  /** The signals that end a server; on Windows also those of Ctrl-Break and of service managers. */
  endSignals: isWindows ? (['SIGTERM', 'SIGINT', 'SIGBREAK', 'SIGHUP'] as const) : (['SIGTERM', 'SIGINT'] as const),
  /** Sockets that share a port get its connections in turn. On Windows one would take them from the other. */
  canSharePorts: isLinux || name === 'freebsd',
  /** Commands that npm installs are scripts, which only a shell can start. */
  commandsNeedShell: isWindows,
} as const;

/** HFS+ on macOS: the only file system there whose number never changes. */
const hfs = 17;

/**
 * Whether a directory lies on a disk of this machine, judging by file system type and path; for systems without /proc.
 * False if in doubt.
 * @param directory absolute and real
 */
export function isOnLocalDisk(directory: string): boolean {
  // Windows reports no types, but the real path of a share, mapped to a letter or not, begins with its server.
  if (isWindows) return !directory.startsWith(sep + sep);
  try {
    const { type } = statfsSync(directory);
    // The number of APFS differs between releases of macOS. The system's own file system is local.
    return type === hfs || type === statfsSync('/').type;
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return false;
  }
}
