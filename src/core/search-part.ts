/** The parts of a search: the request of the main thread, and the reply (src/pool/search.ts). */

/** Files from one path to before another, in the order of paths; without bounds, all. */
export interface Range {
  readonly from?: string | undefined;
  /** Exclusive. The path of a directory ends with a slash. */
  readonly to?: string | undefined;
}

/** The room in an answer. */
export interface Room {
  /** Matching lines; in mode files, files. */
  readonly matches: number;
  /** Code points of its text for a model. */
  readonly characters: number;
  /** Bytes of its JSON. */
  readonly bytes: number;
}

/** A search that is remembered: see SearchMemory. */
export interface RememberedText {
  /** Looked for literally, with case. */
  readonly text: string;
  readonly column: number;
}

export interface SearchPart {
  readonly range: Range;
  readonly room: Room;
  /** Whether one match may exceed the room: otherwise a search could make no progress. */
  readonly isFirst: boolean;
  /** When to stop at the latest and report how far it has come, in milliseconds. */
  readonly stopAfterMs: number;
  /** Replaces the parameter, once its literal reading has found nothing. */
  readonly glob?: string | undefined;
  /** Do not search, but explain why the glob has named no file, or the pattern has matched no line. */
  readonly explains?: 'glob' | 'pattern' | undefined;
  /** Absent if nothing is remembered. */
  readonly memory?: SharedArrayBuffer;
  /** The column of this search in the memory. */
  readonly column: number;
  readonly remembered: readonly RememberedText[];
}

/** The result of a part, except the files found: these travel as JSON, separated by commas. */
export interface SearchedPart {
  readonly totalMatches: number;
  readonly totalFiles: number;
  readonly searched: number;
  /** Number of files that match the glob. */
  readonly named: number;
  /** The first files that were skipped. */
  readonly leftOut: readonly LeftOut[];
  /** Whether a single file was searched. */
  readonly isFile: boolean;
  /** For a part that explains: what to send instead; undefined if nothing is known to help. */
  readonly note?: string | undefined;
  readonly skipped: Readonly<Record<Skipped, number>>;
  /** The room that it has used. */
  readonly used: Room;
  /** The place after the last match; undefined if there is none. */
  readonly cursor: string | undefined;
  /** Whether there is a match for which there was no room. */
  readonly truncated: boolean;
  /** The paths that it did not reach. */
  readonly rest?: Rest;
}

export type Skipped = 'binary' | 'too_large' | 'unreadable';

/** A file or directory that was not searched. */
export interface LeftOut {
  readonly path: string;
  readonly why: Skipped;
}

/** Limit on the paths of left-out files that an answer names. */
export const mostLeftOut = 3;

export interface Rest {
  readonly from: string;
  /** Whether it begins with a file that is too large for a thread with other work. */
  readonly needsThread?: true;
  /** The paths where it can be divided, in order. */
  readonly divisions: readonly string[];
}
