/**
 * Judges a change of one file as its own operation would (spec 11 and 14): by the same checks, with the same errors.
 * Nothing is written.
 */
import type { BigIntStats } from 'node:fs';
import { OperationError } from '../../src/core/errors.js';
import { checkPath } from '../../src/core/names/path.js';
import type { Params, Results } from '../../src/core/operations.js';
import { FileText } from '../commit/file-text.js';
import { readOriginal } from '../commit/group-commit.js';
import { lockedBy } from '../commit/locked-path.js';
import { readlink } from '../disk/calls.js';
import { entryAt } from '../disk/paths/find.js';
import { assertWritable, type OpenFile } from '../disk/paths/open-file.js';
import { foundDirectory, pathExists, rootRefused } from '../disk/paths/path-errors.js';
import type { Root } from '../disk/paths/root.js';
import { walk, type Spot } from '../disk/paths/walk.js';
import { isSystemError } from '../disk/system-error.js';
import { readVersion, type Version } from '../disk/write/version.js';
import type { Context } from '../handler.js';
import { limitsOf } from './apply-edits.js';
import { Content, refuseExisting } from './create.js';
import { asExpected, expectedVersion, lookAt } from './delete.js';
import { assertExpected, expectingAt, isExpecting, isGone } from './has-changed.js';
import { assertMovable } from './rename.js';
import { assertResult } from './result-limits.js';
import { openFileAt } from './text-at-path.js';
import { errorOf, replaceContent } from './write.js';
import type { FileChange } from '../text/edit/diff-of-file.js';
import { noticeOfMix } from '../text/edit/mixed-endings.js';
import { applyReplacements } from '../text/edit/replacements.js';
import { countLines } from '../text/lines/lines.js';
import { release } from '../text/scattered-text.js';
import { hashOf } from '../text/text-file.js';
import type { Change } from '../commit/change.js';
import type { Named } from './named-once.js';

export type Given = Params['apply_changes']['changes'][number];
type Told = Results['apply_changes']['changes'][number];

/** A change that can be made. */
export interface Judged {
  /** As the caller wrote it. */
  readonly path: string;
  /** The paths whose locks it needs. */
  readonly locked: readonly string[];
  /** The anchored directories that hold its names, as far as they are there. */
  readonly directories: readonly string[];
  /** Bytes of its texts, old and new. */
  readonly bytes: number;
  /** Undefined if it has no effect. */
  readonly change: Change | undefined;
  readonly diff: FileChange;
  /** Whether the `\n` of an edit were taken as the `\r\n` of the file. */
  readonly tookCrlf: boolean;
  /** What the answer says of it. @param isDone whether it is made, not just reported */
  told(isDone: boolean): Told;
  /** Close what it holds open, and free its texts. */
  close(): void;
}

/** The circumstances of a change. */
interface Case {
  /** In the call, from 1. */
  readonly number: number;
  readonly returnHash: boolean;
  readonly context: Context;
  /** Told every name that the change is about. @throws OperationError invalid_params if it may not be named */
  readonly claim: (named: Named) => void;
}

/**
 * @param given has exactly one of its kinds
 * @throws OperationError as the operation that makes such a change alone
 */
export function judgeChange(given: Given, which: Case): Judged {
  const { root } = which.context.workspace;
  for (const member of ['path', 'rename_to'] as const) {
    const path = given[member];
    const refused = path === undefined ? null : checkPath(member, path, { directories: [root.directory] });
    if (refused !== null) throw errorOf(refused);
  }
  if (given.edits !== undefined) return judgeEdits({ ...given, edits: given.edits }, which);
  if (given.content !== undefined) return judgeContent({ ...given, content: given.content }, which);
  if (given.rename_to !== undefined) return judgeMove({ ...given, rename_to: given.rename_to }, which);
  if (given.delete === true) return judgeRemoval(given, which);
  throw new Error('a change says nothing');
}

/** Looks at a path whose file comes and goes. */
const mostLooks = 3;

type With<Member extends keyof Given> = Given & { readonly [Name in Member]: NonNullable<Given[Name]> };

