/** The parts of a search: what the main thread asks of a thread, and what it learns (src/pool/search.ts). */

/** Files from one path to before another, in the order of paths; without bounds, all. */
export interface Range {
  readonly from?: string | undefined;
  /** That of a directory ends with a slash. */
  readonly to?: string | undefined;
}

/** What an answer can hold. */
export interface Room {
  /** Matching lines; in mode files, files. */
  readonly matches: number;
  /** Of its text for a model, in code points. */
  readonly characters: number;
  /** Of its JSON. */
  readonly bytes: number;
}

/** A search that is remembered: see SearchMemory. */
export interface RememberedText {
  /** Looked for as it stands, upper and lower case told apart. */
  readonly text: string;
  readonly column: number;
}

export interface SearchPart {
  readonly range: Range;
  readonly room: Room;
  /** Whether the answer may hold one match more than there is room for: otherwise a search would never get on. */
  readonly isFirst: boolean;
  /** When to stop at the latest and say how far it has come, in milliseconds. */
  readonly stopAfterMs: number;
  /** Takes the place of the parameter, if that has found nothing as it stands. */
  readonly glob?: string | undefined;
  /** Nothing is searched any more, but it is said why the glob has named no file, or the pattern matched no line. */
  readonly explains?: 'glob' | 'pattern' | undefined;
  /** Absent if nothing is remembered. */
  readonly memory?: SharedArrayBuffer;
  /** That of this search in the memory. */
  readonly column: number;
  readonly remembered: readonly RememberedText[];
}

/** What a part has found, besides the files themselves: these are JSON, separated by commas. */
export interface SearchedPart {
  readonly totalMatches: number;
  readonly totalFiles: number;
  readonly searched: number;
  /** Number of files that the glob names. */
  readonly named: number;
  /** The first that were skipped. */
  readonly leftOut: readonly LeftOut[];
  /** Whether what was searched is a single file. */
  readonly isFile: boolean;
  /** If it explains: what to send instead; undefined if nothing is known to help. */
  readonly note?: string | undefined;
  readonly skipped: Readonly<Record<Skipped, number>>;
  /** Of the room. */
  readonly used: Room;
  /** The place after the last match; undefined if there is none. */
  readonly cursor: string | undefined;
  /** Whether there is a match for which there was no room. */
  readonly truncated: boolean;
  /** What it did not reach. */
  readonly rest?: Rest;
}

export type Skipped = 'binary' | 'too_large' | 'unreadable';

/** Something that was not searched. */
export interface LeftOut {
  readonly path: string;
  readonly why: Skipped;
}

/** Most paths of what was left out that an answer names. */
export const mostLeftOut = 3;

export interface Rest {
  readonly from: string;
  /** Whether it begins with a file that is too large for a thread that has other things to do. */
  readonly needsThread?: true;
  /** Where it can be divided, in order. */
  readonly divisions: readonly string[];
}
