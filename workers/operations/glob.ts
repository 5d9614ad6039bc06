import { OperationError } from '../../src/core/errors.js';
import { jsonOf } from '../../src/core/json/json-of.js';
import type { Params } from '../../src/core/operations.js';
import { mostMessageBytes } from '../../src/core/thread/task.js';
import { mostValues } from '../answers/hand-over.js';
import { Directory } from '../disk/paths/anchor.js';
import { find } from '../disk/paths/find.js';
import { pathDenied } from '../disk/paths/path-errors.js';
import type { Root } from '../disk/paths/root.js';
import { errnoOf, isDenied } from '../disk/system-error.js';
import type { Context, SuccessOf } from '../handler.js';
import { withSlashes } from '../../src/core/globs/glob.js';
import { globOf, type Asked } from '../search/glob-of.js';
import { NotSearched } from '../search/not-searched.js';
import { assertLeadsToFile } from '../search/visible.js';
import { Walk } from '../search/walk.js';
import { unlessCancelled } from '../progress.js';
import { inSlices } from '../turn.js';
import { pagesFor, type Pages } from './found-files.js';
import { isoTime } from './list-entry.js';

/** Find files by name in a directory tree (spec 13). Always pauses: short calls share its thread. */
export async function globFiles(params: Params['glob'], context: Context): Promise<SuccessOf<'glob'>> {
  const { pattern: text, path = '', hidden = false, ignored = false, cursor } = params;
  const { workspace, progress, model } = context;
  const asked = { parameter: 'pattern', text, path, hidden, ignored } as const;
  const inTurns = <Result>(steps: Generator<undefined, Result>): Result | Promise<Result> =>
    inSlices(unlessCancelled(steps, progress), true);
  const found = await inTurns(globSteps(params, asked, context));
  if (found.result.total !== 0) return found;
  const slashed = model === undefined ? undefined : withSlashes(text);
  if (slashed !== undefined) {
    const again = await inTurns(globSteps(params, { ...asked, text: slashed }, context));
    if (again.result.total !== 0) return again;
  }
  if (cursor !== undefined) return found;
  const { globNote } = await import('../search/nothing-found.js');
  const note = await inTurns(globNote(asked, workspace));
  return note === undefined ? found : { ...found, result: { ...found.result, note } };
}

/** Yields after each step of the walk. */
function* globSteps(
  params: Params['glob'],
  asked: Asked,
  { workspace, model }: Context,
): Generator<undefined, SuccessOf<'glob'>> {
  const { path, ignored } = asked;
  const glob = globOf(asked, workspace.setup);
  const notSearched = new NotSearched();
  const onUnreadable = (at: string): void => {
    notSearched.add(at, 'unreadable');
  };
  const pages = pagesFor(params, onUnreadable);
  const directory = directoryAt(workspace.root, path);
  try {
    yield* assertLeadsToFile(workspace.root, directory, path);
    for (const file of new Walk(workspace.root, directory, { glob, ignored }, {}, onUnreadable).files()) {
      if (file !== undefined) pages.add(file);
      yield;
    }
  } catch (error) {
    const errno = errnoOf(error);
    throw isDenied(errno) ? pathDenied(path, errno) : error;
  } finally {
    directory.close();
  }
  return yield* answer(pages, notSearched, model === undefined ? undefined : new Room(model.maxChars));
}

/** @throws OperationError as `find`, not_a_directory */
function directoryAt(root: Root, path: string): Directory {
  const found = find(root, path, 'directory');
  if (found instanceof Directory) return found;
  found.close();
  throw new OperationError('not_a_directory', `Not a directory: ${path}`, {
    details: 'Send the directory that holds this file as path, and its name as the pattern.',
    data: { path },
  });
}

/** @param room in a message; undefined: no limit */
function* answer(
  pages: Pages,
  { counts, first }: NotSearched,
  room: Room | undefined,
): Generator<undefined, SuccessOf<'glob'>> {
  const { files: found, total, hasMore } = pages.page();
  const files: { path: string; size: number; modified: string }[] = [];
  for (const { path, size, modifiedNs } of found) {
    if (room?.holds(path) === false) break;
    files.push({ path, size, modified: isoTime(modifiedNs) });
    yield;
  }
  const truncated = hasMore || files.length < found.length;
  const last = truncated ? found[files.length - 1] : undefined;
  return {
    ok: true,
    result: {
      // Long lists are sent as JSON, as in viewDirectory.
      files: files.length > mostValues ? Buffer.from(jsonOf(files)) : files,
      total,
      truncated,
      ...(counts.unreadable === 0 ? {} : { skipped: { unreadable: counts.unreadable } }),
      ...(last === undefined ? {} : { cursor: pages.cursorAfter(last) }),
    },
    forModel: { leftOut: first },
  };
}

/** Overhead of an answer to a model besides its paths: the count, and how to continue. */
const besidePaths = 200;
/** Overhead per file in the part for programs, besides its path, in bytes. */
const besidePath = 80;

/** Room for paths in a message to a model, which holds each one twice: as text, and for programs. */
class Room {
  private characters = besidePaths;
  private bytes = 2 * besidePaths;
  private isEmpty = true;

  /** @param maxChars limit of the text; 0: none */
  constructor(private readonly maxChars: number) {}

  /** Whether this path fits too. The first one always does, so that every page makes progress. */
  holds(path: string): boolean {
    const json = Buffer.byteLength(jsonOf(path));
    this.characters += path.length + 1 + escapesIn(path);
    this.bytes += 2 * json + besidePath;
    // If this path is the last one, a cursor follows: four characters for three bytes.
    const cursor = Math.ceil((json + besidePath) * 1.4);
    const isFull =
      (this.maxChars > 0 && this.characters + cursor > this.maxChars) || this.bytes + 2 * cursor > mostMessageBytes;
    const fits = this.isEmpty || !isFull;
    this.isEmpty = false;
    return fits;
  }
}

/** How many characters longer a path is with its control characters escaped. */
export function escapesIn(path: string): number {
  return 5 * (path.match(/[\p{Cc}\u2028\u2029]/gu)?.length ?? 0);
}
