import { errorKinds, OperationError, type ErrorKindName, type Failure, type ForModel } from '../../src/core/errors.js';
import { notRead } from '../../src/core/failures.js';
import { jsonOf } from '../../src/core/json/json-of.js';
import { checkPath } from '../../src/core/names/path.js';
import { rows, type Params } from '../../src/core/operations.js';
import { faultOfRange } from '../../src/core/range.js';
import { mostMessageBytes } from '../../src/core/thread/task.js';
import { failedAlone, noRoomFor, type ViewedFile as Viewed } from '../../src/core/viewed-files.js';
import { Directory } from '../disk/paths/anchor.js';
import { find } from '../disk/paths/find.js';
import { isADirectory } from '../disk/paths/path-errors.js';
import { describe, isKeptClosed, isSystemError } from '../disk/system-error.js';
import type { Context, SuccessOf } from '../handler.js';
import { untilLetGo } from '../let-go.js';
import { nextTurn } from '../turn.js';
import { isBounded, viewFile, type ViewedFile } from './view-file.js';

type Wanted = NonNullable<Params['view']['files']>[number] & Pick<Params['view'], 'return_hash'>;

/** Limit of all files of a call together, as a multiple of the size limit of one file (spec 17). */
const mostLargest = 4;
/** Longest character in UTF-8. */
const mostBytes = 4;
/** Errors that concern the whole call, not one file. */
const ofCall: ReadonlySet<ErrorKindName> = new Set(['cancelled', 'no_directory', 'directory_denied']);

/** Read several files in order. An unreadable file does not fail the others (spec 17). */
export async function viewSeveral(
  files: NonNullable<Params['view']['files']>,
  { return_hash = false }: Params['view'],
  context: Context,
): Promise<SuccessOf<'view'>> {
  const pieces: Uint8Array[] = [];
  const told: ForModel[] = [];
  let room = roomFor(context);
  let isFull = false;
  for (const { path, ...bounds } of files) {
    const wanted = { path, ...bounds, return_hash };
    const found: ViewedFile | Viewed | undefined = isFull ? undefined : await viewAlone(wanted, room, context);
    isFull = found === undefined;
    pieces.push(Buffer.from(pieces.length === 0 ? '[' : ','), ...piecesOf(path, found ?? noRoomFor(path)));
    if (found === undefined) continue;
    told.push('forModel' in found ? (found.forModel ?? {}) : {});
    if ('bytes' in found) room -= found.bytes;
    // Other calls may be waiting for this thread.
    await nextTurn();
  }
  pieces.push(Buffer.from(']'));
  const result = { type: 'files', files: pieces, truncated: isFull } as const;
  return { ok: true, result, ...(context.model === undefined ? {} : { forModel: { files: told } }) };
}

/** In bytes of files. For a model, the front end truncates the last text. */
function roomFor({ model, workspace }: Context): number {
  if (model === undefined) return mostLargest * workspace.setup.maxBytes;
  return model.maxChars === 0 ? mostMessageBytes : mostBytes * model.maxChars;
}

/** @returns undefined if it does not fit */
async function viewAlone(wanted: Wanted, room: number, context: Context): Promise<ViewedFile | Viewed | undefined> {
  const { path } = wanted;
  if (context.progress.cancelled) throw new OperationError('cancelled', 'Cancelled before all files were read');
  const outcome = refusalOf(wanted, context) ?? (await viewOrFailure(wanted, room, context));
  if (outcome === undefined || !('kind' in outcome)) return outcome;
  const { kind, message, data } = outcome;
  const { code, callersOwn } = errorKinds[kind];
  if (code === undefined && callersOwn !== true) {
    context.notices.push({ message, ...(data?.errno === undefined ? {} : { errno: data.errno }) });
  }
  return failedAlone(path, outcome);
}

/** The error in the path or range itself, before the disk is consulted; null if none. */
function refusalOf(wanted: Wanted, { workspace }: Context): Failure | null {
  const { directory, givenDirectory = directory } = workspace.setup;
  return (
    checkPath('path', wanted.path, { directories: [directory, givenDirectory] }) ?? faultOfRange(rows.view, wanted)
  );
}

async function viewOrFailure(
  wanted: Wanted,
  room: number,
  context: Context,
): Promise<ViewedFile | Failure | undefined> {
  try {
    return await untilLetGo(() => viewIfRoom(wanted, room, context), isKeptClosed);
  } catch (error) {
    if (isSystemError(error)) {
      return notRead(wanted.path, describe(error), { data: { errno: error.code }, cause: error.message });
    }
    if (error instanceof OperationError && !ofCall.has(error.kind)) return error.failure;
    throw error;
  }
}

function viewIfRoom(wanted: Wanted, room: number, context: Context): ViewedFile | undefined {
  const { path } = wanted;
  const isCutByFront = context.model !== undefined;
  if (isCutByFront && room <= 0) return undefined;
  const found = find(context.workspace.root, path, 'file');
  if (found instanceof Directory) {
    found.close();
    throw isADirectory(path);
  }
  try {
    const { size } = found.stats;
    if (!isCutByFront && !isBounded(wanted) && size > room && size <= context.workspace.setup.maxBytes)
      return undefined;
    const viewed = viewFile(found, wanted, context, false);
    return isCutByFront || viewed.bytes <= room ? viewed : undefined;
  } finally {
    found.close();
  }
}

/** The view as JSON, with its path. */
function piecesOf(path: string, viewed: ViewedFile | Viewed): readonly Uint8Array[] {
  if (!('json' in viewed)) return [Buffer.from(jsonOf(viewed))];
  return [viewed.json.subarray(0, -1), Buffer.from(`,${jsonOf({ path }).slice(1)}`)];
}
