import { constants, type BigIntStats } from 'node:fs';
import type { FileIdentity } from '../../src/core/file-identity.js';
import { jsonOf } from '../../src/core/json/json-of.js';
import { checkFilename } from '../../src/core/names/filename.js';
import { isAllowed, type Replaceable } from '../disk/paths/open-listed.js';
import { fileSource } from '../disk/read.js';
import { lineCount } from '../text/lines/lines.js';
import type { Workspace } from '../workspace.js';
import type { ListedFile } from './list-memory.js';

/** Shared by all files of one listing. */
export interface Listing {
  readonly workspace: Workspace;
  /** Milliseconds since 1970, taken before the first stat. */
  readonly began: number;
  /** The user whose rights count; undefined where there are no users. */
  readonly user: number | undefined;
  readonly replaceable: Replaceable;
}

/** A name in the working directory. */
export interface Name {
  /** Its bytes, one character each. */
  readonly key: string;
  readonly text: string;
  /** Whether the directory records it as a regular file. */
  readonly regular: boolean;
}

/** The number of lines, or why they cannot be counted. Unusable: no call may name this file. */
export type Lines = number | 'unreadable' | 'unusable';
export const uncountable = -1;

/**
 * The line count of an open file, as listed: `uncountable` for a file that is too large or not text, `unusable` where
 * other operations refuse the name. @throws the system error
 */
export function linesOf(listing: Listing, name: Name, { size }: BigIntStats, fd: number): Lines {
  if (!isUsable(listing, name)) return 'unusable';
  const { maxBytes, maxLines } = listing.workspace.setup;
  if (size > maxBytes) return uncountable;
  // Files of /proc also claim to be empty, and change without a trace in their identity.
  if (size === 0n) return 0;
  const lines = lineCount(fileSource(fd, Number(size), maxBytes)) ?? uncountable;
  return maxLines !== undefined && lines > maxLines ? uncountable : lines;
}

/** Whether other operations accept the name. */
export function isUsable({ workspace }: Listing, { text }: Name): boolean {
  return checkFilename(text, workspace.setup.names) === null;
}

/**
 * The entry of a file in the list.
 * @param path of the file, anchored
 * @param identity of the file, if the entry stays true while that is unchanged
 */
export function entryOf(
  { workspace, user, replaceable }: Listing,
  { key, text }: Name,
  path: string,
  stats: BigIntStats,
  lines: Lines,
  identity?: FileIdentity,
): ListedFile {
  const usable = lines !== 'unusable';
  // The mode decides what the owner may write, if the file system is writable at all.
  const own = Number(stats.uid) === user;
  const owned = own && (Number(stats.mode) & 0o200) !== 0;
  const asked = usable && !owned ? isAllowed(path, constants.W_OK) : undefined;
  const json = bytesOfJson({
    name: text,
    size: Number(stats.size),
    modified: isoTime(stats.mtimeNs),
    readable: typeof lines === 'number',
    writable:
      (asked ?? (usable && workspace.root.writable)) && (replaceable === 'all' || (own && replaceable === 'own')),
    lines: typeof lines === 'number' ? lines : uncountable,
  });
  return { key, name: text, json, identity, askedWritable: asked };
}

/** The entry of a file known only by name. */
export function unseenEntry({ key, text }: Name): ListedFile {
  const nothing = { size: 0, modified: isoTime(0n), readable: false, writable: false, lines: uncountable };
  return {
    key,
    name: text,
    json: bytesOfJson({ name: text, ...nothing }),
    identity: undefined,
    askedWritable: undefined,
  };
}

/** JSON as its UTF-8 bytes, one character each. */
export function bytesOfJson(value: unknown): string {
  return Buffer.from(jsonOf(value)).toString('latin1');
}

/** Furthest a Date can be from 1970, in milliseconds; file timestamps can be further away. */
const furthest = 8.64e15;

/**
 * A timestamp as ISO 8601 in UTC, rounded to milliseconds as `Stats.mtime` is.
 * @param stampNs nanoseconds since 1970; clamped to the range of a Date
 */
export function isoTime(stampNs: bigint): string {
  const ms = Number(stampNs / 1_000_000_000n) * 1000 + Number(stampNs % 1_000_000_000n) / 1e6;
  return new Date(Math.max(-furthest, Math.min(furthest, Math.round(ms)))).toISOString();
}
