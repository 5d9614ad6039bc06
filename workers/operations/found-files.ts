/** The files on one page of a search by name, in either sort order. */
import type { Params } from '../../src/core/operations.js';
import { lstat } from '../disk/calls.js';
import { isShortage, isSystemError, isVanished } from '../disk/system-error.js';
import { byCodePoint, cursorOf, placeOf, searchOf, type Search } from '../search/cursor.js';
import type { WalkedFile } from '../search/walk.js';

export interface FoundFile {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** In nanoseconds since 1970. */
  readonly modifiedNs: bigint;
}

/** One page of results. */
export interface Page {
  readonly files: readonly FoundFile[];
  /** Number of matching files on all pages. */
  readonly total: number;
  /** Whether more files follow. */
  readonly hasMore: boolean;
}

/** Receives all matching files from a walk, in path order, and selects one page of them. */
export interface Pages {
  add(file: WalkedFile): void;
  page(): Page;
  /** The cursor that continues after a file. */
  cursorAfter(file: FoundFile): string;
}

/**
 * @param onUnreadable called for each file that cannot be stat'ed
 * @throws OperationError invalid_params for a wrong cursor
 */
export function pagesFor(params: Params['glob'], onUnreadable: (path: string) => void): Pages {
  const { sort = 'path' } = params;
  return new { path: PagesByPath, modified: PagesByTime }[sort](params, searchFor(params), onUnreadable);
}

/** The search for which its cursors are valid. */
export function searchFor({
  sort = 'path',
  path = '',
  pattern,
  hidden = false,
  ignored = false,
}: Params['glob']): Search {
  return searchOf(sort, path, [pattern, hidden, ignored]);
}

/** Stats only the files of its page. */
class PagesByPath implements Pages {
  private readonly files: FoundFile[] = [];
  private total = 0;
  private hasMore = false;
  /** The last file of the previous page; undefined once the walk is past it. */
  private after: string | undefined;

  private readonly limit: number;

  constructor(
    { limit = 1000, cursor }: Params['glob'],
    private readonly search: Search,
    private readonly onUnreadable: (path: string) => void,
  ) {
    this.limit = limit;
    [this.after] = cursor === undefined ? [] : placeOf(cursor, search, 1);
  }

  add(file: WalkedFile): void {
    this.total++;
    if (this.after !== undefined && byCodePoint(file.path, this.after) <= 0) return;
    this.after = undefined;
    if (this.files.length === this.limit) {
      this.hasMore = true;
      return;
    }
    const found = statOf(file, this.onUnreadable);
    if (found === undefined) this.total--;
    else this.files.push(found);
  }

  page(): Page {
    const { files, total, hasMore } = this;
    return { files, total, hasMore };
  }

  cursorAfter({ path }: FoundFile): string {
    return cursorOf(this.search, [path]);
  }
}

/** Newest first; equal times by path. */
class PagesByTime implements Pages {
  private readonly files: FoundFile[] = [];
  private readonly after: { readonly modifiedNs: bigint; readonly path: string } | undefined;

  private readonly limit: number;

  constructor(
    { limit = 1000, cursor }: Params['glob'],
    private readonly search: Search,
    private readonly onUnreadable: (path: string) => void,
  ) {
    this.limit = limit;
    if (cursor === undefined) return;
    const [time = '', path = ''] = placeOf(cursor, search, 2);
    this.after = { modifiedNs: /^-?\d{1,30}$/.test(time) ? BigInt(time) : 0n, path };
  }

  add(file: WalkedFile): void {
    const found = statOf(file, this.onUnreadable);
    if (found !== undefined) this.files.push(found);
  }

  page(): Page {
    const { files, after, limit } = this;
    const sorted = files.sort((a, b) => Number(b.modifiedNs - a.modifiedNs) || byCodePoint(a.path, b.path));
    const ahead = after === undefined ? sorted : sorted.filter((file) => isAfter(file, after));
    return { files: ahead.slice(0, limit), total: files.length, hasMore: ahead.length > limit };
  }

  cursorAfter({ modifiedNs, path }: FoundFile): string {
    return cursorOf(this.search, [String(modifiedNs), path]);
  }
}

function isAfter(file: Pick<FoundFile, 'modifiedNs' | 'path'>, place: Pick<FoundFile, 'modifiedNs' | 'path'>): boolean {
  if (file.modifiedNs !== place.modifiedNs) return file.modifiedNs < place.modifiedNs;
  return byCodePoint(file.path, place.path) > 0;
}

/** Undefined if it is no longer a regular file, or cannot be stat'ed. @throws the system error of a shortage */
function statOf({ directory, name, path }: WalkedFile, onUnreadable: (path: string) => void): FoundFile | undefined {
  try {
    const seen = lstat(directory.anchor.path(name));
    return seen?.isFile() === true ? { path, size: Number(seen.size), modifiedNs: seen.mtimeNs } : undefined;
  } catch (error) {
    if (!isSystemError(error) || isShortage(error.code)) throw error;
    if (!isVanished(error.code)) onUnreadable(path);
    return undefined;
  }
}
