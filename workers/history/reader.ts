/** Reads the history, which another process may be writing, without a lock and without making anything (spec 18). */
import type { Notice } from '../../src/core/errors.js';
import type { HistoryLimits } from '../../src/core/thread/task.js';
import { historyName, reservedName } from '../../src/core/names/reserved-name.js';
import { Anchor } from '../disk/paths/anchor.js';
import type { Root } from '../disk/paths/root.js';
import { isInScope } from '../disk/paths/scope.js';
import { errnoOf, isVanished } from '../disk/system-error.js';
import { positionOf } from './change-id.js';
import { parseLine, type FileEntry, type RecordedChange } from './recorded-change.js';
import { dayMs } from './retention.js';
import { keptName, linesBack, linesFrom, type Line } from './segments.js';

export class HistoryReader {
  #isDamaged = false;
  readonly #oldest: number;
  /** By id: to rebuild what one of a group left, all before it are looked up. */
  readonly #found = new Map<string, RecordedChange | undefined>();

  private constructor(
    readonly directory: Anchor,
    private readonly notices: Notice[],
    days: number,
  ) {
    this.#oldest = Date.now() - days * dayMs;
  }

  /**
   * @param limits what is older counts as forgotten, although it may still be there
   * @returns undefined if nothing was ever recorded
   * @throws the system error
   */
  static open(
    root: Pick<Root, 'anchor'>,
    notices: Notice[],
    { days }: Pick<HistoryLimits, 'days'> = { days: Infinity },
  ): HistoryReader | undefined {
    try {
      return new HistoryReader(openLog(root), notices, days);
    } catch (error) {
      if (isVanished(errnoOf(error))) return undefined;
      throw error;
    }
  }

  close(): void {
    this.directory.close();
  }

  /** The path of a kept file. */
  keptPath(name: string): string {
    return this.directory.path(`${keptName}/${name}`);
  }

  /** @param mayMatter other lines are passed over */
  newestFirst(mayMatter?: (line: Line) => boolean): Generator<RecordedChange> {
    return this.#changesIn(linesBack(this.directory), mayMatter);
  }

  /** Those after a change, oldest first; all after `''`. */
  *after(id: string, mayMatter?: (line: Line) => boolean): Generator<RecordedChange> {
    const lines = linesFrom(this.directory, positionOf(id) ?? 0);
    for (const change of this.#changesIn(lines, mayMatter)) if (change.id > id) yield change;
  }

  /** The change of an id; undefined if it never was, or is forgotten. */
  find(id: string): RecordedChange | undefined {
    if (!this.#found.has(id)) this.#found.set(id, this.#find(id));
    return this.#found.get(id);
  }

  #find(id: string): RecordedChange | undefined {
    const position = positionOf(id);
    const [line] = position === undefined ? [] : linesFrom(this.directory, position);
    const change = line?.id === id ? parseLine(line) : undefined;
    return change === undefined || this.#isForgotten(change) ? undefined : change;
  }

  *#changesIn(lines: Iterable<Line>, mayMatter: (line: Line) => boolean = () => true): Generator<RecordedChange> {
    for (const line of lines) {
      if (!mayMatter(line)) continue;
      const change = parseLine(line);
      if (change !== undefined) {
        if (!this.#isForgotten(change)) yield change;
      } else if (!this.#isDamaged && line.bytes.some((byte) => byte !== 0x20)) {
        this.#isDamaged = true;
        this.notices.push({
          message: 'The history has lines that cannot be read, as after a loss of power; they are passed over',
        });
      }
    }
  }

  #isForgotten({ time }: RecordedChange): boolean {
    return Date.parse(time) < this.#oldest;
  }
}

function openLog({ anchor }: Pick<Root, 'anchor'>): Anchor {
  const reserved = Anchor.open(anchor.path(reservedName));
  try {
    return reserved.leaveFor(historyName);
  } catch (error) {
    reserved.close();
    throw error;
  }
}

/**
 * Note what a change takes back, unless it was taken back itself.
 * @param by which change each one was taken back by: from the newest on, so that all later ones are noted
 */
export function noteUndone(by: Map<string, string>, { id, undoes = [] }: RecordedChange): void {
  if (!by.has(id)) for (const undone of undoes) by.set(undone, id);
}

export function namesIn({ path, new_path }: Pick<FileEntry, 'path' | 'new_path'>): string[] {
  return new_path === undefined ? [path] : [path, new_path];
}

/**
 * The change, without the files that callers of this view of the root may not see.
 * @returns undefined if none is left
 */
export function visibleIn(change: RecordedChange, { scope }: Pick<Root, 'scope'>): RecordedChange | undefined {
  if (scope === undefined) return change;
  const reading = { scope: scope.toRead };
  const files = change.files.filter((each) => namesIn(each).every((name) => isInScope(reading, name, 'nothing')));
  return files.length === 0 ? undefined : { ...change, files };
}
