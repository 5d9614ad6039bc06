/** What is at the paths that an undo is about, and what it makes of them. */
import type { BigIntStats } from 'node:fs';
import { OperationError } from '../../../src/core/errors.js';
import { readdir, readlink } from '../../disk/calls.js';
import { assertWritable, tryOpen } from '../../disk/paths/open-file.js';
import { entryAt } from '../../disk/paths/find.js';
import { notAFile, rootRefused } from '../../disk/paths/path-errors.js';
import { assertMayChange } from '../../disk/paths/scope.js';
import { walk, type Spot } from '../../disk/paths/walk.js';
import { readVersion, type Version } from '../../disk/write/version.js';
import { openFileAt } from '../../commit/text-at-path.js';
import type { Root } from '../../disk/paths/root.js';
import type { Context } from '../../handler.js';
import type { HistoryReader } from '../../history/reader.js';
import { release } from '../../text/scattered-text.js';

/** Where something is on the disk. */
interface Origin {
  readonly spot: Spot;
  readonly seen: BigIntStats;
  /** Of a file. */
  readonly version?: Version;
}

export interface State {
  readonly kind: 'file' | 'link' | 'directory';
  /** Of a file; of a link, its target. */
  readonly bytes: Buffer;
  readonly mode: number;
  /** Undefined: it is to be put back. */
  readonly origin?: Origin;
  /** Whose mode, owner and attributes a file gets that is put back. */
  readonly like?: Version;
}

/**
 * By path; undefined where there is nothing. What is in a directory that is moved is found, and changed, where it is on
 * the disk.
 */
export class States {
  readonly found = new Map<string, (State & { readonly origin: Origin }) | undefined>();
  readonly now = new Map<string, State | undefined>();
  /** Directories that were made on the way to something, and are removed if nothing else is in them by then. */
  readonly made = new Set<string>();
  readonly #spots = new Map<string, Spot>();
  readonly #opened: { close(): void }[] = [];

  constructor(private readonly context: Context) {}

  /** @throws OperationError if it may not be changed, or cannot be read */
  at(path: string): State | undefined {
    const onDisk = this.#onDisk(path);
    if (!this.now.has(onDisk)) this.#learn(onDisk, true);
    return this.now.get(onDisk);
  }

  /** Whether all that is in a directory goes away, and nothing comes. @param path where it is on the disk */
  isEmptied(path: string): boolean {
    const { parent, name } = this.spotOf(path);
    const there = this.found.get(path) === undefined ? [] : readdir(parent.anchor.path(name));
    const depth = path.split('/').length;
    const below = [...this.now].filter(([each, state]) => state !== undefined && each.startsWith(`${path}/`));
    const needed = below.map(([each]) => each.split('/')[depth] ?? '');
    return [...there, ...needed].every((name) => {
      const each = `${path}/${name}`;
      return this.now.has(each) && this.now.get(each) === undefined;
    });
  }

  /** Remove a directory that was made on the way to something, if nothing is left in it. @returns whether it was */
  removeMade(path: string): boolean {
    const onDisk = this.#onDisk(path);
    // Whoever may make it on the way may also remove it.
    if (!this.now.has(onDisk)) this.#learn(onDisk, false);
    const there = this.now.get(onDisk);
    const from = there?.origin?.spot.path ?? onDisk;
    if (there?.kind !== 'directory' || !this.isEmptied(from)) return false;
    this.now.set(onDisk, undefined);
    this.made.add(from);
    return true;
  }

  set(path: string, state: State | undefined): void {
    this.at(path);
    this.now.set(this.#onDisk(path), state);
  }

  /** @param path that was looked at */
  spotOf(path: string): Spot {
    const spot = this.#spots.get(path);
    if (spot === undefined) throw new Error('a path of an undo was not looked at');
    return spot;
  }

  /**
   * A file that is put back as it was kept. It becomes a copy: the kept file itself stays.
   * @param bytes of the kept file
   * @returns undefined if that is gone
   */
  kept(reader: HistoryReader, name: string, bytes: Buffer): State | undefined {
    const place = { relative: name, path: reader.keptPath(name), directory: reader.keptPath('.'), parent: '' };
    const file = tryOpen(place, name);
    if (file === null || file === 'link') return undefined;
    this.#opened.push(file);
    const { stats } = file;
    return { kind: 'file', bytes, mode: Number(stats.mode), like: { file, bytes, stats, doubtful: false } };
  }

  close(): void {
    for (const each of this.#opened) each.close();
    for (const { parent } of this.#spots.values()) parent.close();
  }

  /** @throws OperationError undo_conflict, if its directory was moved away from there */
  #onDisk(path: string): string {
    const [first = '', ...names] = path.split('/');
    return names.reduce((above, name) => {
      const directory = this.now.get(above);
      if (directory === undefined && this.#isMoved(above)) throw inTheWay(path);
      return `${directory?.origin?.spot.path ?? above}/${name}`;
    }, first);
  }

  #isMoved(path: string): boolean {
    return this.now.has(path) && [...this.now.values()].some((each) => each?.origin?.spot.path === path);
  }

  #learn(path: string, mustBeAllowed: boolean): void {
    const found = this.#look(path, mustBeAllowed);
    this.found.set(path, found);
    this.now.set(path, found);
  }

  #look(path: string, mustBeAllowed: boolean): (State & { readonly origin: Origin }) | undefined {
    const { root, setup } = this.context.workspace;
    const spot = spotBelow(root, path);
    if (spot === 'root') throw rootRefused(path, 'replaced');
    this.#spots.set(path, spot);
    const seen = entryAt(spot);
    if (mustBeAllowed) assertMayChange(root, spot, seen?.isDirectory() === true);
    if (seen === undefined) return undefined;
    const there = { mode: Number(seen.mode), origin: { spot, seen } };
    if (seen.isSymbolicLink()) {
      return { ...there, kind: 'link', bytes: Buffer.from(readlink(spot.parent.anchor.path(spot.name))) };
    }
    if (seen.isDirectory()) return { ...there, kind: 'directory', bytes: Buffer.alloc(0) };
    if (!seen.isFile()) throw notAFile(path);
    const file = openFileAt(root, path);
    this.#opened.push(file);
    assertWritable(file.place, path);
    const version = readVersion(file, path, setup.maxBytes);
    const { bytes } = version;
    const close = (): void => {
      release(bytes);
    };
    this.#opened.push({ close });
    return { ...there, kind: 'file', bytes, origin: { spot, seen, version } };
  }
}

/** @throws OperationError undo_conflict, if something else is where its directory was */
function spotBelow(root: Root, path: string): Spot | 'root' {
  try {
    return walk(root, path);
  } catch (error) {
    if (error instanceof OperationError && error.failure.kind === 'not_a_directory') throw inTheWay(path);
    throw error;
  }
}

/** @param what is there that should not */
export function inTheWay(path: string, what = 'something else is at'): OperationError {
  return new OperationError('undo_conflict', `Cannot undo: ${what} '${path}' now`, {
    details: 'Nothing was changed. Undo these changes one at a time, the newest first, or look at what is there.',
    data: { path },
  });
}
