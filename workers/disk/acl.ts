/** The extended attribute that holds the ACL of a file. */
export const accessAcl = 'system.posix_acl_access';

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
export function forAnotherGroup(acl: Buffer): Buffer {
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