function judgeEdits(given: With<'edits'>, which: Case): Judged {
  const { number, returnHash, context } = which;
  const { path, edits } = given;
  const about = expectingAt(given);
  const file = openExpected(path, about, which);
  return orClose(file, () => {
    assertWritable(file.place, path);
    const original = readOriginal(file, {}, path, context);
    const old = new FileText(original.bytes);
    assertExpected(about, undefined, () => old.hash);
    const made = applyReplacements(original.bytes, edits, false, limitsOf(context));
    const { text, edited } = made;
    assertResult(text, original.bytes, () => countLines(text), context.workspace.setup);
    const isChanged = text !== original.bytes;
    const next = isChanged ? new FileText(text) : old;
    const { relative } = file.place;
    const directories = [file.place.directory];
    return {
      path,
      locked: [relative],
      directories,
      bytes: original.bytes.length + (isChanged ? text.length : 0),
      change: isChanged ? { number, name: path, directories, kind: 'replace', original, text } : undefined,
      diff: { oldPath: relative, newPath: relative, mode: Number(file.stats.mode), old: original.bytes, new: edited },
      tookCrlf: made.tookCrlf,
      told(isDone) {
        const notice = made.mayMix && isChanged ? noticeOfMix(original.bytes, text, isDone) : undefined;
        return {
          path,
          kind: 'edited',
          edits_applied: made.editsApplied,
          total_replacements: made.totalReplacements,
          ...(notice === undefined ? {} : { notice }),
          ...(returnHash ? { hash: next.hash } : {}),
        };
      },
      close() {
        if (edited !== undefined && edited !== text) edited.release();
        if (isChanged) next.release();
        old.release();
        file.closeLater();
      },
    };
  });
}

function judgeContent(given: With<'content'>, which: Case): Judged {
  // Between the two looks another program may create the file.
  for (let attempts = 1; ; attempts++) {
    try {
      return judgeNewContent(given, which);
    } catch (error) {
      if (!(error instanceof OperationError && error.kind === 'not_found')) throw error;
    }
    try {
      return judgeCreation(given, which);
    } catch (error) {
      const appeared = error instanceof OperationError && error.kind === 'file_exists';
      if (!appeared || attempts === mostLooks) throw error;
    }
  }
}

/** @throws OperationError not_found if no file is there, and none is expected */
function judgeNewContent(given: With<'content'>, which: Case): Judged {
  const { path } = given;
  const { number, returnHash, context } = which;
  const content = new Content(given, context);
  const file = openExpected(path, expectingAt(given), which);
  return orClose(file, () => {
    assertWritable(file.place, path);
    const original = readOriginal(file, { anyBytes: true }, path, context);
    const old = new FileText(original.bytes);
    const next = replaceContent({ params: given, context }, old, content).text;
    const isChanged = next !== old;
    const { relative } = file.place;
    const directories = [file.place.directory];
    return {
      path,
      locked: [relative],
      directories,
      bytes: original.bytes.length + content.bytes.length,
      change: isChanged
        ? { number, name: path, directories, kind: 'replace', original, text: content.bytes }
        : undefined,
      diff: {
        oldPath: relative,
        newPath: relative,
        mode: Number(file.stats.mode),
        old: original.bytes,
        new: content.bytes,
      },
      tookCrlf: false,
      told: () => ({ path, kind: 'replaced', ...(returnHash ? { hash: next.hash } : {}) }),
      close() {
        content.release();
        old.release();
        file.closeLater();
      },
    };
  });
}

function judgeCreation(given: With<'content'>, { number, returnHash, context, claim }: Case): Judged {
  const { path } = given;
  const { root, setup } = context.workspace;
  const content = new Content(given, context);
  const spot = walk(root, path);
  return orClose(spot, () => {
    if (spot !== 'root' && spot.missing.length > 0) claim(named(spot, 'path', true));
    refuseExisting(path, spot);
    if (spot === 'root') throw rootRefused(path, 'replaced');
    const text = content.bytes;
    const mode = 0o100666 & ~setup.umask;
    const directories = [spot.parent.anchor.base];
    return {
      path,
      locked: lockedBy(spot),
      directories,
      bytes: text.length,
      change: { number, name: path, directories, kind: 'create', spot, text },
      diff: { oldPath: undefined, newPath: spot.relative, mode, new: text },
      tookCrlf: false,
      told: () => ({ path, kind: 'created', ...(returnHash ? { hash: hashOf(text) } : {}) }),
      close() {
        content.release();
        spot.parent.close();
      },
    };
  });
}

function judgeRemoval(given: Given, { number, context, claim }: Case): Judged {
  const { path } = given;
  const { root } = context.workspace;
  const spot = walk(root, path);
  return orClose(spot, () => {
    if (spot !== 'root') claim(named(spot, 'path'));
    let seen: BigIntStats;
    try {
      seen = lookAt(given, context, spot);
      if (spot === 'root' || seen.isDirectory()) throw foundDirectory(path);
    } catch (error) {
      throw asExpected(given, context, error);
    }
    const directories = [spot.parent.anchor.base];
    const version = expectedVersion(given, context, seen) ?? smallFile(root, path, seen);
    const old = seen.isSymbolicLink() ? Buffer.from(readlink(spot.parent.anchor.path(spot.name))) : version?.bytes;
    return {
      path,
      locked: lockedBy(spot),
      directories,
      bytes: version?.bytes.length ?? 0,
      change: { number, name: path, directories, kind: 'remove', spot, seen, version },
      diff: { oldPath: spot.relative, newPath: undefined, mode: Number(seen.mode), old },
      tookCrlf: false,
      told: () => ({ path, kind: 'deleted' }),
      close() {
        if (version !== undefined) {
          release(version.bytes);
          version.file.closeLater();
        }
        spot.parent.close();
      },
    };
  });
}

