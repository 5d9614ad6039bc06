/**
 * Walks the files below a directory, for searches (spec 13). Every directory is opened from the one above it, and no
 * link is followed, so one that is swapped in leads nowhere. What vanishes or cannot be read is left out.
 */
import { Directory } from '../disk/paths/anchor.js';
import { enter } from '../disk/paths/descend.js';
import { openReal } from '../disk/paths/parent.js';
import type { Root } from '../disk/paths/root.js';
import { errnoOf, isShortage } from '../disk/system-error.js';
import { entriesIn, type Entry, type Selection } from './entries.js';
import { IgnoreRules } from './ignore.js';

/** A regular file, as its directory was read. */
export interface WalkedFile {
  /** Below the working directory, with `/`. */
  readonly path: string;
  readonly name: string;
  /** Holds it; open until the walk goes on. */
  readonly directory: Directory;
}

/** A directory on the way down. */
interface Level {
  /** Undefined while it is closed. */
  directory: Directory | undefined;
  /** Its path below the working directory; '' is that directory. */
  readonly relative: string;
  /** Its names from the start. */
  readonly below: readonly string[];
  /** Its names from the working directory, one character a byte. */
  readonly bytes: readonly string[];
  readonly rules: IgnoreRules;
  readonly isExcluded: ReturnType<IgnoreRules['excludedIn']>;
  readonly ahead: IterableIterator<Entry>;
}

/** A tree may be deeper than a process has descriptors. */
const mostOpen = 64;

/**
 * The files below a directory, by path in the order of code points.
 * @param start closed by its owner; it is searched even if its own path is hidden or excluded
 * @yields a file, or undefined after any other step, so that the caller can pause
 * @throws the system error if `start` cannot be read, or of a shortage
 */
export function* walk(root: Root, start: Directory, selection: Selection): Generator<WalkedFile | undefined, void> {
  const bytes = start.relative === '' ? [] : start.relative.split('/').map(bytesOf);
  const rules = selection.ignored ? IgnoreRules.none : rulesAbove(root, start.relative);
  const levels = [levelOf(start, [], bytes, rules, selection)];
  try {
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const step = level.ahead.next();
      const directory = step.done === true ? undefined : reopened(root, level);
      if (step.done === true || directory === undefined) {
        levels.pop();
        if (levels.length > 0) level.directory?.close();
        yield undefined;
      } else if (level.isExcluded(step.value.bytes, step.value.isDirectory)) {
        yield undefined;
      } else if (step.value.isDirectory) {
        const next = levelBelow(root, level, directory, step.value, selection);
        if (next !== undefined) levels.push(next);
        if (levels.length > mostOpen + 1) release(levels[levels.length - 1 - mostOpen]);
        yield undefined;
      } else {
        const { name } = step.value;
        yield { path: directory.relativeOf(name), name, directory };
      }
    }
  } finally {
    for (const level of levels.slice(1)) release(level);
  }
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

/** @throws the system error if it cannot be read */
function levelOf(
  directory: Directory,
  below: readonly string[],
  bytes: readonly string[],
  above: IgnoreRules,
  selection: Selection,
): Level {
  const { entries, hasRules } = entriesIn(directory, below, selection);
  const rules = hasRules ? above.withFileIn(directory, bytes.length) : above;
  const { relative } = directory;
  return { directory, relative, below, bytes, rules, isExcluded: rules.excludedIn(bytes), ahead: entries.values() };
}

/** @returns undefined if it is no directory any more, or cannot be read @throws the system error of a shortage */
function levelBelow(
  root: Root,
  level: Level,
  from: Directory,
  { name, bytes }: Entry,
  selection: Selection,
): Level | undefined {
  const directory = enter(root, from, name);
  if (directory === null) return undefined;
  try {
    return levelOf(directory, [...level.below, name], [...level.bytes, bytes], level.rules, selection);
  } catch (error) {
    directory.close();
    const errno = errnoOf(error);
    if (errno === undefined || isShortage(errno)) throw error;
    return undefined;
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
