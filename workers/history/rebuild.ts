/** Rebuilds files as they were before or after a recorded change (spec 18). */
import type { Content } from '../changes/record/record.js';
import { hashOf } from '../text/text-file.js';
import { withPut } from './put.js';
import type { HistoryReader } from './reader.js';
import type { FileEntry, RecordedChange } from './recorded-change.js';
import { readIfThere } from './segments.js';

const nothing = Buffer.alloc(0);

/**
 * The bytes that a change found.
 * @returns undefined if what was kept of them is gone, or has been altered
 * @throws the system error
 */
export function bytesBefore(reader: HistoryReader, change: RecordedChange, entry: FileEntry): Buffer | undefined {
  const { before, kept, kind } = entry;
  if (before === undefined) return undefined;
  if (change.on !== undefined) {
    const earlier = reader.find(change.on);
    const other = earlier?.files.find(({ path }) => path === entry.path);
    return earlier === undefined || other === undefined ? undefined : bytesAfter(reader, earlier, other);
  }
  if (kept !== undefined) return proved(readIfThere(reader.keptPath(kept)), before);
  // Nothing is kept of what was only moved.
  return kind === 'renamed' ? bytesAfter(reader, change, entry) : undefined;
}

/** The bytes that a change left, under the same conditions; undefined also if it put in too much to be kept. */
export function bytesAfter(reader: HistoryReader, change: RecordedChange, entry: FileEntry): Buffer | undefined {
  const { before, after, put } = entry;
  if (after === undefined) return undefined;
  if (put !== undefined) {
    const old = before === undefined ? nothing : bytesBefore(reader, change, entry);
    return old === undefined ? undefined : proved(withPut(old, put), after);
  }
  // The next change of it may have kept what this one left.
  for (const later of laterOf(reader, change, entry.new_path ?? entry.path)) {
    const other = later.files.find(({ path }) => path === (entry.new_path ?? entry.path));
    if (other?.before?.hash === after.hash) return bytesBefore(reader, later, other);
    if (other !== undefined) return undefined;
  }
  return undefined;
}

/** The changes after one that name a path, oldest first. */
export function* laterOf(
  reader: HistoryReader,
  { id }: Pick<RecordedChange, 'id'>,
  path: string,
): Generator<RecordedChange> {
  for (const change of reader.after(id)) {
    if (change.files.some((each) => each.path === path || each.new_path === path)) yield change;
  }
}

export function isContent(bytes: Buffer, { hash, size }: Content): boolean {
  return bytes.length === size && hashOf(bytes) === hash;
}

function proved(bytes: Buffer | undefined, content: Content): Buffer | undefined {
  return bytes !== undefined && isContent(bytes, content) ? bytes : undefined;
}
