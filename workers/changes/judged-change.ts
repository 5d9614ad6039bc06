/** What is known of a change that can be made (spec 14), and what all ways of judging share. */
import type { Params, Results } from '../../src/core/operations.js';
import { entryAt } from '../disk/paths/find.js';
import { type Spot } from '../disk/paths/walk.js';
import type { Context } from '../handler.js';
import type { FileChange } from '../text/edit/diff-of-file.js';
import type { Judged as Changeable } from './judge-and-commit.js';
import type { Named } from './named-once.js';

type AnyGiven = Params['apply_changes']['changes'][number];
/** A change of one path. */
export type Given = AnyGiven & { readonly path: string };
/** The same edits for all files that match. */
export type GivenGlob = { readonly [Name in 'glob' | 'edits']: NonNullable<AnyGiven[Name]> };
export type Told = Results['apply_changes']['changes'][number];

/** A change that can be made, and what is told of it. */
export interface Judged extends Changeable {
  /** As the caller wrote it. */
  readonly path: string;
  /** Bytes of its texts, old and new. */
  readonly bytes: number;
  readonly diff: FileChange;
  /** Whether the `\n` of an edit were taken as the `\r\n` of the file. */
  readonly tookCrlf: boolean;
  /** What the answer says of it. @param isDone whether it is made, not just reported */
  told(isDone: boolean): Told;
}

/** The circumstances of a change. */
export interface Case {
  /** In the call, from 1. Undefined for an operation that makes no other change, and may change a directory too. */
  readonly number: number | undefined;
  readonly returnHash: boolean;
  readonly context: Context;
  /** Told every name that the change is about. @throws OperationError invalid_params if it may not be named */
  readonly claim: (named: Named) => void;
}

/** With a member that is there. */
export type With<Member extends keyof Given> = Given & { readonly [Name in Member]: NonNullable<Given[Name]> };

/** @param makes whether the change makes the directories that are missing */
export function named(spot: Spot, member: Named['member'], makes = false): Named {
  const { path, relative, parent, missing } = spot;
  const directories = missing.map((_, index) => parent.relativeOf(missing.slice(0, index + 1).join('/')));
  return { path, member, relative, there: entryAt(spot), directories: makes ? directories : [] };
}

/** Do something with what is open; if that fails, close it. */
export function orClose<Result>(opened: { close(): void } | Spot | 'root', work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (opened !== 'root') ('parent' in opened ? opened.parent : opened).close();
    throw error;
  }
}
