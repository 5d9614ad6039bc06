/** A judged change (spec 14), and the helpers that all judges share. */
import type { Params, Results } from '../../src/core/operations.js';
import { entryAt } from '../disk/paths/find.js';
import type { Root } from '../disk/paths/root.js';
import { assertUsable } from '../disk/paths/scope.js';
import type { Spot } from '../disk/paths/walk.js';
import type { Context } from '../handler.js';
import type { FileChange } from '../text/edit/diff-of-file.js';
import type { Judged as Changeable } from './judge-and-commit.js';
import type { Named } from './named-once.js';

type AnyGiven = Params['apply_changes']['changes'][number];
/** A change of one path. */
export type Given = AnyGiven & { readonly path: string };
/** The same edits in all matching files. */
export type GivenGlob = { readonly [Name in 'glob' | 'edits']: NonNullable<AnyGiven[Name]> };
export type Told = Results['apply_changes']['changes'][number];

/** What the answer says of a change. */
export interface Reported {
  /** As the caller wrote it. */
  readonly path: string;
  readonly isChanged: boolean;
  readonly diff: FileChange;
  /** Whether an edit's `\n` matched the file's `\r\n`. */
  readonly tookCrlf: boolean;
  /** Its entry in the answer. @param isDone false: only rehearsed */
  told(isDone: boolean): Told;
}

/** A change that can be made, with its report. */
export interface Judged extends Changeable, Omit<Reported, 'isChanged'> {
  /** Size of its old and new texts together. */
  readonly bytes: number;
}

/** The circumstances of a change. */
export interface Case {
  /** In the call, from 1. Undefined for an operation with a single change, which may also concern a directory. */
  readonly number: number | undefined;
  readonly returnHash: boolean;
  readonly context: Context;
  /** Called with every name that the change uses. @throws OperationError invalid_params on a conflict */
  readonly claim: (named: Named) => void;
}

/** A change that has this member. */
export type With<Member extends keyof Given> = Given & { readonly [Name in Member]: NonNullable<Given[Name]> };

/**
 * What `NamedOnce` must know of a name. It tells whether names are one by what is there, so it may only hear of those
 * whose absence the caller may learn.
 * @param makes whether the change creates missing directories
 * @throws OperationError not_allowed
 */
export function named(root: Root, spot: Spot, member: Named['member'], makes = false): Named {
  const { path, relative, parent, missing } = spot;
  assertUsable(root, path, relative, 'nothing');
  const directories = missing.map((_, index) => parent.relativeOf(missing.slice(0, index + 1).join('/')));
  return { path, member, relative, there: entryAt(spot), directories: makes ? directories : [] };
}

/** Do some work with an open resource, and close it if that fails. */
export function orClose<Result>(opened: { close(): void } | Spot | 'root', work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (opened !== 'root') ('parent' in opened ? opened.parent : opened).close();
    throw error;
  }
}
