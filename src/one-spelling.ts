/**
 * One form for all spellings of a path that some file system takes for one file: without case, accents composed. Locks
 * depend on it, and so do other servers of the same directory: it must not change.
 */
export function oneSpelling(relative: string): string {
  return relative.normalize('NFC').toLowerCase();
}
