import type { BigIntStats } from 'node:fs';
import type { Notice } from '../../../src/core/errors.js';
import { copyAttributes, forAnotherGroup, groupBits } from './attributes.js';
import { fchmod, fchown, lstat } from '../calls.js';
import { isFault, isSystemError, isUnsupported, noticeOf, type SystemError } from '../system-error.js';
import type { TemporaryFile } from '../write/temporary-file.js';
import type { Version } from '../write/version.js';
import { pathBelow } from '../paths/system-path.js';

/**
 * Give a new file the mode that creating it directly would have given it (spec 6), the group its directory passes on,
 * and no ACL: the temporary file has inherited its own from another directory.
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

/** @throws the system error, unless the file system has no modes to set, such as FAT */
function setMode(fd: number, mode: number, notices: Notice[]): void {
  try {
    fchmod(fd, mode);
  } catch (error) {
    if (!isSystemError(error) || !isUnsupported(error.code)) throw error;
    notices.push(noticeOf('The mode of a file could not be set', error));
  }
}

/** The group of a set-group-id directory. In any other directory the system has chosen the group, as the mount says. */
function groupPassedOn(directory: string): number | undefined {
  const parent = lstat(pathBelow(directory, '.'));
  return parent !== undefined && (Number(parent.mode) & 0o2000) !== 0 ? Number(parent.gid) : undefined;
}

/**
 * Give the replacement of a file the owner, extended attributes, ACLs and mode of the original, each where permitted.
 * The mode comes last: changing the owner clears set-user-id, and setting an ACL changes the group bits.
 *
 * Where the group cannot be kept, the process's own group gets the rights of others: the bits of the lost group were
 * not meant for it (vim does the same).
 * @throws the system error of a failing fchmod, and of anything that fails for lack of space or because of a fault: a
 *   retry may keep what this attempt would lose
 */
export function copyMetadata(
  original: Version,
  { fd, stats }: Pick<TemporaryFile, 'fd' | 'stats'>,
  notices: Notice[],
): void {
  const { mode } = original.stats;
  const [owner, mine] = [ownerIn(original.stats), ownerIn(stats)];
  const kept = mine.uid === owner.uid && mine.gid === owner.gid ? 'all' : keepOwner(fd, owner, mine, notices);
  const acl = copyAttributes(original.file.fd, fd, notices, kept === 'nothing' ? forAnotherGroup : undefined);
  // Without its owner, a set-user-id bit would grant another user's rights.
  const bits = Number(mode) & (kept === 'all' ? 0o7777 : 0o1777);
  // With an ACL, the mode's group bits are its mask.
  if (acl === 'kept') setMode(fd, bits, notices);
  else if (kept === 'nothing') setMode(fd, (bits & 0o7707) | ((bits & 0o7) << 3), notices);
  else setMode(fd, acl === 'none' ? bits : bits & (0o7707 | groupBits(acl)), notices);
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
    if (!isSystemError(error) || isFault(error.code)) throw error;
    refusal = error;
  }
  const group = mine.gid === gid || keepGroup(fd, gid) ? gid : mine.gid;
  const lost = [...(mine.uid === uid ? [] : ['owner']), ...(group === gid ? [] : ['group'])];
  notices.push(
    noticeOf(
      `The ${lost.join(' and the ')} of a file could not be kept, it went from ${uid}:${gid} to ${mine.uid}:${group}`,
      refusal,
    ),
  );
  return group === gid ? 'group' : 'nothing';
}

function keepGroup(fd: number, gid: number): boolean {
  try {
    fchown(fd, -1, gid);
    return true;
  } catch (error) {
    if (!isSystemError(error) || isFault(error.code)) throw error;
    return false;
  }
}
