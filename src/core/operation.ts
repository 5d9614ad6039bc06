/** A row of the operation table (operations.ts). */
import type { ErrorKindName } from './error-kinds.js';
import type { LargeTextName, LineDescription, OperationName } from './schemas.js';
import type { Shapes } from './schemas/members.js';
import type { Schema } from './schemas/schema.js';

export type Toolset = 'files' | 'storage' | 'edits' | 'search' | 'changes' | 'history';

export interface Operation {
  readonly name: OperationName;
  readonly title: string;
  readonly description: string;
  readonly toolset: Toolset;
  /** If false, it takes no lock, never changes the directory, and is offered with --read-only too. */
  readonly writes: boolean;
  /** Clients should warn the user: what it replaces or removes cannot be recovered (spec 10). */
  readonly destroys?: true;
  /**
   * The parameter that is a flat file name (spec 3): checked first, confined in the worker, and the key that orders
   * calls.
   */
  readonly filename?: string;
  /**
   * The parameters that are paths below the working directory (spec 11); checked, confined and ordered likewise. If it
   * has `changes`, the members of each.
   */
  readonly paths?: readonly string[];
  /** The parameters that are file texts, also inside list items: a large one arrives as a LargeText. */
  readonly largeTexts?: readonly LargeTextName[];
  /**
   * The parameter that is a list of line edits, whose kind decides which members they need
   * (validation/line-edits.ts).
   */
  readonly lineEdits?: string;
  /** The parameter that is a list of edits by text; each gives a text or a place (validation/text-edits.ts). */
  readonly textEdits?: string;
  /** The parameter that is a list of changes, each of one file (spec 14; validation/changes.ts). */
  readonly changes?: 'changes';
  /** The parameter that may stand in place of the paths: a list of files, each of which is answered alone (spec 17). */
  readonly several?: 'files';
  /** Two parameters of which exactly one is given. */
  readonly eitherOf?: readonly [string, string];
  /**
   * The parameters that are line numbers, as JSON pointers with * for every item: a front may count lines from another
   * base (line-numbers.ts).
   */
  readonly lineNumbers?: Readonly<Record<string, LineDescription>>;
  /**
   * Whether writes waiting for the same file may be committed together (spec 6); see workers/handlers.ts. If it has
   * `changes`, only calls that do nothing but edit that file.
   */
  readonly groups?: boolean;
  /** Runs in parts, which several threads may work on at the same time (src/pool/search.ts). */
  readonly inParts?: boolean;
  /** May take long, and lets other calls of the main thread go on every few milliseconds (workers/turn.ts). */
  readonly pauses?: boolean;
  /** The parameter that is the number of seconds to wait for something to tell; then it also has `after` (spec 18). */
  readonly waits?: 'wait';
  /** Honours If-None-Match: its REST answers about a file always carry an ETag. */
  readonly conditional?: boolean;
  /** An empty REST body counts as `{}`. */
  readonly emptyBody?: boolean;
  /** Kinds of failure beyond those that occur in all operations, or in those on files. */
  readonly ownFailures?: readonly ErrorKindName[];
  readonly params: Schema;
  readonly result: Schema;
  /** Result variants for generated clients; MCP clients accept only plain schemas. */
  readonly shapes?: Shapes;
}

/** The row of one operation. */
export type OperationOf<Name extends OperationName> = Operation & { readonly name: Name };
