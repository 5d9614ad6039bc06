/** Judges a new text for a file as apply_edits, write and create would (spec 11 and 14). Nothing is written. */
import { OperationError } from '../../src/core/errors.js';
import type { Params } from '../../src/core/operations.js';
import { FileText } from '../commit/file-text.js';
import { readOriginal } from '../commit/group-commit.js';
import { lockedBy } from './judge-and-commit.js';
import { assertWritable, type OpenFile } from '../disk/paths/open-file.js';
import { namesDirectory, pathExists } from '../disk/paths/path-errors.js';
import { entryAt } from '../disk/paths/find.js';
import { assertMayChange } from '../disk/paths/scope.js';
import type { Root } from '../disk/paths/root.js';
import { walk, type Spot } from '../disk/paths/walk.js';
import type { Version } from '../disk/write/version.js';
import { unlessSame } from '../text/scattered-text.js';
import { Content } from './content.js';
import { assertExpected, expectingAt, isExpecting, isGone } from '../commit/has-changed.js';
import { assertResult, limitsOf } from '../commit/result-limits.js';
import { openFileAt } from '../commit/text-at-path.js';
import { noticeOfMix } from '../text/edit/mixed-endings.js';
import { applyReplacements, type ReplacedText } from '../text/edit/replacements.js';
import { countLines } from '../text/lines/lines.js';
import { hashOf } from '../text/text-file.js';
import type { Context } from '../handler.js';
import { named, orClose, type Case, type Judged, type Reported, type With } from './judged-change.js';

/** Most attempts on a path whose file keeps appearing and vanishing. */
const mostLooks = 3;

/** Judge a change with `edits`. @throws as apply_edits */
export function judgeEdits(given: With<'edits'>, which: Case): Judged {
  const { path, edits } = given;
  const { context } = which;
  const about = expectingAt(given);
  const file = openExpected(path, about, which);
  return orClose(file, () => {
    assertWritable(file.place, path);
    const original = readOriginal(file, {}, path, context);
    const old = new FileText(original.bytes);
    assertExpected(about, undefined, () => old.hash);
    return judgedEdits(
      { path, original, old },
      applyReplacements(original.bytes, edits, false, limitsOf(context)),
      which,
    );
  });
}

/** A text file to edit. */
interface Edited {
  readonly path: string;
  readonly original: Version;
  readonly old: FileText;
}

/** The judged edits of an open file; closing them closes the file. @throws OperationError if the result is too large */
export function judgedEdits({ path, original, old }: Edited, made: ReplacedText, which: Case): Judged {
  const { file, bytes } = original;
  const edited = editedFile({ path, file, old }, made, which);
  const { text } = made;
  const { number } = which;
  const { relative, directory } = file.place;
  const directories = [directory];
  return {
    ...edited,
    locked: [relative],
    directories,
    bytes: bytes.length + (edited.isChanged ? text.length : 0),
    changes: edited.isChanged
      ? [{ number, name: path, directories, kind: 'replace', as: 'edited', original, text }]
      : [],
    close() {
      edited.close();
      if (edited.isChanged) edited.next.release();
      old.release();
      file.closeLater();
    },
  };
}

interface EditedFile extends Reported {
  /** The old text itself if nothing changes. */
  readonly next: FileText;
  /** Call once it is reported. */
  close(): void;
}

/** What edits make of the text of a file. @throws OperationError if the result is too large */
export function editedFile(
  { path, file, old }: { readonly path: string; readonly file: OpenFile; readonly old: FileText },
  made: ReplacedText,
  { returnHash, context }: Pick<Case, 'returnHash' | 'context'>,
): EditedFile {
  const { text, edited } = made;
  const { bytes } = old;
  assertResult(text, bytes, () => countLines(text), context.workspace.setup);
  const isChanged = text !== bytes;
  const next = isChanged ? new FileText(text) : old;
  const { relative } = file.place;
  return {
    path,
    isChanged,
    next,
    diff: { oldPath: relative, newPath: relative, mode: Number(file.stats.mode), old: bytes, new: edited },
    tookCrlf: made.tookCrlf,
    told(isDone) {
      const notice = made.mayMix && isChanged ? noticeOfMix(bytes, text, isDone) : undefined;
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
    },
  };
}

/** A change that gives the whole content of a file. */
type WholeContent = Pick<Params['write'], 'path' | 'content' | 'encoding' | 'expected_hash'>;

