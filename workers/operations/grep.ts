import type { Params } from '../../src/core/operations.js';
import type { Rest, SearchPart } from '../../src/core/search-part.js';
import { Directory } from '../disk/paths/anchor.js';
import { find } from '../disk/paths/find.js';
import type { OpenFile } from '../disk/paths/open-file.js';
import { pathDenied } from '../disk/paths/path-errors.js';
import type { Root } from '../disk/paths/root.js';
import { errnoOf, isDenied } from '../disk/system-error.js';
import type { Context, SuccessOf } from '../handler.js';
import { byCodePoint } from '../search/cursor.js';
import type { Glob } from '../../src/core/globs/glob.js';
import { globOf, type Asked } from '../search/glob-of.js';
import { FileSearch } from '../search/search-file.js';
import { assertLeadsToFile } from '../search/visible.js';
import { Walk } from '../search/walk.js';
import { notUtf8 } from '../text/lines/scan.js';
import { unlessCancelled } from '../progress.js';
import { inSlices } from '../turn.js';
import { FoundLines } from './found-lines.js';

/**
 * Search one part of the files for a pattern (spec 13). Always pauses: short calls share its thread. The main thread
 * combines the parts (src/pool/search.ts).
 */
export function grep(params: Params['grep'], context: Context): SuccessOf<'grep'> | Promise<SuccessOf<'grep'>> {
  const { search } = context;
  if (search?.explains !== undefined) return explained(params, context, search);
  return inSlices(unlessCancelled(grepSteps(params, context), context.progress), true);
}

/** Explains why no part has found anything. Its code is rarely needed, so it is loaded here. */
async function explained(
  params: Params['grep'],
  { workspace, progress }: Context,
  search: SearchPart,
): Promise<SuccessOf<'grep'>> {
  const { globNote, patternNote } = await import('../search/nothing-found.js');
  const steps = unlessCancelled(globNote(askedOf(params), workspace), progress);
  const note = search.explains === 'pattern' ? patternNote(params.pattern) : await inSlices(steps, true);
  return new FoundLines(params, search).answer(undefined, { note });
}

function askedOf({ path = '', glob = '**', hidden = false, ignored = false }: Params['grep']): Asked {
  return { parameter: 'glob', text: glob, path, hidden, ignored };
}

/** Longest run of a part on a shared thread, in milliseconds: another thread may be free by then. */
const mostOnShared = 120;

/** The state of one part, shared by its files. */
interface Job {
  readonly params: Params['grep'];
  readonly glob: Glob;
  readonly part: SearchPart;
  readonly files: FileSearch;
  readonly found: FoundLines;
  /** Whether other work shares the thread. */
  readonly isShared: boolean;
}

function* grepSteps(params: Params['grep'], context: Context): Generator<undefined, SuccessOf<'grep'>> {
  const { search: part } = context;
  if (part === undefined) throw new Error('a search without a part to search');
  const { root, setup, keptBetweenSearches } = context.workspace;
  const asked = { ...askedOf(params), ...(part.glob === undefined ? {} : { text: part.glob }) };
  const { path } = asked;
  const glob = globOf(asked, setup);
  const found = new FoundLines(params, part);
  const { literal = false, ignore_case: ignoreCase = false } = params;
  const wanted = { pattern: params.pattern, literal, ignoreCase };
  const pattern = keptBetweenSearches.takePattern(wanted);
  const start = find(root, path, 'any');
  const isShared = setup.sharesThread === true;
  const files = new FileSearch(pattern, part, keptBetweenSearches.takeBuffer(), setup.maxBytes, isShared);
  const isFile = !(start instanceof Directory);
  // A file named by the path may be hidden.
  const job = { params, glob: isFile ? globOf({ ...asked, hidden: true }, setup) : glob, part, files, found, isShared };
  try {
    // The first part checks this for all of them.
    if (start instanceof Directory && part.range.from === undefined) {
      yield* assertLeadsToFile(root, start, path);
    }
    const rest = start instanceof Directory ? searchDirectory(root, start, job) : searchOne(start, job);
    return found.answer(yield* rest, { isFile });
  } finally {
    start.close();
    keptBetweenSearches.giveBuffer(files.buffer);
    keptBetweenSearches.givePattern(wanted, pattern);
  }
}

/** @returns the files that it did not reach in time */
function* searchDirectory(
  root: Root,
  start: Directory,
  { params, glob, part, files, found, isShared }: Job,
): Generator<undefined, Rest | undefined> {
  const { path = '', ignored = false, return_hash: returnHash = false } = params;
  const began = performance.now();
  let stopAt = began + Math.min(part.stopAfterMs, isShared ? mostOnShared : Infinity);
  let isThere = false;
  const { from = found.from, to } = part.range;
  try {
    const walk = new Walk(root, start, { glob, ignored }, { from, to }, (at) => {
      found.addUnread(at);
    });
    for (const file of walk.files()) {
      if (file !== undefined) {
        const { path: at, directory, name } = file;
        if (!isThere) {
          // Every part rereads large directories and ignore rules: that should take at most half of its time.
          const now = performance.now();
          stopAt = Math.max(stopAt, now + Math.min(now - began, part.stopAfterMs));
          isThere = true;
        }
        const searched = yield* files.inListed(directory.anchor.path(name), found.pageOf(at), returnHash);
        if (searched === 'too long here') {
          return { from: at, needsThread: true, divisions: walk.rest()?.divisions ?? [] };
        }
        found.add(at, searched);
        if (found.truncated) return undefined;
      }
      yield;
      if (performance.now() < stopAt) continue;
      const rest = walk.rest();
      // While a part is still descending to its start, it has made no progress.
      if (rest === undefined || from === undefined || byCodePoint(rest.from, from) > 0) return rest;
    }
    return undefined;
  } catch (error) {
    const errno = errnoOf(error);
    throw isDenied(errno) ? pathDenied(path, errno) : error;
  }
}

const searchesText =
  'A search looks only into UTF-8 text, and this file has another encoding, such as UTF-16, or is no text. Search other files, or view this one.';

/** Search the file that the path names. @throws OperationError too_large, not_utf8 */
function* searchOne(file: OpenFile, { params, glob, part, files, found }: Job): Generator<undefined, Rest | undefined> {
  const { relative } = file.place;
  const name = relative.slice(relative.lastIndexOf('/') + 1);
  const { from = found.from } = part.range;
  const isBefore = from !== undefined && byCodePoint(relative, from) < 0;
  if (isBefore || !glob.namesIn([])(name)) return undefined;
  const searched = yield* files.inOpen(file, found.pageOf(relative), params.return_hash === true);
  if (searched === 'too long here') return { from: relative, needsThread: true, divisions: [] };
  if (searched === 'binary') throw notUtf8(searchesText);
  found.add(relative, searched);
  return undefined;
}
