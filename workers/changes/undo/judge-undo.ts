/** Judges what taking changes back does to the files (spec 18). Nothing is written. */
import { OperationError } from '../../../src/core/errors.js';
import type { Params } from '../../../src/core/operations.js';
import type { Context } from '../../handler.js';
import { HistoryReader, namesIn, noteUndone, visibleIn } from '../../history/reader.js';
import { shownId } from '../../history/change-id.js';
import { assertInScope } from '../../disk/paths/scope.js';
import type { RecordedChange } from '../../history/recorded-change.js';
import { mostTexts } from '../judged-files.js';
import { changesOf, type JudgedOfUndo } from './changes-of.js';
import { States } from './state.js';
import { TakeBack } from './take-back.js';

export interface JudgedUndo {
  /** From the newest on. */
  readonly undone: readonly RecordedChange[];
  readonly judged: readonly JudgedOfUndo[];
}

/**
 * The paths that the changes name: locked from the first look on, since a change of them that is being made may not be
 * in the history yet.
 * @throws as judgeUndo
 */
export function pathsToUndo(params: Params['undo'], context: Context): string[] {
  const { root, setup } = context.workspace;
  const reader = HistoryReader.open(root, context.notices, setup.history);
  if (reader === undefined) throw notInHistory(params.changes?.[0]);
  try {
    return [...new Set(toUndo(reader, params, context).flatMap(({ files }) => files.flatMap(namesIn)))];
  } finally {
    reader.close();
  }
}

/**
 * The caller must close what is judged.
 * @throws OperationError undo_conflict, not_in_history, invalid_params; those of the paths
 */
export function judgeUndo(params: Params['undo'], context: Context): JudgedUndo {
  const { root, setup } = context.workspace;
  const reader = HistoryReader.open(root, context.notices, setup.history);
  if (reader === undefined) throw notInHistory(params.changes?.[0]);
  const states = new States(context);
  let complete = false;
  try {
    const undone = toUndo(reader, params, context);
    const takeBack = new TakeBack(reader, states, root, new Set(undone.map(({ id }) => id)));
    for (const change of undone) takeBack.change(change);
    const judged = changesOf(states, params.return_hash === true);
    assertSmall(judged, setup.maxBytes);
    complete = true;
    return { undone, judged };
  } finally {
    if (!complete) states.close();
    reader.close();
  }
}

/** The changes to take back, the newest first. @throws OperationError */
function toUndo(reader: HistoryReader, { changes, last = 1 }: Params['undo'], context: Context): RecordedChange[] {
  const undone = changes === undefined ? ownLast(reader, last, context) : chosen(reader, changes, context);
  for (const change of undone) assertMayUndo(change, context);
  return undone;
}

/** @throws OperationError not_in_history; undo_conflict for one that is undone already */
function chosen(reader: HistoryReader, ids: readonly string[], { workspace: { root } }: Context): RecordedChange[] {
  const found = [...new Set(ids)].map((id) => {
    const change = reader.find(id);
    // An id must not reveal a change that its caller may not see.
    if (change === undefined || visibleIn(change, root) === undefined) throw notInHistory(id);
    return change;
  });
  const newestFirst = found.toSorted((a, b) => (a.id < b.id ? 1 : -1));
  const oldest = newestFirst.at(-1);
  const by = new Map<string, string>();
  for (const later of [...reader.after(oldest?.id ?? '')].toReversed()) noteUndone(by, later);
  for (const { id } of newestFirst) {
    const undoneBy = by.get(id);
    if (undoneBy === undefined) continue;
    throw new OperationError('undo_conflict', `Cannot undo ${id}: it is undone already, by ${undoneBy}`, {
      details: `Nothing was changed. To make it again, undo ${undoneBy}.`,
      data: { undone_by: undoneBy },
    });
  }
  return newestFirst;
}

/** The caller's last changes that are neither undos nor undone. @throws OperationError */
function ownLast(reader: HistoryReader, most: number, { change }: Context): RecordedChange[] {
  const caller = change?.caller;
  if (caller === undefined) {
    throw new OperationError('invalid_params', 'Invalid params: /last needs a caller with a name', {
      details:
        'This caller has no name, so no change is known to be its own. Send the ids of the changes, as history lists them; or start the server with --caller=NAME or --tokens.',
    });
  }
  const by = new Map<string, string>();
  const own: RecordedChange[] = [];
  for (const each of reader.newestFirst()) {
    noteUndone(by, each);
    if (each.undoes === undefined && each.caller === caller && !by.has(each.id)) own.push(each);
    if (own.length === most) break;
  }
  if (own.length === 0) throw notInHistory(undefined);
  return own;
}

/** Only who may change all files of a change may undo it. @throws OperationError not_allowed */
function assertMayUndo(change: RecordedChange, { workspace: { root } }: Context): void {
  const { id, files } = change;
  // The error must not name files that the caller may not see.
  if (visibleIn(change, root)?.files.length !== files.length && files.length > 0) {
    throw new OperationError('not_allowed', `Permission denied: change ${id}`, {
      details: 'It concerns files that this caller may not see. Nothing was changed.',
    });
  }
  for (const entry of files) {
    const use = entry.directory === true ? 'whole directory' : 'file';
    for (const name of namesIn(entry)) assertInScope(root, name, name, use);
  }
}

/** @throws OperationError too_large, under the limit of changes of several files (spec 14) */
function assertSmall(judged: readonly JudgedOfUndo[], maxBytes: number): void {
  const bytes = judged.reduce((sum, each) => sum + each.bytes, 0);
  const limit = mostTexts * maxBytes;
  if (bytes <= limit) return;
  throw new OperationError(
    'too_large',
    `The texts of this undo, old and new, have more than ${String(limit)} bytes together`,
    { details: 'Nothing was changed. Undo fewer changes in one call.' },
  );
}

function notInHistory(id: string | undefined): OperationError {
  return new OperationError(
    'not_in_history',
    id === undefined
      ? 'Not in the history: no change of yours that is not undone'
      : `Not in the history: ${shownId(id)}`,
  );
}
