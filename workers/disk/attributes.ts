import { getAttrSync, listAttrsSync, removeAttrSync, setAttrSync } from 'fs-native-extensions';
import type { Notice } from '../../src/errors.js';
import { accessAcl } from './acl.js';
import { describe, isFault, isSystemError, retrying, unsupported } from './system-error.js';

const illegible = 'An extended attribute whose name is not UTF-8 is lost';

/**
 * An ACL that the temporary file has inherited and the original lacks would let strangers in: it is removed.
 * @param from absent for a new file, which has none
 * @param adapt the ACL of the original before it is given to the other file
 * @returns the ACL of the original if it could not be kept
 * @throws the system error if it cannot be removed, or if anything fails by a fault
 */
export function copyAttributes(
  from: number | undefined,
  to: number,
  notices: Notice[],
  adapt = (acl: Buffer): Buffer => acl,
): Buffer | 'kept' | 'none' {
  let acl: Buffer | 'kept' | 'none' = 'none';
  if (process.platform === 'win32') return acl;
  const wanted = from === undefined ? [] : attributesOf(from, notices);
  for (const name of attributesOf(to, notices)) {
    if (wanted.includes(name) || !name.startsWith('system.posix_acl')) continue;
    retrying(() => {
      removeAttrSync(to, name);
    });
  }
  for (const name of wanted) {
    const isAcl = name === accessAcl;
    // One that cannot even be read is taken to let the group do nothing.
    if (isAcl) acl = Buffer.alloc(0);
    try {
      retrying(() => {
        const value = from === undefined ? null : getAttrSync(from, name);
        if (isAcl) acl = value ?? 'none';
        if (value === null && name.includes('\uFFFD')) notices.push({ message: `${name}: ${illegible}` });
        if (value !== null) setAttrSync(to, name, isAcl ? adapt(value) : value);
        if (isAcl && value !== null) acl = 'kept';
      });
    } catch (error) {
      if (!isSystemError(error) || isFault(error)) throw error;
      notices.push({
        message: `The extended attribute ${name} of a file could not be kept: ${describe(error)}`,
        errno: error.code,
      });
    }
  }
  return acl;
}

/**
 * The names of all. The ACL is asked for by its name: ntfs-3g does not list it, and names of more than 64 kB together
 * cannot be listed.
 */
function attributesOf(fd: number, notices: Notice[]): string[] {
  const listed = listOf(fd, notices);
  return listed.includes(accessAcl) || !hasAcl(fd) ? listed : [...listed, accessAcl];
}

/** A file system without attributes has none to lose. */
const noAttributes: ReadonlySet<string> = new Set([...unsupported, 'EPERM', 'EACCES']);

function listOf(fd: number, notices: Notice[]): string[] {
  try {
    return retrying(() => listAttrsSync(fd));
  } catch (error) {
    if (!isSystemError(error) || isFault(error)) throw error;
    if (!noAttributes.has(error.code))
      notices.push({
        message: `The extended attributes of a file cannot be listed, and only its ACL is kept: ${describe(error)}`,
        errno: error.code,
      });
    return [];
  }
}

function hasAcl(fd: number): boolean {
  try {
    return retrying(() => getAttrSync(fd, accessAcl)) !== null;
  } catch (error) {
    if (!isSystemError(error) || isFault(error)) throw error;
    return false;
  }
}
