import type { BigIntStats } from 'node:fs';
import { basename } from 'node:path';
import { readlink } from '../disk/calls.js';
import type { Spot } from '../disk/paths/walk.js';
import type { TemporaryFile } from '../disk/write/temporary-file.js';
import { FileText } from '../commit/file-text.js';
import type { ChangeOfCall, Context } from '../handler.js';
import { keptNameOf, type SetToRecord } from '../history/change-set.js';
import { contentAt, contentOf, textEntry } from '../history/entries.js';
import { mostPut, sizeOf } from '../history/put.js';
import type { FileEntry } from '../history/recorded-change.js';
import { Recording } from '../history/recording.js';
import { isOptional, type Change } from './change.js';

/** The recording of the only change of a call; undefined without --history. */
export function recordingOf(each: Change, { workspace: { history }, change, notices }: Context): Recording | undefined {
  return change && new Recording(history, [{ change, entry: entryOf(each) }], notices);
}

/**
 * What the record of a change set holds for the history.
 * @param changes in the order of the steps
 * @param file of the record, whose name is unique
 * @throws as `entryOf`
 */
export function setToRecord(
  changes: readonly Change[],
  { operation, caller, undoes }: ChangeOfCall,
  file: Pick<TemporaryFile, 'path'>,
): SetToRecord {
  const set = basename(file.path, '.tmp');
  let room = mostPut;
  const files = changes.flatMap((change, step) => {
    if (isOptional(change) || (change.kind === 'remove' && change.movedTo !== undefined)) return [];
    // A file that is moved and edited has two steps.
    const source = changes.findIndex((other) => isSourceOf(other, change));
    const replaced = source === -1 ? step : source;
    const { put, ...told } = source === -1 ? entryOf(change) : movedText(change, changes[source]);
    // What all changes of the call put in has to fit.
    room -= sizeOf(put ?? []);
    const isKept = told.before !== undefined && change.kind !== 'move';
    const kept = isKept ? keptNameOf(set, replaced) : undefined;
    return [{ steps: [...new Set([step, replaced])], entry: { ...told, put: room < 0 ? undefined : put, kept } }];
  });
  return { operation, caller, undoes, set, files };
}

function isSourceOf(other: Change, change: Change): boolean {
  return change.kind === 'create' && other.kind === 'remove' && other.movedTo === change.spot;
}

function movedText(change: Change, from: Change | undefined): FileEntry {
  if (change.kind !== 'create' || change.original === undefined || from?.kind !== 'remove') return entryOf(change);
  const { original, spot, text } = change;
  const entry = textEntry(
    from.spot.relative,
    'renamed',
    new FileText((from.version ?? original).bytes),
    new FileText(text),
  );
  return { ...entry, new_path: spot.relative, made: spot.missing.length };
}

/**
 * What the history says of a change (spec 18), before it is made.
 * @throws the system error if a file that is not read for the change itself cannot be read
 */
export function entryOf(change: Change): FileEntry {
  switch (change.kind) {
    case 'replace': {
      const { original, text, as } = change;
      return textEntry(original.file.place.relative, as, new FileText(original.bytes), new FileText(text));
    }
    case 'create': {
      const { spot, text } = change;
      return { ...textEntry(spot.relative, 'created', undefined, new FileText(text)), made: spot.missing.length };
    }
    case 'make': {
      const { spot, target, mode } = change;
      const what = target === undefined ? { directory: true as const, mode } : { link: target };
      return { path: spot.relative, kind: 'created', ...what, made: spot.missing.length };
    }
    case 'remove': {
      const { spot, seen, version } = change;
      const before = version === undefined ? entryContent(spot, seen) : { before: contentOf(version.bytes) };
      return { path: spot.relative, kind: 'deleted', ...before };
    }
    case 'move': {
      const { from, to, seen } = change;
      const what = entryContent(from, seen);
      const places = { path: from.relative, new_path: to.relative, made: to.missing.length };
      return { ...places, kind: 'renamed', ...what, after: what.before, ino: String(seen.ino) };
    }
  }
}

function entryContent(
  { parent, name }: Spot,
  seen: BigIntStats,
): Pick<FileEntry, 'before' | 'directory' | 'link' | 'mode'> {
  const path = parent.anchor.path(name);
  if (seen.isSymbolicLink()) return { link: readlink(path) };
  if (seen.isDirectory()) return { directory: true, mode: Number(seen.mode & 0o7777n) };
  return { before: contentAt(path, seen) };
}
