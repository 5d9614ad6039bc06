import { plainNames } from '../../src/core/names/path.js';
import { OperationError } from '../../src/core/errors.js';
import type { Params, Results } from '../../src/core/operations.js';
import type { Root } from '../disk/paths/root.js';
import type { Context, SuccessOf } from '../handler.js';
import { positionOf } from '../history/change-id.js';
import { HistoryReader, namesIn, noteUndone, visibleIn } from '../history/reader.js';
import type { Line } from '../history/segments.js';
import { unlessCancelled } from '../progress.js';
import { inSlices } from '../turn.js';
import { nameInLine, parseLine, type FileEntry, type RecordedChange } from '../history/recorded-change.js';
import { assertPaths } from '../changes/judge-change.js';

type Page = Results['history'];

const mostChanges = 50;
/** A line with another end is damaged, which is told. */
const endOfRecord = '}'.charCodeAt(0);

/** The recorded changes, newest first; or those after one of them, oldest first (spec 18). */
export function history(
  params: Params['history'],
  { workspace: { root, setup }, progress, notices }: Context,
): SuccessOf<'history'> | Promise<SuccessOf<'history'>> {
  const choose = choiceOf(params, root);
  function* steps(): Generator<undefined, SuccessOf<'history'>> {
    const reader = HistoryReader.open(root, notices, setup.history);
    try {
      return { ok: true, result: yield* pageOf(reader, params, choose) };
    } finally {
      reader?.close();
    }
  }
  return inSlices(unlessCancelled(steps(), progress), true);
}

type Choice = (change: RecordedChange) => RecordedChange | undefined;

/**
 * @returns what a caller may see of a change; undefined if that is nothing, or not wanted
 * @throws OperationError for a path or an id that cannot be one
 */
function choiceOf({ path = '', caller, before }: Params['history'], root: Root): Choice {
  assertPaths({ path }, root);
  if (before !== undefined && positionOf(before) === undefined) {
    throw new OperationError('invalid_params', 'Invalid params: /before is not an id of a change', {
      details: 'Send an id that history has returned.',
    });
  }
  const top = plainNames(path).join('/');
  const isWanted = (name: string): boolean => top === '' || name === top || name.startsWith(`${top}/`);
  return (change) => {
    if (before !== undefined && change.id >= before) return undefined;
    if (caller !== undefined && change.caller !== caller) return undefined;
    const seen = visibleIn(change, root);
    return top === '' || seen?.files.flatMap(namesIn).some(isWanted) === true ? seen : undefined;
  };
}

/** @param reader undefined: nothing was ever recorded */
function* pageOf(
  reader: HistoryReader | undefined,
  { after, before, limit = mostChanges, path = '' }: Params['history'],
  choose: Choice,
): Generator<undefined, Page> {
  const gap = after !== undefined && after !== '' && reader?.find(after) === undefined;
  const later: RecordedChange[] = [];
  const chosen: RecordedChange[] = [];
  let last = after === undefined ? newestIn(reader) : gap ? '' : after;
  let truncated = false;
  let passed: Line | undefined;
  // Most of a long log is neither wanted nor undoes anything, and is not parsed: that takes ten times as long.
  const name = nameInLine(plainNames(path).join('/'));
  const mayMatter = (line: Line): boolean => {
    if (!truncated) passed = line;
    const { bytes } = line;
    return bytes.at(-1) !== endOfRecord || bytes.includes('"undoes":') || (!truncated && bytes.includes(name));
  };
  const changes = after === undefined ? reader?.newestFirst(mayMatter) : reader?.after(gap ? '' : after, mayMatter);
  for (const change of changes ?? []) {
    yield;
    if (change.undoes !== undefined) later.push(change);
    // What comes after the page may have undone some of it.
    if (truncated) continue;
    const seen = choose(change);
    truncated = seen !== undefined && chosen.length === limit;
    if (truncated && after === undefined) break;
    if (truncated) continue;
    if (seen !== undefined) chosen.push(seen);
    // What comes from `before` on has yet to be told.
    if (after !== undefined && (before === undefined || change.id < before)) last = change.id;
  }
  const isPassed =
    after !== undefined &&
    before === undefined &&
    !truncated &&
    passed !== undefined &&
    parseLine(passed) !== undefined;
  if (isPassed) last = passed?.id ?? last;
  return { changes: told(chosen, later), last, truncated, ...(gap ? { gap } : {}) };
}

function newestIn(reader: HistoryReader | undefined): string {
  for (const { id } of reader?.newestFirst() ?? []) return id;
  return '';
}

/** @param later all that undo something and may be about these */
function told(changes: readonly RecordedChange[], later: readonly RecordedChange[]): Page['changes'] {
  const by = new Map<string, string>();
  for (const each of later.toSorted((a, b) => (a.id < b.id ? 1 : -1))) noteUndone(by, each);
  return changes.map(({ id, time, caller, operation, files, undoes }) => {
    const undone = by.get(id);
    return {
      id,
      time,
      ...(caller === undefined ? {} : { caller }),
      operation,
      files: files.map(toldFile),
      ...(undoes === undefined ? {} : { undoes: [...undoes] }),
      ...(undone === undefined ? {} : { undone_by: undone }),
    };
  });
}

function toldFile({
  path,
  kind,
  new_path,
  before,
  after,
  changed_outside,
}: FileEntry): Page['changes'][number]['files'][number] {
  return {
    path,
    kind,
    ...(new_path === undefined ? {} : { new_path }),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(changed_outside === undefined ? {} : { changed_outside }),
  };
}
