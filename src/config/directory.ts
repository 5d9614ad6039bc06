/** Checks the working directory before the start. Creates and changes nothing. */
import {
  accessSync,
  closeSync,
  constants,
  opendirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemErrorCode } from '../core/error-code.js';
import { nearest } from '../core/names/nearest.js';
import { reservedName } from '../core/names/reserved-name.js';
import { reservedObstacle } from './reserved-obstacle.js';
import { platform } from '../core/platform.js';
import { allowInSettings } from '../core/system-advice.js';

/** The problem of a missing path. */
export const missing = 'does not exist';

const mayUse = constants.R_OK | constants.X_OK;

/** The existing directory that was probably meant, next to a missing one. */
export function nearestDirectory(path: string): string | undefined {
  const parent = dirname(path);
  try {
    const entries = readdirSync(parent, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const name = nearest(
      basename(path),
      entries.map((entry) => entry.name),
    );
    return name === undefined ? undefined : join(parent, name);
  } catch {
    return undefined;
  }
}

/** Says that a directory cannot be made. @param label the user's name for it */
export function impossible(label: string, directory: string, code: string): string {
  const expected = 'expected a directory, or a path where this process may make one';
  return `${label}: "${directory}" could not be made (${code}); ${expected}`;
}

/** The real path of `path`, or its problem, in words that follow "the directory". */
export function checkDirectory(path: string, readOnly: boolean): { realPath: string } | { problem: string } {
  let realPath: string;
  try {
    realPath = realpathSync.native(path);
    if (!statSync(realPath).isDirectory()) return { problem: 'is not a directory' };
  } catch (error) {
    return { problem: systemErrorCode(error) === 'ENOENT' ? missing : `cannot be reached (${systemErrorCode(error)})` };
  }
  try {
    accessSync(realPath, mayUse);
  } catch (error) {
    return { problem: `is not readable for this process (${systemErrorCode(error)})${whose(realPath)}` };
  }
  const hidden = platform.hasPrivacySettings ? whyHidden(realPath) : undefined;
  if (hidden !== undefined) return { problem: hidden };
  if (!isShownByProc(realPath)) {
    return {
      problem: `cannot be kept track of, since /proc/${String(process.pid)}/fd does not show what this process opens; mount the /proc of its PID namespace`,
    };
  }
  if (readOnly) return { realPath };
  try {
    accessSync(realPath, mayUse | constants.W_OK);
  } catch (error) {
    const code = systemErrorCode(error);
    return { problem: `is not writable for this process (${code}); accepted with --read-only${whose(realPath)}` };
  }
  const obstacle = reservedObstacle(realPath);
  return obstacle === undefined
    ? { realPath }
    : { problem: `holds ${reservedName}, which ${obstacle}, or start with --read-only` };
}

/** macOS may deny opening a directory that it reports as readable. If it asks the user, it does so now. */
function whyHidden(path: string): string | undefined {
  try {
    opendirSync(path).closeSync();
    return undefined;
  } catch (error) {
    const problem = `cannot be opened by this process (${systemErrorCode(error)})`;
    return systemErrorCode(error) === 'EPERM' ? `${problem}. ${allowInSettings}` : problem;
  }
}

/**
 * On Linux every file is opened through /proc (workers/disk/paths/anchor.ts). Without it nothing is found; the /proc of
 * another PID namespace leads to the open files of another process.
 */
function isShownByProc(path: string): boolean {
  if (!platform.hasAnchoredPaths) return true;
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return readlinkSync(`/proc/${String(process.pid)}/fd/${String(fd)}`) === path;
  } catch {
    return false;
  } finally {
    closeSync(fd);
  }
}

/** If the users differ, as between a container and a mounted volume, the next step is to make them the same. */
function whose(path: string): string {
  const user = process.getuid?.();
  const { uid, mode } = statSync(path);
  if (user === undefined || user === uid) return '';
  const rights = (mode & 0o777).toString(8);
  return ` (it belongs to user ${String(uid)} with mode ${rights}, and this process runs as user ${String(user)})`;
}
