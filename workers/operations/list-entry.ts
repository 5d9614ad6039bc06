import { constants, type BigIntStats } from 'node:fs';
import type { FileIdentity } from '../../src/file-identity.js';
import { checkFilename } from '../../src/validation/filename.js';
import { isAllowed } from '../disk/listed-file.js';
import { fileSource } from '../disk/read.js';
import { lineCount } from '../text/lines/line-count.js';
import type { Workspace } from '../workspace.js';
import type { ListedFile } from './list-memory.js';

/** What all files of one listing have in common. */
export interface Listing {
  readonly workspace: Workspace;
  /** Milliseconds since 1970, taken before the first look at a file. */
  readonly began: number;
  /** The user whose rights count; undefined where there are no users. */
  readonly user: number | undefined;
}

/** A name in the working directory. */
export interface Name {
  /** Its bytes, each as one character. */
  readonly key: string;
  readonly text: string;
  /** Whether the directory calls it a regular file. */
  readonly regular: boolean;
}

/** How many lines, or why none can be read. Unusable: no call may name this file. */
export type Lines = number | 'unreadable' | 'unusable';
export const uncountable = -1;

export function linesOf(listing: Listing, name: Name, { size }: BigIntStats, fd: number): Lines {
  if (!isUsable(listing, name)) return 'unusable';
  const { maxBytes, maxLines } = listing.workspace.setup;
  if (size > maxBytes) return uncountable;
  // Files of /proc have no size either; what can be read of them changes without a trace in their identity.
  if (size === 0n) return 0;
  const lines = lineCount(fileSource(fd, Number(size), maxBytes)) ?? uncountable;
  return maxLines !== undefined && lines > maxLines ? uncountable : lines;
}

export function isUsable({ workspace }: Listing, { text }: Name): boolean {
  return checkFilename(text, workspace.setup.names) === null;
}

/**
 * The entry of a file in the list.
 * @param path of the file, anchored
 * @param identity of the file, if the entry holds as long as that
 */
export function entryOf(
  { workspace, user }: Listing,
  { key, text }: Name,
  path: string,
  stats: BigIntStats,
  lines: Lines,
  identity?: FileIdentity,
): ListedFile {
  const usable = lines !== 'unusable';
  // What the owner may write can be seen from the mode, where the file system can be written at all.
  const owned = Number(stats.uid) === user && (Number(stats.mode) & 0o200) !== 0;
  const asked = usable && !owned ? isAllowed(path, constants.W_OK) : undefined;
  const json = JSON.stringify({
    name: key,
    size: Number(stats.size),
    modified: isoTime(stats.mtimeNs),
    readable: typeof lines === 'number',
    writable: asked ?? (usable && workspace.root.writable),
    lines: typeof lines === 'number' ? lines : uncountable,
  });
  return { key, name: text, json, identity, askedWritable: asked };
}

/** Milliseconds that a Date can be away from 1970; the stamps of a file can be further. */
const furthest = 8.64e15;

/**
 * A time stamp as ISO 8601 in UTC, rounded to milliseconds as `Stats.mtime` is.
 * @param stampNs nanoseconds since 1970; what no Date can hold becomes the nearest that it can
 */
export function isoTime(stampNs: bigint): string {
  const ms = Number(stampNs / 1_000_000_000n) * 1000 + Number(stampNs % 1_000_000_000n) / 1e6;
  return new Date(Math.max(-furthest, Math.min(furthest, Math.round(ms)))).toISOString();
}
