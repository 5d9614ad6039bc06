/** Specific advice for system errors with one usual cause. */
import { platform } from './platform.js';

const descriptors =
  "Nothing was done. Retry in a moment; if it happens again, raise the server's open-file limit (ulimit -n).";

const closeFirst =
  'Close the file in the other program (an editor, a virus scanner, a program that syncs files), then retry.';

/** For a file that another program has open, where that keeps it from being changed. */
export const closeElsewhere = `Nothing was changed. ${closeFirst}`;

const mounted =
  'Nothing was written. The system refuses to replace the file, most likely because it is itself a mount point (as when Docker mounts a single file): mount its parent directory instead.';

/** For a file that macOS refuses although its mode allows access. Without a full stop. */
export const allowInSettings =
  'If it is in a folder that macOS protects (Desktop, Documents, Downloads, iCloud Drive, another disk), allow the program that starts the server (the terminal or the client) to use it, in System Settings > Privacy & Security > Files and Folders or Full Disk Access, and start that again';

const denied = platform.hasPrivacySettings ? { EPERM: `${allowInSettings}.` } : {};

const advice: Readonly<Partial<Record<string, Readonly<Record<string, string>>>>> = {
  directory_denied: denied,
  permission_denied: denied,
  write_denied: platform.hasPrivacySettings
    ? {
        EPERM: `Nothing was written. The file or its directory may be locked (chflags nouchg unlocks it). ${allowInSettings}.`,
      }
    : {},
  read_failed: {
    EMFILE: descriptors,
    ENFILE: descriptors,
    ...(platform.openFilesAreHeld ? { EBUSY: closeFirst } : {}),
  },
  write_failed: {
    ENOSPC: 'Nothing was written. Free space on the disk, then retry.',
    EDQUOT: 'Nothing was written. Free space within the quota of the user that the server runs as, then retry.',
    EROFS: 'Nothing was written. Remount the file system read-write, or edit another file.',
    EBUSY: platform.openFilesAreHeld ? closeElsewhere : mounted,
    EXDEV:
      'Nothing was written. The file is reached through a link or mount, so it cannot be replaced in one step: serve the directory that contains it.',
    EMFILE: descriptors,
    ENFILE: descriptors,
  },
};

/**
 * @param kind of a failure that names a system error
 * @param errno such as ENOSPC
 * @returns `data.details`, or undefined to use the advice for the kind
 */
export function systemAdvice(kind: string, errno: string | undefined): string | undefined {
  const ofKind = advice[kind] ?? {};
  return errno !== undefined && Object.hasOwn(ofKind, errno) ? ofKind[errno] : undefined;
}
