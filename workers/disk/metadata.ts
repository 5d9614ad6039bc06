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
  fchmod(fd, 0o666 & ~umask);
}

/** That of a directory which is set-group-id. In any other, the system has chosen it as its mount says. */
function groupPassedOn(directory: string): number | undefined {
  const parent = lstat(`${directory}/.`);
  return parent !== undefined && (Number(parent.mode) & 0o2000) !== 0 ? Number(parent.gid) : undefined;
}

/**
 * Give the file that replaces another its owner, extended attributes, ACLs and mode, each where permitted. The mode
 * comes last: changing the owner clears set-user-id, and setting an ACL changes the group bits.
 * @throws the system error of a failing fchmod, and of whatever fails for want of space or by a fault: the next try may
 *   keep what this one would lose
 */
export function copyMetadata(original: Version, { fd, stats }: TemporaryFile, notices: Notice[]): void {
  const { mode } = original.stats;
  const [owner, mine] = [ownerIn(original.stats), ownerIn(stats)];
  const owned = (mine.uid === owner.uid && mine.gid === owner.gid) || keepOwner(fd, owner, mine, notices);
  const lost = copyAttributes(original.file.fd, fd, notices);
  const group = lost.has(accessAcl) ? groupBits(getAttrSync(original.file.fd, accessAcl)) : 0o070;
  // Without its owner, a set-user-id bit would lend out someone else's rights.
  fchmod(fd, Number(mode) & (owned ? 0o7777 : 0o1777) & (0o7707 | group));
}

const accessAcl = 'system.posix_acl_access';
/** An ACL begins with its version; each entry has a tag, rights and an id (linux/posix_acl_xattr.h). */
const [aclHeader, aclEntry, groupTag] = [4, 8, 4];

/**
 * What the owning group may do with a file that has an ACL. The group bits of its mode are the most that anyone in the
 * ACL may do: without the ACL, the group would be given all of that.
 * @returns as bits of a mode
 */
export function groupBits(acl: Buffer | null): number {
  if (acl === null) return 0o070;
  for (let at = aclHeader; at + aclEntry <= acl.length; at += aclEntry) {
    if (acl.readUInt16LE(at) === groupTag) return (acl.readUInt16LE(at + 2) & 0o7) << 3;
  }
  return 0;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

function ownerIn({ uid, gid }: BigIntStats): Owner {
  return { uid: Number(uid), gid: Number(gid) };
}

/** A process that may not give files away can still belong to the group. @returns whether both were kept */
function keepOwner(fd: number, { uid, gid }: Owner, mine: Owner, notices: Notice[]): boolean {
  let refusal: SystemError;
  try {
    fchown(fd, uid, gid);
    return true;
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
  return false;
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
 * @returns the attributes that could not be kept
 * @throws the system error if it cannot be, or if anything fails by a fault
 */
function copyAttributes(from: number | undefined, to: number, notices: Notice[]): ReadonlySet<string> {
  const lost = new Set<string>();
  if (process.platform === 'win32') return lost;
  const wanted = from === undefined ? [] : attributesOf(from);
  for (const name of attributesOf(to)) {
    if (wanted.includes(name) || !name.startsWith('system.posix_acl')) continue;
    retrying(() => {
      removeAttrSync(to, name);
    });
  }
  for (const name of wanted) {
    try {
      retrying(() => {
        const value = from === undefined ? null : getAttrSync(from, name);
        if (value !== null) setAttrSync(to, name, value);
      });
    } catch (error) {
      if (!isSystemError(error) || isFault(error)) throw error;
      lost.add(name);
      notices.push({
        message: `The extended attribute ${name} of a file could not be kept: ${describe(error)}`,
        errno: error.code,
      });
    }
  }
  return lost;
}

function attributesOf(fd: number): string[] {
  try {
    return retrying(() => listAttrsSync(fd));
  } catch (error) {
    // A file system without extended attributes has none to lose.
    if (isSystemError(error) && !isFault(error)) return [];
    throw error;
  }
}
