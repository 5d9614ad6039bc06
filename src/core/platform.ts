/**
 * What this operating system can and cannot do (spec 19): asked here, and read by name where it matters. A fact stands
 * for one habit of a system, so each branch that reads it has a test that runs it there, or under an emulation of that
 * habit (docs/limits.md).
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
   * `/proc/<pid>/fd/<number>/…` is a path that begins in an open directory, wherever that has moved to. Without it, a
   * path begins at the root of the file system, and what it led to is checked afterwards.
   */
  hasAnchoredPaths: isLinux,
  /** /proc tells of mounts, and of what clients have not taken yet. */
  hasProc: isLinux,
  /**
   * One file has many names: in another case, in another Unicode form, or in eight characters and three. The system
   * tells by `realpath` which of them is in the directory. Linux does not, and has such file systems only where
   * somebody mounts them.
   */
  tellsSpelling: !isLinux,
  /** `\` separates names, and many names and characters are not allowed. */
  hasWindowsNames: isWindows,
  /** Permission bits and owners mean something. */
  hasModes: !isWindows,
  /** Elsewhere the file system logs names by itself, and refuses the call. */
  canSyncDirectories: !isWindows,
  /**
   * A lock keeps all other handles from the bytes that it covers, and its holder from taking it again. It lasts as long
   * as its handle. Elsewhere a lock only keeps others from the lock, and a cluster file system may lose it.
   */
  hasMandatoryLocks: isWindows,
  /** Files have extended attributes, which a copy must be given. */
  hasExtendedAttributes: !isWindows,
  /**
   * Sticky directories, flags of files and mounts refuse a change in ways known here, so the system can be asked
   * beforehand without changing anything.
   */
  tellsRefusals: isLinux,
  /** A file that another program has open cannot be replaced, and often neither moved, removed nor read. */
  openFilesAreHeld: isWindows,
  /** A directory that somebody has open keeps its name when it is removed, and no directory above it can be renamed. */
  openDirectoriesAreHeld: isWindows,
  /**
   * The user decides which programs may see some folders. Others get EPERM when they open one, although its mode and
   * access(2) allow it.
   */
  hasPrivacySettings: name === 'darwin',
  /** Processes send it. On Windows it means that the console was closed. */
  canSendSighup: !isWindows,
  /** Also sent by Ctrl-Break, and by programs that run others as services. */
  endSignals: isWindows ? (['SIGTERM', 'SIGINT', 'SIGBREAK', 'SIGHUP'] as const) : (['SIGTERM', 'SIGINT'] as const),
  /** Sockets that share a port get its connections in turn. On Windows one would take them from the other. */
  canSharePorts: isLinux || name === 'freebsd',
  /** Commands that npm installs are scripts, which only a shell can start. */
  commandsNeedShell: isWindows,
} as const;

/** HFS+ on macOS: the only file system there whose number never changes. */
const hfs = 17;

/**
 * Whether a directory lies on a disk of this machine, as far as its file system's type and its path tell, on systems
 * without /proc. False if in doubt.
 * @param directory absolute and real
 */
export function isOnLocalDisk(directory: string): boolean {
  // Windows tells no types, but the real path of a share, mapped to a letter or not, begins with its server.
  if (isWindows) return !directory.startsWith(sep + sep);
  try {
    const { type } = statfsSync(directory);
    // The number of APFS differs between releases of macOS. What the system itself runs from is local.
    return type === hfs || type === statfsSync('/').type;
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return false;
  }
}
