/** The server's own directory inside the one it serves (spec 6): locks, temporary files and the record. */
export const reservedName = '.file-editor';

/**
 * The file in it with the record of changes of several files, decided but not all made (spec 14). It has a fixed name,
 * so one look shows writers whether there is a record, and only one set of changes is made at a time.
 */
export const recordName = 'changes';

/** The directory in it with the log of the history, and with what is kept for it (spec 18). */
export const historyName = 'history';

/** Whether any file system would treat the name as that of the server's directory. */
export function isReservedName(name: string): boolean {
  return folded(name) === reservedName;
}

/**
 * The name as the most lenient file system would compare it: without case, compatibility forms (`ﬁ` is `fi` to APFS),
 * characters that HFS+ ignores (CVE-2014-9390) and trailing dots and spaces, which Windows drops.
 */
export function folded(name: string): string {
  const visible = name.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  return visible.toLowerCase().replace(/[. ]+$/, '');
}
