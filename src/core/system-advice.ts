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

const advice: Readonly<Record<'read_failed' | 'write_failed', Readonly<Record<string, string>>>> = {
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
  if (errno === undefined || (kind !== 'write_failed' && kind !== 'read_failed')) return undefined;
  return Object.hasOwn(advice[kind], errno) ? advice[kind][errno] : undefined;
}
