/**
 * Which files the `.gitignore` files of a tree exclude, by the rules of git (dir.c): the deepest file with a matching
 * rule decides, and in it the last matching line. Names are compared as bytes, one character each.
 */
import { lstat, read } from '../disk/calls.js';
import type { Directory } from '../disk/paths/anchor.js';
import { withListed } from '../disk/paths/open-listed.js';
import { errnoOf, isShortage } from '../disk/system-error.js';
import { parsePattern, PathPattern } from '../../src/core/globs/wildcards.js';

export const ignoreFile = '.gitignore';

/** Limit in bytes read of a file: nobody writes longer lists, and matching a name would take seconds. */
const mostBytes = 1_048_576;

interface Rule {
  readonly pattern: PathPattern;
  /** It re-includes names that earlier rules exclude. */
  readonly includes: boolean;
  readonly directoriesOnly: boolean;
}

/** The rules of one file. */
interface Level {
  /** How many directories down from the working directory it is. */
  readonly depth: number;
  /** Last line first, since the last match decides. */
  readonly rules: readonly Rule[];
}

/** The rules that apply in a directory. */
export class IgnoreRules {
  static readonly none = new IgnoreRules([]);

  /** @param levels from the deepest to the top */
  private constructor(private readonly levels: readonly Level[]) {}

  /**
   * These rules and those of a directory's own file.
   * @param depth how many directories down from the working directory it is
   * @throws the system error of a shortage
   */
  withFileIn({ anchor }: Directory, depth: number): IgnoreRules {
    const rules = rulesIn(readSome(anchor.path(ignoreFile)));
    return rules.length === 0 ? this : new IgnoreRules([{ depth, rules }, ...this.levels]);
  }

  /**
   * These rules without those that exclude this directory, which is searched anyway.
   * @param parent names of its parent, from the working directory
   */
  withoutThoseFor(parent: readonly string[], name: string): IgnoreRules {
    const rule = decisive(this.rulesFor(parent), name, true);
    if (rule === undefined || rule.includes) return this;
    const levels = this.levels.map(({ depth, rules }) => ({ depth, rules: rules.filter((each) => each !== rule) }));
    return new IgnoreRules(levels).withoutThoseFor(parent, name);
  }

  /**
   * The test for names in a directory.
   * @param directory its names from the working directory
   */
  excludedIn(directory: readonly string[]): (name: string, isDirectory: boolean) => boolean {
    const rules = this.rulesFor(directory);
    return (name, isDirectory) => decisive(rules, name, isDirectory)?.includes === false;
  }

  private rulesFor(directory: readonly string[]): readonly Rule[] {
    return this.levels.flatMap(({ depth, rules }) => {
      const below = directory.slice(depth);
      return rules.filter(({ pattern }) => pattern.holds(below));
    });
  }
}

function decisive(rules: readonly Rule[], name: string, isDirectory: boolean): Rule | undefined {
  return rules.find(({ directoriesOnly, pattern }) => (isDirectory || !directoriesOnly) && pattern.last.matches(name));
}

/** The start of a regular file, one character a byte; '' if it cannot be read. */
function readSome(path: string): string {
  try {
    // Opening a FIFO would release the program that waits at its other end.
    if (lstat(path)?.isFile() !== true) return '';
    return withListed(path, (stats, fd) => {
      const bytes = Buffer.allocUnsafe(Math.min(Number(stats.size), mostBytes));
      let length = 0;
      for (let got = -1; got !== 0 && length < bytes.length; length += got) {
        got = read(fd, bytes, length, bytes.length - length, length);
      }
      return bytes.toString('latin1', 0, length);
    });
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined || isShortage(errno)) throw error;
    return '';
  }
}

/** The rules of a file, the last one first. */
function rulesIn(text: string): Rule[] {
  const byteOrderMark = '\xef\xbb\xbf';
  const lines = (text.startsWith(byteOrderMark) ? text.slice(byteOrderMark.length) : text).split('\n');
  return lines.flatMap((line) => ruleOf(line.replace(/\r$/, '')) ?? []).reverse();
}

/** Undefined for a line that can match nothing. */
function ruleOf(line: string): Rule | undefined {
  if (line.startsWith('#')) return undefined;
  const kept = withoutTrailingSpaces(line);
  const includes = kept.startsWith('!');
  const text = includes ? kept.slice(1) : kept;
  const directoriesOnly = text.endsWith('/');
  const path = directoriesOnly ? text.slice(0, -1) : text;
  if (path === '') return undefined;
  const segments = parsePattern(path.replace(/^\//, ''), { backwards: true });
  if (typeof segments === 'string') return undefined;
  return { pattern: PathPattern.of(segments, !path.includes('/')), includes, directoriesOnly };
}

/** A space counts if there is a backslash before it. */
function withoutTrailingSpaces(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\') at++;
    else if (line[at] === ' ') continue;
    end = at + 1;
  }
  return line.slice(0, end);
}
