/**
 * Walks the files below a directory, for searches (spec 13). Every directory is opened from its parent, and no link is
 * followed, so a link that is swapped in leads nowhere. Vanished entries are left out; unreadable directories are
 * reported.
 */
import type { Range, Rest } from '../../src/core/search-part.js';
import { Directory } from '../disk/paths/anchor.js';
import { enter } from '../disk/paths/descend.js';
import { openReal } from '../disk/paths/parent.js';
import type { Root } from '../disk/paths/root.js';
import { filesInScope, isInScope } from '../disk/paths/scope.js';
import { errnoOf, isShortage, isVanished } from '../disk/system-error.js';
import { entriesIn, type Bounds, type Entry, type Selection } from './entries.js';
import { IgnoreRules } from './ignore.js';

/** A regular file, as its directory was read. */
export interface WalkedFile {
  /** Below the working directory, with `/`. */
  readonly path: string;
  readonly name: string;
  /** The directory that holds it; open until the walk continues. */
  readonly directory: Directory;
  /** Whether `.gitignore` files exclude it. */
  readonly isIgnored: boolean;
}

/** A directory on the way down. */
interface Level {
  /** Undefined while it is closed. */
  directory: Directory | undefined;
  /** Its path below the working directory; '' is that directory. */
  readonly relative: string;
  /** Its names from the start. */
  readonly below: readonly string[];
  /** Its names from the working directory, one character per byte. */
  readonly bytes: readonly string[];
  readonly rules: IgnoreRules;
  readonly isExcluded: ReturnType<IgnoreRules['excludedIn']>;
  /** Whether it is itself excluded, and with it all its contents. */
  readonly isIgnored: boolean;
  /** Whether the glob matches a file of this name, and the caller may use it. */
  readonly isNamed: (name: string) => boolean;
  readonly entries: readonly Entry[];
  /** Index of the next entry. */
  next: number;
  readonly bounds: Bounds;
}

/** A tree may be deeper than a process has descriptors. */
const mostOpen = 64;

/** Enough for the largest number of threads that share the rest, a few for each. */
const mostDivisions = 192;

/** A walk through the files below a directory, by path in the order of code points. */
export class Walk {
  private readonly levels: Level[];

  /**
   * @param start closed by its owner; it is searched even if its own path is hidden or excluded
   * @param range of paths below the working directory
   * @param onUnreadable called for each directory that cannot be read
   * @throws the system error if `start` cannot be read, or of a shortage
   */
  constructor(
    private readonly root: Root,
    start: Directory,
    private readonly selection: Selection,
    range: Range = {},
    private readonly onUnreadable: (path: string) => void = () => undefined,
  ) {
    const bytes = start.relative === '' ? [] : start.relative.split('/').map(bytesOf);
    const rules = selection.ignored === true ? IgnoreRules.none : rulesAbove(root, start.relative);
    this.levels = [this.levelOf(start, [], bytes, { rules, isIgnored: false }, boundsBelow(range, start.relative))];
  }

