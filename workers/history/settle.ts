/**
 * After a loss of power (spec 18): the log's sync and that of a file's directory run at the same time, so a line may
 * have reached the disk whose change has not, or whose kept file has not. What is there now shows that: a replaced file
 * that is still the kept one was never replaced.
 */
import { closeSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Notice } from '../../src/core/errors.js';
import { isSameFile } from '../../src/core/file-identity.js';
import { lstat, open, toReadAndWrite, writeAt } from '../disk/calls.js';
import { isPlaceholder } from '../disk/paths/placeholder.js';
import type { Root } from '../disk/paths/root.js';
import { isVanished, errnoOf } from '../disk/system-error.js';
import type { HistoryReader } from './reader.js';
import { parseLine, type FileEntry } from './recorded-change.js';
import { linesBack, segmentsIn, type Line } from './segments.js';

/** No sync takes longer: earlier lines were on disk with their changes before the newest one was written. */
const longestSyncMs = 30_000;

/**
 * Void the lines of changes that were never made, and of those that cannot be taken back, since what was kept of them is
 * lost: they were never acknowledged. Only if the machine has been started since the newest line: before
 * that, a file that is missing was removed by another program.
 * @param bootedAt when the machine was started, in milliseconds since 1970
 * @throws the system error
 */
export function settle(
  reader: HistoryReader,
  root: Root,
  notices: Notice[],
  bootedAt = Date.now() - uptime() * 1_000,
): void {
  let newest: number | undefined;
  const decided = new Set<string>();
  const unmade: Line[] = [];
  let group: Line[] = [];
  for (const line of linesBack(reader.directory)) {
    const change = parseLine(line);
    if (change === undefined) continue;
    const { time, on, set, files } = change;
    newest ??= Date.parse(time);
    if (newest >= bootedAt || Date.parse(time) < newest - longestSyncMs) break;
    group.push(line);
    // It shares the fate of the one that it was committed with, whose line is the one before.
    if (on !== undefined) continue;
    // The line of a change set is written once all of it is on disk.
    if (set === undefined && files.some((each) => isUnmade(each, decided, reader, root))) unmade.push(...group);
    for (const { path } of files) decided.add(path);
    group = [];
  }
  if (unmade.length === 0) return;
  for (const line of unmade) voidLine(reader, line);
  notices.push({
    message: `After a loss of power, the history no longer tells of changes (${String(unmade.length)}) that had not reached the disk`,
  });
}

/** @param decided paths of later changes: those would not be there if this one were not */
function isUnmade(entry: FileEntry, decided: ReadonlySet<string>, reader: HistoryReader, root: Root): boolean {
  const { path, new_path, kind, kept, ino, directory } = entry;
  if (decided.has(path)) return false;
  const there = look(root, path);
  if (kind === 'created') return there === undefined;
  if (kind === 'renamed') return String(there?.ino) === ino && look(root, new_path ?? path) === undefined;
  if (kept === undefined) return directory === true ? there?.isDirectory() === true : there?.isSymbolicLink() === true;
  const before = lstat(reader.keptPath(kept));
  return before === undefined || isSameFile(there, before);
}

/** A placeholder is nothing: a rename puts it where the file will be. */
function look(root: Root, path: string): ReturnType<typeof lstat> {
  try {
    const at = root.anchor.path(path);
    return isPlaceholder(at) ? undefined : lstat(at);
  } catch (error) {
    if (isVanished(errnoOf(error))) return undefined;
    throw error;
  }
}

/** A blank line in its place: readers pass over it. */
function voidLine({ directory }: HistoryReader, { position, bytes }: Line): void {
  const segment = segmentsIn(directory).findLast(({ start }) => start <= position);
  if (segment === undefined) return;
  const fd = open(directory.path(segment.name), toReadAndWrite);
  try {
    writeAt(fd, Buffer.alloc(bytes.length, ' '), position - segment.start);
  } finally {
    closeSync(fd);
  }
}