/** Judge a change with `content`. @throws as write */
export function judgeContent(given: WholeContent, which: Case): Judged {
  // Another program may create the file between the two checks.
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

/** Judge a change that replaces a whole file. @throws as write; not_found if it is missing and no version expected */
export function judgeNewContent(given: WholeContent, which: Case): Judged {
  const { path } = given;
  const { number, returnHash, context } = which;
  const content = new Content(given, context);
  const file = openExpected(path, expectingAt(given), which);
  return orClose(file, () => {
    assertWritable(file.place, path);
    const original = readOriginal(file, { anyBytes: true }, path, context);
    const old = new FileText(original.bytes);
    const isChanged = orClose(
      {
        close: () => {
          old.release();
        },
      },
      () => {
        assertMayReplace(given, context, old);
        return unlessSame(old.bytes, content.bytes) !== old.bytes;
      },
    );
    const next = isChanged ? new FileText(content.bytes) : old;
    const { relative } = file.place;
    const directories = [file.place.directory];
    return {
      path,
      locked: [relative],
      directories,
      bytes: original.bytes.length + content.bytes.length,
      changes: isChanged
        ? [{ number, name: path, directories, kind: 'replace', as: 'replaced', original, text: content.bytes }]
        : [],
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

/** Judge a change that creates a file. @throws as create */
export function judgeCreation(given: WholeContent, { number, returnHash, context, claim }: Case): Judged {
  const { path } = given;
  const { root, setup } = context.workspace;
  const content = new Content(given, context);
  const spot = walk(root, path);
  return orClose(spot, () => {
    if (spot !== 'root' && spot.missing.length > 0) claim(named(root, spot, 'path', true));
    // Check the path first, or a caller might fix the text only to learn that the path is unusable.
    const place = freePlace(root, path, spot);
    const text = content.bytes;
    const mode = 0o100666 & ~setup.umask;
    const directories = [place.parent.anchor.base];
    return {
      path,
      locked: lockedBy(place),
      directories,
      bytes: text.length,
      changes: [{ number, name: path, directories, kind: 'create', spot: place, text }],
      diff: { oldPath: undefined, newPath: place.relative, mode, new: text },
      tookCrlf: false,
      told: () => ({ path, kind: 'created', ...(returnHash ? { hash: hashOf(text) } : {}) }),
      close() {
        content.release();
        place.parent.close();
      },
    };
  });
}

/** @throws OperationError file_exists, permission_denied; invalid_params if the path can only mean a directory */
function freePlace(root: Root, path: string, spot: Spot | 'root'): Spot {
  if (spot === 'root') throw pathExists(path, 'root');
  assertMayChange(root, spot, false);
  const there = entryAt(spot);
  if (there !== undefined) throw pathExists(path, there);
  if (spot.directory) throw namesDirectory('path', path);
  return spot;
}

/** @throws OperationError file_exists, if the call does not show that the caller has seen the file; changed */
function assertMayReplace({ path, expected_hash }: WholeContent, context: Context, found: FileText): void {
  const isAny = expected_hash === '*';
  const about = expectingAt({ path, ...(isAny || expected_hash === undefined ? {} : { expected_hash }) });
  const precondition = context.precondition ?? (isAny ? '*' : undefined);
  if (!isExpecting(about, precondition)) throw wouldReplace(path, found.hash);
  assertExpected(about, precondition, () => found.hash);
}

/** The file exists, and the call does not show that the caller has seen it. */
function wouldReplace(path: string, hash: string): OperationError {
  return new OperationError('file_exists', `File already exists: ${path}`, {
    details: `Nothing was changed. Look at the file first; to replace all of it, send this call again with expected_hash "${hash}".`,
    data: { path, current_hash: hash },
  });
}

/** @throws OperationError not_found; changed, if a version is expected */
function openExpected(path: string, about: ReturnType<typeof expectingAt>, { context, claim }: Case): OpenFile {
  const { root } = context.workspace;
  const relative = claimName(root, path, claim);
  try {
    const file = openFileAt(root, path);
    return orClose(file, () => {
      const { place, stats } = file;
      // The path leads through a link: claim its target too.
      if (place.relative !== relative) {
        claim({ path, member: 'path', relative: place.relative, there: stats, directories: [] });
      }
      return file;
    });
  } catch (error) {
    const isMissing = error instanceof OperationError && error.failure.kind === 'not_found';
    throw isMissing && isExpecting(about, context.precondition) ? isGone(about, error) : error;
  }
}

/** @returns the path below the working directory, with links on the way resolved */
function claimName(root: Root, path: string, claim: Case['claim']): string {
  const spot = walk(root, path);
  if (spot === 'root') return '';
  try {
    claim(named(root, spot, 'path'));
    return spot.relative;
  } finally {
    spot.parent.close();
  }
}
