import { fchmodSync, fchownSync, fstatSync } from 'node:fs';
import { getAttrSync, listAttrsSync, setAttrSync } from 'fs-native-extensions';
import type { Notice } from '../../src/errors.js';
import { describe, isSystemError } from './system-error.js';
import type { Version } from './version.js';

/** A new file gets the mode that creating it directly would have given it (contract 6). @param umask of the process */
export function setNewMode(fd: number, umask: number): void {
  fchmodSync(fd, 0o666 & ~umask);
}

/**
 * Give the file that takes another's place its owner, extended attributes, ACLs and mode, each where
 * permitted. The mode comes last: changing the owner clears set-user-id, setting an ACL changes the group bits.
 * @throws the system error of a failing fchmod
 */
export function copyMetadata(original: Version, fd: number, notices: Notice[]): void {
  const { uid, gid, mode } = original.stats;
  const mine = fstatSync(fd, { bigint: true });
  let owned = true;
  if (mine.uid !== uid || mine.gid !== gid) {
    owned = attempt(notices, 'The owner of a file could not be kept', () => {
      fchownSync(fd, Number(uid), Number(gid));
    });
  }
  copyAttributes(original.file.fd, fd, notices);
  // Without its owner, a set-user-id bit would hand out another user's rights.
  fchmodSync(fd, Number(mode) & (owned ? 0o7777 : 0o1777));
}

function copyAttributes(from: number, to: number, notices: Notice[]): void {
  if (process.platform === 'win32') return;
  let names: string[];
  try {
    names = listAttrsSync(from);
  } catch (error) {
    // File systems without extended attributes have none to lose.
    if (isSystemError(error)) return;
    throw error;
  }
  for (const name of names) {
    attempt(notices, `The extended attribute ${name} of a file could not be kept`, () => {
      const value = getAttrSync(from, name);
      if (value !== null) setAttrSync(to, name, value);
    });
  }
}

function attempt(notices: Notice[], failed: string, step: () => void): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    notices.push({ message: `${failed}: ${describe(error)}`, errno: error.code });
    return false;
  }
}
