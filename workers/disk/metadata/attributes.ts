import { getAttrSync, listAttrsSync, removeAttrSync, setAttrSync } from 'fs-native-extensions';
import type { Notice } from '../../../src/core/errors.js';
import { isDenied, isFault, isSystemError, isUnsupported, noticeOf, retrying } from '../system-error.js';
import { platform } from '../../../src/core/platform.js';

/** The extended attribute that holds the ACL of a file. */
const accessAcl = 'system.posix_acl_access';

const illegible = 'An extended attribute whose name is not UTF-8 is lost';

/**
 * Copy extended attributes. An ACL that only the temporary file has, by inheritance, would grant access to others: it
 * is removed.
 * @param from absent for a new file, which has none
 * @param adapt maps the original's ACL before it is set on the other file
 * @returns the ACL of the original if it could not be kept
 * @throws the system error if it cannot be removed, or if anything fails because of a fault
 */
export function copyAttributes(
  from: number | undefined,
  to: number,
  notices: Notice[],
  adapt = (acl: Buffer): Buffer => acl,
): Buffer | 'kept' | 'none' {
  let acl: Buffer | 'kept' | 'none' = 'none';
  if (!platform.hasExtendedAttributes) return acl;
  const wanted = from === undefined ? [] : attributesOf(from, notices);
  if (!wanted.includes(accessAcl) && hasAcl(to)) {
    retrying(() => {
      removeAttrSync(to, accessAcl);
    });
  }
  for (const name of wanted) {
    const isAcl = name === accessAcl;
    // An unreadable ACL is assumed to grant the group nothing.
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
      if (!isSystemError(error) || isFault(error.code)) throw error;
      notices.push(noticeOf(`The extended attribute ${name} of a file could not be kept`, error));
    }
  }
  return acl;
}

/**
 * The names of all attributes. The ACL is queried by name: ntfs-3g does not list it, and names of more than 64 kB in
 * total cannot be listed.
 */
function attributesOf(fd: number, notices: Notice[]): string[] {
  const listed = listOf(fd, notices);
  return listed.includes(accessAcl) || !hasAcl(fd) ? listed : [...listed, accessAcl];
}

/** A file system without attributes has none to lose. */
const noAttributes = (errno: string): boolean => isUnsupported(errno) || isDenied(errno);

function listOf(fd: number, notices: Notice[]): string[] {
  try {
    return retrying(() => listAttrsSync(fd));
  } catch (error) {
    if (!isSystemError(error) || isFault(error.code)) throw error;
    if (!noAttributes(error.code))
      notices.push(noticeOf('The extended attributes of a file cannot be listed; only its ACL is kept', error));
    return [];
  }
}

function hasAcl(fd: number): boolean {
  try {
    return retrying(() => getAttrSync(fd, accessAcl)) !== null;
  } catch (error) {
    if (!isSystemError(error) || isFault(error.code)) throw error;
    return false;
  }
}

/** An ACL begins with its version; each entry has a tag, rights and an id (linux/posix_acl_xattr.h). */
const [aclHeader, aclEntry, groupTag, otherTag] = [4, 8, 4, 32];

/**
 * The rights of the owning group of a file with an ACL. Its mode's group bits are the mask, the upper bound for
 * everyone in the ACL: without the ACL, the group would get all of them.
 * @returns as bits of a mode
 */
export function groupBits(acl: Buffer): number {
  return ((rightsOf(acl, groupTag)?.readUInt16LE() ?? 0) & 0o7) << 3;
}

/** The ACL with the rights of `other` for its owning group. */
export function forAnotherGroup(acl: Buffer): Buffer {
  const changed = Buffer.from(acl);
  rightsOf(changed, groupTag)?.writeUInt16LE(rightsOf(acl, otherTag)?.readUInt16LE() ?? 0);
  return changed;
}

/** The rights field of the first entry with this tag. */
function rightsOf(acl: Buffer, tag: number): Buffer | undefined {
  for (let at = aclHeader; at + aclEntry <= acl.length; at += aclEntry) {
    if (acl.readUInt16LE(at) === tag) return acl.subarray(at + 2, at + 4);
  }
  return undefined;
}
