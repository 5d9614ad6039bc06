/**
 * Forgets the oldest changes, with what was kept for them, beyond the limits of days and size (spec 18): whole files of
 * the log, oldest first. It gives way to calls, and another server may do the same.
 */
import { setImmediate as giveWay } from 'node:timers/promises';
import type { Notice } from '../../src/core/errors.js';
import type { HistoryLimits } from '../../src/core/thread/task.js';
import { setCount } from '../../src/core/thread/timings.js';
import { lstat, readdir } from '../disk/calls.js';
import type { Anchor } from '../disk/paths/anchor.js';
import { discard } from './kept-files.js';
import { keptBytesOf, parseLine } from './recorded-change.js';
import { keptName, linesOf, segmentsIn, type Segment } from './segments.js';

export const dayMs = 86_400_000;

/** A kept file that is younger may still get its line. */
const unrecordedMs = 10_000;

/** Files removed before it gives way. */
const mostAtOnce = 50;

interface Contents {
  readonly bytes: number;
  /** Of its newest line, in milliseconds since 1970. */
  readonly newest: number;
  readonly kept: readonly { readonly name: string; readonly time: number }[];
}

export class Retention {
  /** Of the files of the log that are complete. */
  readonly #known = new Map<number, Contents>();

  constructor(
    private readonly directory: Anchor,
    private readonly limits: HistoryLimits,
  ) {}

  /** @throws the system error */
  async run(notices: Notice[]): Promise<void> {
    const segments = segmentsIn(this.directory);
    const newest = segments.at(-1);
    const all: (Contents & Segment)[] = [];
    for (const segment of segments) {
      all.push({ ...segment, ...this.#contentsOf(segment, segment === newest) });
      await giveWay();
    }
    const oldest = Date.now() - this.limits.days * dayMs;
    await this.#remove(
      all.flatMap(({ kept }) => kept.flatMap(({ name, time }) => (time < oldest ? name : []))),
      notices,
    );
    let bytes = all.reduce((sum, each) => sum + each.bytes, 0);
    for (const each of all.slice(0, -1)) {
      if (bytes <= this.limits.mostBytes && each.newest >= oldest) break;
      await this.#remove(
        each.kept.map(({ name }) => name),
        notices,
      );
      discard(this.directory.path(each.name), notices);
      this.#known.delete(each.start);
      bytes -= each.bytes;
    }
    setCount('history_bytes', bytes);
  }

  /** Remove the kept files that no line names: a process was killed between the two. @throws the system error */
  async sweep(notices: Notice[]): Promise<void> {
    const named = new Set(
      segmentsIn(this.directory).flatMap((each) => this.#contentsOf(each, true).kept.map(({ name }) => name)),
    );
    const unnamed = readdir(this.directory.path(keptName)).filter((name) => !named.has(name));
    const now = Date.now();
    await this.#remove(
      unnamed.filter((name) => {
        const stats = lstat(this.#pathOf(name));
        return stats !== undefined && now - Number(stats.ctimeNs / 1_000_000n) > unrecordedMs;
      }),
      notices,
    );
  }

  #contentsOf(segment: Segment, isGrowing: boolean): Contents {
    const known = this.#known.get(segment.start);
    if (known !== undefined) return known;
    let [bytes, newest] = [0, 0];
    const kept: { name: string; time: number }[] = [];
    for (const line of linesOf(this.directory, segment)) {
      bytes += line.bytes.length + 1;
      const change = parseLine(line);
      if (change === undefined) continue;
      const time = Date.parse(change.time);
      newest = Math.max(newest, time);
      bytes += keptBytesOf(change);
      kept.push(...change.files.flatMap(({ kept: name }) => (name === undefined ? [] : { name, time })));
    }
    const contents = { bytes, newest, kept };
    if (!isGrowing) this.#known.set(segment.start, contents);
    return contents;
  }

  async #remove(names: readonly string[], notices: Notice[]): Promise<void> {
    for (const [index, name] of names.entries()) {
      discard(this.#pathOf(name), notices);
      if (index % mostAtOnce === 0) await giveWay();
    }
  }

  #pathOf(name: string): string {
    return this.directory.path(`${keptName}/${name}`);
  }
}