/** Larger ones are deleted unread, and not shown. */
const mostShown = 1_048_576;

/** A file that is read for the diff. Undefined also if this process may not read it: it may be deleted in any case. */
function smallFile(root: Root, path: string, seen: BigIntStats): Version | undefined {
  if (!seen.isFile() || seen.size > BigInt(mostShown)) return undefined;
  try {
    const file = openFileAt(root, path);
    return orClose(file, () => readVersion(file, path, mostShown));
  } catch (error) {
    if (error instanceof OperationError || isSystemError(error)) return undefined;
    throw error;
  }
}

function judgeMove(given: With<'rename_to'>, { number, returnHash, context, claim }: Case): Judged {
  const { path, rename_to } = given;
  const { root, setup } = context.workspace;
  const from = walk(root, path);
  return orClose(from, () => {
    if (from === 'root') throw rootRefused(path, 'moved');
    claim(named(from, 'path'));
    const to = walk(root, rename_to);
    return orClose(to, () => {
      if (to === 'root') throw rootRefused(rename_to, 'replaced');
      // What is moved onto itself is told so.
      if (to.relative !== from.relative) claim(named(to, 'rename_to', true));
      const there = entryAt(from);
      if (there?.isDirectory() === true) throw foundDirectory(path);
      if (there !== undefined && to.relative === from.relative) throw pathExists(rename_to, 'itself', 'rename_to');
      const seen = assertMovable(root, from, to, 'rename_to');
      const directories = [from.parent.anchor.base, to.parent.anchor.base];
      const hash = returnHash ? hashOfFile(root, path, seen, setup.maxBytes) : undefined;
      return {
        path,
        locked: [from.relative, ...lockedBy(to)],
        directories,
        bytes: 0,
        change: { number, name: path, directories, kind: 'move', from, to, seen },
        diff: { oldPath: from.relative, newPath: to.relative, mode: Number(seen.mode) },
        tookCrlf: false,
        told: () => ({ path, kind: 'renamed', new_path: rename_to, ...(hash === undefined ? {} : { hash }) }),
        close() {
          from.parent.close();
          to.parent.close();
        },
      };
    });
  });
}

/** Undefined for a link, and for a file that is too large to be read. */
function hashOfFile(root: Root, path: string, seen: BigIntStats, maxBytes: number): string | undefined {
  if (!seen.isFile() || seen.size > BigInt(maxBytes)) return undefined;
  const file = openFileAt(root, path);
  try {
    return hashOf(readVersion(file, path, maxBytes).bytes);
  } finally {
    file.close();
  }
}

/** @throws OperationError not_found; changed, if a version is expected */
function openExpected(path: string, about: ReturnType<typeof expectingAt>, { context, claim }: Case): OpenFile {
  const { root } = context.workspace;
  const relative = claimName(root, path, claim);
  try {
    const file = openFileAt(root, path);
    return orClose(file, () => {
      const { place, stats } = file;
      // Behind a link.
      if (place.relative !== relative) {
        claim({ path, member: 'path', relative: place.relative, there: stats, directories: [] });
      }
      return file;
    });
  } catch (error) {
    const isMissing = error instanceof OperationError && error.failure.kind === 'not_found';
    throw isMissing && isExpecting(about, undefined) ? isGone(about, error) : error;
  }
}

/** @returns the path below the working directory, with links on the way resolved */
function claimName(root: Root, path: string, claim: Case['claim']): string {
  const spot = walk(root, path);
  if (spot === 'root') return '';
  try {
    claim(named(spot, 'path'));
    return spot.relative;
  } finally {
    spot.parent.close();
  }
}

/** @param makes whether the change makes the directories that are missing */
function named(spot: Spot, member: Named['member'], makes = false): Named {
  const { path, relative, parent, missing } = spot;
  const directories = missing.map((_, index) => parent.relativeOf(missing.slice(0, index + 1).join('/')));
  return { path, member, relative, there: entryAt(spot), directories: makes ? directories : [] };
}

/** Do something with what is open; if that fails, close it. */
function orClose<Result>(opened: OpenFile | Spot | 'root', work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (opened !== 'root') ('parent' in opened ? opened.parent : opened).close();
    throw error;
  }
}
