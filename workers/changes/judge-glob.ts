/** Judges the same edits in all files that match a glob (spec 17). Nothing is written. */
import { OperationError } from '../../src/core/errors.js';
import { onOneLine } from '../../src/core/names/names-in-messages.js';
import { checkPath } from '../../src/core/names/path.js';
import { FileText } from '../commit/file-text.js';
import { readOriginal } from '../commit/group-commit.js';
import { withChangeNumber } from './with-change-number.js';
import { assertWritable, type OpenFile } from '../disk/paths/open-file.js';
import type { Root } from '../disk/paths/root.js';
import type { Version } from '../disk/write/version.js';
import type { Context } from '../handler.js';
import { unlessCancelled } from '../progress.js';
import { failing } from '../text/edit/finder.js';
import { applyReplacements } from '../text/edit/replacements.js';
import { quote } from '../text/explain/advice.js';
import { mostEchoed } from '../text/explain/miss.js';
import { inSlices } from '../turn.js';
import { filesMatching } from './files-matching.js';
import { judgedEdits } from './judge-text.js';
import { orClose, type Case, type GivenGlob, type Judged } from './judged-change.js';
import { limitsOf } from '../commit/result-limits.js';
import { openFileAt } from '../commit/text-at-path.js';

/**
 * @param known the files, if an earlier round has found them
 * @param add called for each file that changes
 * @returns the files in which at least one edit applies
 * @throws OperationError string_not_found if no file matches, or an edit applies in none; not_allowed; as apply_edits
 *   for one of the files
 */
export async function judgeGlob(
  given: GivenGlob,
  which: Case,
  known: readonly string[] | undefined,
  add: (judged: Judged) => void,
): Promise<readonly string[]> {
  const { context } = which;
  const paths = known ?? (await filesMatching(given.glob, context));
  return inSlices(unlessCancelled(judgeAll(paths, given, which, add), context.progress), true);
}

function* judgeAll(
  paths: readonly string[],
  { glob, edits }: GivenGlob,
  which: Case,
  add: (judged: Judged) => void,
): Generator<undefined, readonly string[]> {
  const { number } = which;
  const applied = new Set<number>();
  const found: string[] = [];
  for (const path of paths) {
    const effect = withChangeNumber({ number, name: path }, () => judgeFile(path, edits, which));
    const indexes = [...edits.keys()].filter((index) => effect?.missing.has(index) === false);
    for (const index of indexes) applied.add(index);
    if (indexes.length > 0) found.push(path);
    if (effect?.judged !== undefined) add(effect.judged);
    yield;
  }
  const nowhere = edits.findIndex((_, index) => !applied.has(index));
  if (nowhere >= 0) throw foundNowhere(edits, nowhere, glob);
  return found;
}

function foundNowhere(edits: GivenGlob['edits'], index: number, glob: string): OperationError {
  const sought = quote(edits[index]?.old_string ?? '', mostEchoed);
  const where = `No text file that matches ${onOneLine(glob)} has it.`;
  return failing(index, edits.length)('string_not_found', `String not found: ${sought}. ${where}`);
}

/** The effect of the edits on one file. */
interface Effect {
  /** Indexes of the edits whose text is not in the file. */
  readonly missing: ReadonlySet<number>;
  /** Undefined if the file stays unchanged. */
  readonly judged?: Judged;
}

/** @returns undefined if it is not a text file */
function judgeFile(path: string, edits: GivenGlob['edits'], which: Case): Effect | undefined {
  const { context, claim } = which;
  const file = openListed(context.workspace.root, path);
  if (file === undefined) return undefined;
  return orClose(file, () => {
    const original = textIn(file, path, context);
    if (original === undefined) {
      file.close();
      return undefined;
    }
    const old = new FileText(original.bytes);
    const made = applyReplacements(original.bytes, edits, false, { ...limitsOf(context), passesOver: true });
    const { missing } = made;
    if (made.text === original.bytes) {
      old.release();
      file.close();
      return { missing };
    }
    assertWritable(file.place, path);
    claim({ path, member: 'path', relative: path, there: file.stats, directories: [] });
    return { missing, judged: judgedEdits({ path, original, old }, made, which) };
  });
}

/** Errors that mean a listed file has since gone or been replaced by something else. */
const goneSince: ReadonlySet<string> = new Set(['not_found', 'is_directory', 'not_a_regular_file']);

/** @returns undefined if its path is invalid or contains a link, or it is gone @throws OperationError not_allowed */
function openListed(root: Root, path: string): OpenFile | undefined {
  if (checkPath('path', path) !== null) return undefined;
  try {
    const file = openFileAt(root, path);
    if (file.place.relative === path) return file;
    file.close();
  } catch (error) {
    if (!(error instanceof OperationError && goneSince.has(error.kind))) throw error;
  }
  return undefined;
}

/** @returns undefined if it is not text */
function textIn(file: OpenFile, path: string, context: Context): Version | undefined {
  try {
    return readOriginal(file, {}, path, context);
  } catch (error) {
    if (error instanceof OperationError && error.kind === 'not_utf8') return undefined;
    throw error;
  }
}
