import { OperationError } from '../../src/core/errors.js';
import { plainNames } from '../../src/core/names/path.js';
import { openFileAt } from '../commit/text-at-path.js';
import type { Root } from '../disk/paths/root.js';
import { readAll, tooLarge } from '../disk/read.js';
import type { Context } from '../handler.js';
import { shownId } from '../history/change-id.js';
import { bytesBefore, isContent } from '../history/rebuild.js';
import type { FileEntry, RecordedChange } from '../history/recorded-change.js';
import { HistoryReader, visibleIn } from '../history/reader.js';

/**
 * The bytes of a file as they were before a change (spec 18).
 * @throws OperationError not_in_history, also if what was kept of them has been altered
 */
export function bytesBeforeChange(path: string, id: string, { workspace: { root, setup }, notices }: Context): Buffer {
  const reader = HistoryReader.open(root, notices, setup.history);
  if (reader === undefined) throw notInHistory(path, id);
  try {
    const change = reader.find(id);
    const name = plainNames(path).join('/');
    const entry = change === undefined ? undefined : visibleIn(change, root)?.files.find((each) => each.path === name);
    if (change === undefined || entry?.before === undefined) throw notInHistory(path, id);
    if (entry.before.size > setup.maxBytes) throw tooLarge(entry.before.size, setup.maxBytes);
    const bytes = bytesBefore(reader, change, entry) ?? followed(reader, change, entry, root);
    if (bytes !== undefined && isContent(bytes, entry.before)) return bytes;
    throw new OperationError(
      'not_in_history',
      `Not in the history: '${path}' before ${id}, which was altered after it was kept`,
      {
        details: 'It cannot be shown as it was before this change. View the file as it is now.',
        data: { path },
      },
    );
  } finally {
    reader.close();
  }
}

/**
 * Of a file that was only moved nothing is kept: a later change may have kept it, or it is still there, by its last
 * name.
 */
function followed(
  reader: HistoryReader,
  { id }: RecordedChange,
  { new_path, before }: FileEntry,
  root: Root,
): Buffer | undefined {
  if (new_path === undefined) return undefined;
  let at = new_path;
  for (const later of reader.after(id)) {
    for (const other of later.files) {
      if (other.path === at && other.kept !== undefined) return bytesBefore(reader, later, other);
      at = movedBy(other, at);
    }
  }
  return before && readAt(root, at, before.size);
}

function movedBy({ path, new_path, directory }: FileEntry, at: string): string {
  if (new_path === undefined) return at;
  const isMoved = at === path || (directory === true && at.startsWith(`${path}/`));
  return isMoved ? new_path + at.slice(path.length) : at;
}

/** @returns undefined if no such file may be read */
function readAt(root: Root, path: string, size: number): Buffer | undefined {
  try {
    const file = openFileAt(root, path);
    try {
      return readAll(file, size);
    } finally {
      file.close();
    }
  } catch (error) {
    if (error instanceof OperationError) return undefined;
    throw error;
  }
}

function notInHistory(path: string, id: string): OperationError {
  return new OperationError('not_in_history', `Not in the history: '${path}' before ${shownId(id)}`, {
    details: 'Send the id of a change of this file, as history lists it, and the path that the file had before it.',
    data: { path },
  });
}
