/**
 * The record of changes of several files (spec 14), a file in the reserved directory. Once it has its name there, the
 * changes are decided: whoever finds it without its owner makes them (abandoned.ts). Until then, nothing outside the
 * reserved directory has changed.
 */
import type { BigIntStats } from 'node:fs';
import { isReservedName } from '../../../src/core/names/reserved-name.js';
import type { SetToRecord } from '../../history/change-set.js';
import { isTemporaryName } from '../../disk/lock/reserved.js';

/** Version of the record format. A record of another version is left to the server that wrote it. */
export const version = 1;

/** A new file. Paths are real ones below the working directory. */
export interface Creation {
  readonly kind: 'create';
  readonly path: string;
  /** Number of directories to be made above it. */
  readonly missing: number;
  readonly temporary: Temporary;
  readonly text: Content;
}

/** A new text for a file. */
export interface Replacement {
  readonly kind: 'replace';
  readonly path: string;
  readonly temporary: Temporary;
  readonly text: Content;
  readonly old: Content;
}

export interface Removal {
  readonly kind: 'remove';
  readonly path: string;
  readonly entry: Entry;
  /** The new file that an earlier step makes of it. Without that, it stays. */
  readonly movedTo?: string | undefined;
  /** A directory that was made on the way to something, and may stay. */
  readonly ifEmpty?: true | undefined;
}

export interface Move {
  readonly kind: 'move';
  readonly path: string;
  readonly to: string;
  /** Number of directories to be made above the new path. */
  readonly missing: number;
  readonly entry: Entry;
  /** Whether it is a directory. Steps name what is in it by its old path, whenever they are carried out. */
  readonly directory?: true;
}

/** A link, or a directory. */
export interface Making {
  readonly kind: 'make';
  readonly path: string;
  /** Number of directories to be made above it. */
  readonly missing: number;
  /** Of a link; undefined: it is a directory. */
  readonly target?: string | undefined;
  /** Permission bits of a directory. */
  readonly mode: number;
}

export type Step = Creation | Replacement | Removal | Move | Making;

/** The file in the reserved directory that holds a text. */
interface Temporary {
  readonly name: string;
  readonly ino: string;
}

/** Identifies a text, wherever it is. */
export interface Content {
  readonly size: number;
  readonly hash: string;
}

/** Identifies a file or link; without its device, whose number may differ after a restart. Numbers as in stats. */
interface Entry {
  readonly ino: string;
  readonly size: string;
  readonly mtimeNs: string;
}

export interface ChangeRecord {
  readonly version: typeof version;
  /**
   * Its own inode number. A record that came with a clone, an archive or a copy has another one, which its author
   * cannot foresee: such a record is never carried out.
   */
  readonly ino: string;
  readonly steps: readonly Step[];
  /** With --history: what its line will tell. */
  readonly history?: SetToRecord;
}

export function entryOf({ ino, size, mtimeNs }: BigIntStats): Entry {
  return { ino: String(ino), size: String(size), mtimeNs: String(mtimeNs) };
}

/** Whether it is the same file, whatever its content is now. */
export function isSameEntry({ ino }: Pick<Entry, 'ino'>, stats: BigIntStats | undefined): boolean {
  return stats !== undefined && String(stats.ino) === ino;
}

/** Whether it is the same file with the same content, or the same directory: what is in that is looked at elsewhere. */
export function isUnchanged(entry: Entry, stats: BigIntStats): boolean {
  const { size, mtimeNs } = entry;
  if (!isSameEntry(entry, stats)) return false;
  return stats.isDirectory() || (String(stats.size) === size && String(stats.mtimeNs) === mtimeNs);
}

/** In the order of the steps: what leaves a directory, or goes into it, comes before that itself. */
export function directoryMovesIn(steps: readonly Step[]): Move[] {
  return steps.filter((step) => step.kind === 'move').filter(({ directory }) => directory === true);
}

/** The directories to be made, each after its parent. */
export function directoriesIn({ steps }: Pick<ChangeRecord, 'steps'>): string[] {
  return [...new Set(steps.flatMap(missingAbove))];
}

/**
 * Limit on locked new directories, as each lock takes a descriptor: the last ones, since the others soon have contents.
 */
export const mostLocked = 16;

/** All paths that the changes concern: their locks are held while the changes are made. */
export function pathsIn({ steps }: Pick<ChangeRecord, 'steps'>): string[] {
  return steps.flatMap((step) => [
    step.path,
    ...(step.kind === 'move' ? [step.to] : []),
    ...missingAbove(step).slice(-mostLocked),
  ]);
}

function missingAbove(step: Step): string[] {
  if (step.kind === 'replace' || step.kind === 'remove') return [];
  const names = (step.kind === 'move' ? step.to : step.path).split('/');
  const parents = names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join('/'));
  return parents.slice(Math.max(0, parents.length - step.missing));
}

/**
 * The record in a file. `void`: not a record, so nothing is to be done: a power failure may leave an unsynced file
 * (`--durability=none`) empty, and a copy decides nothing. `foreign`: of another version of this program.
 */
export function parseRecord(bytes: Buffer, stats: BigIntStats): ChangeRecord | 'void' | 'foreign' {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    return 'void';
  }
  if (!hasMembers(value, { ino: (ino) => ino === String(stats.ino) })) return 'void';
  return isRecord(value) ? value : 'foreign';
}

function isRecord(value: unknown): value is ChangeRecord {
  return hasMembers(value, {
    version: (given) => given === version,
    ino: isText,
    steps: isListOf(isStep),
    history: (given) => given === undefined || hasMembers(given, { set: isSetName, files: isListOf(isObject) }),
  });
}

type Check = (value: unknown) => boolean;

function hasMembers(value: unknown, checks: Readonly<Record<string, Check>>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(checks).every(([name, check]) => check(Reflect.get(value, name)));
}

const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const isObject: Check = (value) => typeof value === 'object' && value !== null;
/** Begins the name of a file. */
const isSetName: Check = (value) => typeof value === 'string' && /^[0-9a-f]{24}$/.test(value);
const isText: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
/** A path that stays inside, whoever has written the record. */
const isRelative: Check = (value) =>
  typeof value === 'string' &&
  value.split('/').every((name) => !['', '.', '..'].includes(name) && !isReservedName(name));
const isTemporary: Check = (value) =>
  hasMembers(value, { name: (name) => typeof name === 'string' && isTemporaryName(name), ino: isText });
const isContent: Check = (value) => hasMembers(value, { size: isCount, hash: isText });
const isEntry: Check = (value) => hasMembers(value, { ino: isText, size: isText, mtimeNs: isText });

const members: Readonly<Record<Step['kind'], Readonly<Record<string, Check>>>> = {
  create: { path: isRelative, missing: isCount, temporary: isTemporary, text: isContent },
  replace: { path: isRelative, temporary: isTemporary, text: isContent, old: isContent },
  make: { path: isRelative, missing: isCount, target: (text) => text === undefined || isText(text), mode: isCount },
  remove: {
    path: isRelative,
    entry: isEntry,
    movedTo: (path) => path === undefined || isRelative(path),
    ifEmpty: (is) => is === undefined || is === true,
  },
  move: {
    path: isRelative,
    to: isRelative,
    missing: isCount,
    entry: isEntry,
    directory: (is) => is === undefined || is === true,
  },
};

function isStep(value: unknown): boolean {
  return Object.entries(members).some(([kind, checks]) =>
    hasMembers(value, { kind: (given) => given === kind, ...checks }),
  );
}
