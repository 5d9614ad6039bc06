/** The names in a directory that a search may look at. */
import type { Range } from '../../src/core/search-part.js';
import { isReservedName } from '../../src/core/names/reserved-name.js';
import { lstat } from '../disk/calls.js';
import type { Directory } from '../disk/paths/anchor.js';
import { decodedName, namesIn, type RawName } from '../disk/paths/names.js';
import { orUndefined } from '../disk/system-error.js';
import type { Glob } from '../../src/core/globs/glob.js';
import { ignoreFile } from './ignore.js';

/** The files that a search covers. */
export interface Selection {
  /** Paths of files below the directory that is searched. */
  readonly glob: Glob;
  /** Whether files excluded by `.gitignore` count; 'marked': they do, and are marked. */
  readonly ignored: boolean | 'marked';
}

/** The bounds of a range within one directory: paths below it, one character per byte. */
export type Bounds = Range;

export interface Entry {
  readonly name: string;
  /** Its bytes, one character each. */
  readonly bytes: string;
  readonly isDirectory: boolean;
  /** Its bytes, with a slash after a directory's: paths continue with it, and `a-b` sorts before `a/b`. */
  readonly order: string;
}

interface Entries {
  /** By path in the order of code points. */
  readonly entries: readonly Entry[];
  /** Whether there may be a file with rules. */
  readonly hasRules: boolean;
}

/**
 * The files and directories in a directory. They are not yet matched with the glob, which takes a while for each.
 * @param bounds entries outside are left out
 * @throws the system error if it cannot be read
 */
export function entriesIn({ anchor }: Directory, { glob, ignored }: Selection, bounds: Bounds): Entries {
  const hidden = glob.namesHidden;
  const named = namesIn(
    anchor.path('.'),
    ({ key }) => hidden || !key.startsWith('.') || key === ignoreFile,
    () => anchor.look(),
  );
  const entries: Entry[] = [];
  for (const raw of named) {
    const { key } = raw;
    if ((!hidden && key.startsWith('.')) || key === '.git') continue;
    const name = decodedName(key);
    const kind = name === undefined || isServers(name) ? undefined : kindOf(raw, anchor.path(name));
    if (name === undefined || kind === undefined) continue;
    const isDirectory = kind === 'directory';
    const order = isDirectory ? `${key}/` : key;
    if (isWithin(order, bounds)) entries.push({ name, bytes: key, isDirectory, order });
  }
  return {
    entries: entries.sort((a, b) => (a.order < b.order ? -1 : 1)),
    hasRules: ignored !== true && named.some(({ key }) => key === ignoreFile),
  };
}

/** Whether an entry, or anything below it, is within the bounds. */
function isWithin(order: string, { from, to }: Bounds): boolean {
  if (from !== undefined && order < from && !(order.endsWith('/') && from.startsWith(order))) return false;
  return to === undefined || order < to;
}

/** Most names are plain, and need no folding. */
function isServers(name: string): boolean {
  return /^\.|[^\0-\x7f]/.test(name) && isReservedName(name);
}

function kindOf({ regular, directory, untyped }: RawName, path: string): 'file' | 'directory' | undefined {
  if (regular) return 'file';
  if (directory) return 'directory';
  const seen = untyped === true ? orUndefined(() => lstat(path)) : undefined;
  if (seen?.isFile() === true) return 'file';
  return seen?.isDirectory() === true ? 'directory' : undefined;
}
