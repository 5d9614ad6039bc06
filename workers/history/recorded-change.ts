/** A line of the history's log: one change, as it is told, and what it takes to take it back (spec 18). */
import type { OperationName } from '../../src/core/operations.js';
import type { Content } from '../changes/record/record.js';
import type { Put } from './put.js';
import type { Line } from './segments.js';

/** What happened to one file, link or directory. */
export interface FileEntry {
  readonly path: string;
  readonly kind: 'edited' | 'replaced' | 'created' | 'deleted' | 'renamed';
  readonly new_path?: string;
  /** Absent for links and directories, and where there was nothing. */
  readonly before?: Content | undefined;
  readonly after?: Content | undefined;
  /** It was not what the change recorded before had left. */
  readonly changed_outside?: true;
  /** The name of the file that it replaced or removed, among the kept ones. */
  readonly kept?: string | undefined;
  readonly put?: Put | undefined;
  /** What was deleted or moved, if it is no file; of a link, its target. */
  readonly directory?: true;
  readonly link?: string;
  /** Permission bits of a directory. */
  readonly mode?: number;
  /** Inode number of what was moved: shows after a loss of power whether it was. */
  readonly ino?: string;
  /** Directories that were made for it. */
  readonly made?: number;
}

export interface RecordedChange {
  readonly id: string;
  /** UTC. */
  readonly time: string;
  readonly caller?: string | undefined;
  readonly operation: OperationName;
  readonly files: readonly FileEntry[];
  readonly undoes?: readonly string[] | undefined;
  /** It was committed together with this one, and replaced what that had left. */
  readonly on?: string | undefined;
  /** The change set that it is: a finisher looks for it before it writes the line. */
  readonly set?: string;
}

/** Everything but what the log itself adds. */
export type NewChange = Omit<RecordedChange, 'id' | 'time' | 'on'> & {
  /** It replaced what the one before has left. */
  readonly follows?: boolean;
};

/** Of the files kept for a change. */
export function keptBytesOf({ files }: Pick<RecordedChange, 'files'>): number {
  return files.reduce((sum, { kept, before }) => sum + (kept === undefined ? 0 : (before?.size ?? 0)), 0);
}

/** What a line has where it names a path, or something below it. */
export function nameInLine(path: string): Buffer {
  return Buffer.from(`path":${JSON.stringify(path).slice(0, -1)}`);
}

/** @returns undefined for a line that is none of ours, or is torn */
export function parseLine({ id, bytes }: Pick<Line, 'id' | 'bytes'>): RecordedChange | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isRecord(value) && value.id === id ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The log is ours alone: this only tells a line from garbage. */
function isRecord(value: unknown): value is RecordedChange {
  if (typeof value !== 'object' || value === null) return false;
  if (!('id' in value && 'time' in value && 'operation' in value && 'files' in value)) return false;
  return Array.isArray(value.files) && value.files.every((each: FileEntry | null) => typeof each?.path === 'string');
}