  /**
   * @yields a file, or undefined after any other step, so that the caller can pause
   * @throws the system error of a shortage
   */
  *files(): Generator<WalkedFile | undefined, void> {
    const { root, levels } = this;
    try {
      for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
        const entry = level.entries[level.next];
        const directory = entry === undefined ? undefined : reopened(root, level);
        level.next += 1;
        if (entry === undefined || directory === undefined) {
          levels.pop();
          if (levels.length > 0) level.directory?.close();
          yield undefined;
          continue;
        }
        const isWanted = this.isWanted(level, entry);
        const isIgnored = isWanted && (level.isIgnored || level.isExcluded(entry.bytes, entry.isDirectory));
        if (!isWanted || (isIgnored && this.selection.ignored === false)) {
          yield undefined;
        } else if (entry.isDirectory) {
          const next = this.levelBelow(level, directory, entry, isIgnored);
          if (next !== undefined) levels.push(next);
          if (levels.length > mostOpen + 1) release(levels[levels.length - 1 - mostOpen]);
          yield undefined;
        } else {
          const { name } = entry;
          yield { path: directory.relativeOf(name), name, directory, isIgnored };
        }
      }
    } finally {
      for (const level of levels.slice(1)) release(level);
    }
  }

  /** The part of the tree not yet walked; undefined if none. It is divided in the topmost unfinished directory. */
  rest(): Rest | undefined {
    const busy = this.levels.filter(({ entries, next }) => next < entries.length);
    const [top] = busy;
    const [from] = pathsAhead(busy.at(-1), 1);
    return from === undefined ? undefined : { from, divisions: pathsAhead(top, mostDivisions) };
  }

  /** Whether the glob matches the entry, or may match something in it, and the caller may use that. */
  private isWanted({ below, relative, isNamed }: Level, { name, isDirectory }: Entry): boolean {
    if (!isDirectory) return isNamed(name);
    if (!this.selection.glob.reaches([...below, name])) return false;
    return this.root.scope === undefined || isInScope(this.root, `${prefixOf(relative)}${name}`, 'directory');
  }

  /** @throws the system error if it cannot be read */
  private levelOf(
    directory: Directory,
    below: readonly string[],
    bytes: readonly string[],
    { rules: above, isIgnored }: Pick<Level, 'rules' | 'isIgnored'>,
    bounds: Bounds,
  ): Level {
    const { entries, hasRules } = entriesIn(directory, this.selection, bounds);
    const rules = hasRules ? above.withFileIn(directory, bytes.length) : above;
    const { relative } = directory;
    const [isMeant, isAllowed] = [this.selection.glob.namesIn(below), filesInScope(this.root, relative)];
    const isNamed = (name: string): boolean => isMeant(name) && isAllowed(name);
    const isExcluded = rules.excludedIn(bytes);
    return { directory, relative, below, bytes, rules, isExcluded, isIgnored, isNamed, entries, next: 0, bounds };
  }

  /** @returns undefined if it is no longer a directory, or cannot be read @throws the system error of a shortage */
  private levelBelow(
    level: Level,
    from: Directory,
    { name, bytes, order }: Entry,
    isIgnored: boolean,
  ): Level | undefined {
    const tell = (): void => {
      const path = from.relativeOf(name);
      if (isInScope(this.root, path, 'nothing')) this.onUnreadable(path);
    };
    const directory = enter(this.root, from, name, tell);
    if (directory === null) return undefined;
    const { below, bytes: above, rules, bounds } = level;
    try {
      return this.levelOf(
        directory,
        [...below, name],
        [...above, bytes],
        { rules, isIgnored },
        boundsIn(bounds, order),
      );
    } catch (error) {
      directory.close();
      const errno = errnoOf(error);
      if (errno === undefined || isShortage(errno)) throw error;
      if (!isVanished(errno)) tell();
      return undefined;
    }
  }
}

/** What the paths of a directory's entries begin with. */
function prefixOf(relative: string): string {
  return relative === '' ? '' : `${relative}/`;
}

/** Paths of the remaining entries of a directory: the first one, and others at equal distances. */
function pathsAhead(level: Level | undefined, most: number): string[] {
  if (level === undefined) return [];
  const { entries, next, relative } = level;
  const prefix = prefixOf(relative);
  const step = Math.ceil((entries.length - next) / most);
  return entries
    .filter((_, index) => index >= next && (index - next) % step === 0)
    .map(({ name, isDirectory }) => `${prefix}${name}${isDirectory ? '/' : ''}`);
}

/** The part of a range that is below a directory. @param relative the directory's path below the working directory */
function boundsBelow({ from, to }: Range, relative: string): Bounds {
  const bounds = {
    from: from === undefined ? undefined : bytesOf(from),
    to: to === undefined ? undefined : bytesOf(to),
  };
  if (relative === '') return bounds;
  const all = `${bytesOf(relative)}/`;
  // The whole directory precedes the range.
  if (bounds.from !== undefined && bounds.from > all && !bounds.from.startsWith(all)) return { to: '' };
  return boundsIn(bounds, all);
}

/** The part of the bounds that is in the directory of an entry. */
function boundsIn({ from, to }: Bounds, order: string): Bounds {
  return { from: rest(from, order), to: rest(to, order) };
}

/** A bound that lies elsewhere excludes nothing here. */
function rest(bound: string | undefined, order: string): string | undefined {
  return bound?.startsWith(order) === true ? bound.slice(order.length) : undefined;
}

/**
 * The rules of the directories above one, except those that exclude it.
 * @throws the system error of a shortage
 */
function rulesAbove(root: Root, relative: string): IgnoreRules {
  let rules = IgnoreRules.none;
  if (relative === '') return rules;
  const above: string[] = [];
  let at = Directory.root(root);
  try {
    for (const name of relative.split('/')) {
      const bytes = bytesOf(name);
      rules = rules.withFileIn(at, above.length).withoutThoseFor(above, bytes);
      const next = enter(root, at, name);
      if (next === null) break;
      at.close();
      at = next;
      above.push(bytes);
    }
    return rules;
  } finally {
    at.close();
  }
}

/** @returns undefined if it has vanished while it was closed */
function reopened(root: Root, level: Level): Directory | undefined {
  if (level.directory === undefined) {
    const anchor = openReal(root, level.relative.split('/'));
    if (anchor !== null) level.directory = Directory.at(anchor, level.relative);
  }
  return level.directory;
}

function release(level: Level | undefined): void {
  if (level === undefined) return;
  level.directory?.close();
  level.directory = undefined;
}

function bytesOf(name: string): string {
  return Buffer.from(name).toString('latin1');
}
