import { diffOfFile, Effort, hasChanged, LeftOut, type FileChange } from './diff-of-file.js';
import { mostDiffBytes } from './window-hunks.js';

/**
 * The changes of several files as one diff that `git apply` accepts; empty if nothing has changed. Bytes that are not
 * text are only said to differ.
 *
 * A diff that is too long has only the first files, each complete, and ends with a line that says how many are left
 * out. Those are not compared.
 */
export function diffOfChanges(files: Iterable<FileChange>): string {
  const effort = new Effort();
  const parts: string[] = [];
  let room = mostDiffBytes;
  let afterHeader = false;
  let cut: LeftOut | undefined;
  let left = 0;
  for (const file of files) {
    if (!hasChanged(file)) continue;
    if (cut === undefined) {
      const found = diffOfFile(file, room, afterHeader, effort);
      if (found instanceof LeftOut) cut = found;
      else if (found.text !== '') {
        parts.push(found.text);
        room -= Buffer.byteLength(found.text);
        afterHeader = found.isHeader;
      }
    }
    if (cut !== undefined) left += 1;
  }
  if (cut === undefined) return parts.join('');
  // The note must fit too.
  while (Buffer.byteLength(noteOf(parts.length, left, cut)) > room) {
    room += Buffer.byteLength(parts.pop() ?? '');
    left += 1;
  }
  return parts.join('') + noteOf(parts.length, left, cut);
}

function noteOf(shown: number, left: number, { reason }: LeftOut): string {
  if (shown === 0) return `… the diff is left out, since ${reason}.\n`;
  return `… and ${left} more ${left === 1 ? 'file' : 'files'}: the diff is cut, since ${reason}.\n`;
}
