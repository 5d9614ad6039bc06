import type { BigIntStats } from 'node:fs';
import { getAttrSync, listAttrsSync, removeAttrSync, setAttrSync } from 'fs-native-extensions';
import type { Notice } from '../../src/errors.js';
import { fchmod, fchown, lstat } from './calls.js';
import type { TemporaryFile } from './reserved.js';
import { describe, isFault, isSystemError, retrying, type SystemError } from './system-error.js';
import type { Version } from './version.js';

/**
 * Give a new file the mode that creating it directly would have given it (contract 6), the group that its directory
 * passes on, and no ACL: the temporary file has inherited one from a directory that is not the file's own.
 * @param directory of the file, anchored
 * @param umask of the process
 */
export function setNewMode({ fd, stats }: TemporaryFile, directory: string, umask: number, notices: Notice[]): void {
  copyAttributes(undefined, fd, notices);
  const inherited = groupPassedOn(directory);
  if (inherited !== undefined && inherited !== Number(stats.gid) && !keepGroup(fd, inherited)) {
    notices.push({ message: `A new file could not be given the group ${inherited} of its directory` });
  }
  setMode(fd, 0o666 & ~umask, notices);
}

/** @throws the system error, unless this file system has no modes to set, as FAT has none */
function setMode(fd: number, mode: number, notices: Notice[]): void {
  try {
    fchmod(fd, mode);
  } catch (error) {
    if (!isSystemError(error) || !impossible.has(error.code)) throw error;
    notices.push({ message: `The mode of a file could not be set: ${describe(error)}`, errno: error.code });
  }
}

const impossible: ReadonlySet<string> = new Set(['ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

/** That of a directory which is set-group-id. In any other, the system has chosen it as its mount says. */
function groupPassedOn(directory: string): number | undefined {
  const parent = lstat(`${directory}/.`);
  return parent !== undefined && (Number(parent.mode) & 0o2000) !== 0 ? Number(parent.gid) : undefined;
}

/**
 * Give the file that replaces another its owner, extended attributes, ACLs and mode, each where permitted. The mode
 * comes last: changing the owner clears set-user-id, and setting an ACL changes the group bits.
 *
 * Where the group cannot be kept, that of this process may do what it was allowed before, as one of the others: the bits
 * of the group that is gone are not meant for it (vim does the same).
 * @throws the system error of a failing fchmod, and of whatever fails for want of space or by a fault: the next try may
 *   keep what this one would lose
 */
export function copyMetadata(original: Version, { fd, stats }: TemporaryFile, notices: Notice[]): void {
  const { mode } = original.stats;
  const [owner, mine] = [ownerIn(original.stats), ownerIn(stats)];
  const kept = mine.uid === owner.uid && mine.gid === owner.gid ? 'all' : keepOwner(fd, owner, mine, notices);
  const acl = copyAttributes(original.file.fd, fd, notices, kept === 'nothing' ? forAnotherGroup : undefined);
  // Without its owner, a set-user-id bit would lend out someone else's rights.
  const bits = Number(mode) & (kept === 'all' ? 0o7777 : 0o1777);
  // With an ACL, the bits of the group in the mode are the most that anyone in the ACL may do.
  if (acl === 'kept') setMode(fd, bits, notices);
  else if (kept === 'nothing') setMode(fd, (bits & 0o7707) | ((bits & 0o7) << 3), notices);
  else setMode(fd, acl === 'none' ? bits : bits & (0o7707 | groupBits(acl)), notices);
}

const accessAcl = 'system.posix_acl_access';
/** An ACL begins with its version; each entry has a tag, rights and an id (linux/posix_acl_xattr.h). */
const [aclHeader, aclEntry, groupTag, otherTag] = [4, 8, 4, 32];

/**
 * What the owning group may do with a file that has an ACL. The group bits of its mode are the most that anyone in the
 * ACL may do: without the ACL, the group would be given all of that.
 * @returns as bits of a mode
 */
export function groupBits(acl: Buffer): number {
  return ((rightsOf(acl, groupTag)?.readUInt16LE() ?? 0) & 0o7) << 3;
}

/** The ACL with the rights of all others for its owning group. */
function forAnotherGroup(acl: Buffer): Buffer {
  const changed = Buffer.from(acl);
  rightsOf(changed, groupTag)?.writeUInt16LE(rightsOf(acl, otherTag)?.readUInt16LE() ?? 0);
  return changed;
}

/** Where the rights of the first entry with this tag are. */
function rightsOf(acl: Buffer, tag: number): Buffer | undefined {
  for (let at = aclHeader; at + aclEntry <= acl.length; at += aclEntry) {
    if (acl.readUInt16LE(at) === tag) return acl.subarray(at + 2, at + 4);
  }
  return undefined;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

function ownerIn({ uid, gid }: BigIntStats): Owner {
  return { uid: Number(uid), gid: Number(gid) };
}

/** A process that may not give files away can still belong to the group. @returns what was kept */
function keepOwner(fd: number, { uid, gid }: Owner, mine: Owner, notices: Notice[]): 'all' | 'group' | 'nothing' {
  let refusal: SystemError;
  try {
    fchown(fd, uid, gid);
    return 'all';
  } catch (error) {
    if (!isSystemError(error) || isFault(error)) throw error;
    refusal = error;
  }
  const group = mine.gid === gid || keepGroup(fd, gid) ? gid : mine.gid;
  const lost = [...(mine.uid === uid ? [] : ['owner']), ...(group === gid ? [] : ['group'])];
  notices.push({
    message: `The ${lost.join(' and the ')} of a file could not be kept, it went from ${uid}:${gid} to ${mine.uid}:${group}: ${describe(refusal)}`,
    errno: refusal.code,
  });
  return group === gid ? 'group' : 'nothing';
}

function keepGroup(fd: number, gid: number): boolean {
  try {
    fchown(fd, -1, gid);
    return true;
  } catch (error) {
    if (!isSystemError(error) || isFault(error)) throw error;
    return false;
  }
}

/**
 * An ACL that the temporary file has inherited and the original lacks would let strangers in: it is removed.
 * @param from absent for a new file, which has none
 * @param adapt the ACL of the original before it is given to the other file
 * @returns the ACL of the original if it could not be kept
 * @throws the system error if it cannot be removed, or if anything fails by a fault
 */
function copyAttributes(
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
const noAttributes: ReadonlySet<string> = new Set([...impossible, 'EPERM', 'EACCES']);

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
