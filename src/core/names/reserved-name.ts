/** The server's own directory inside the one that it serves (spec 6): locks, temporary files, and nothing else. */
export const reservedName = '.file-editor';

/** Whether some file system would take the name for that of the server's own directory. */
export function isReservedName(name: string): boolean {
  return folded(name) === reservedName;
}

/**
 * As the most forgiving file system would compare it: without case, compatibility forms (`ﬁ` is `fi` to APFS),
 * characters that HFS+ skips (CVE-2014-9390) and trailing dots and spaces, which Windows drops.
 */
function folded(name: string): string {
  const visible = name.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  return visible.toLowerCase().replace(/[. ]+$/, '');
}
