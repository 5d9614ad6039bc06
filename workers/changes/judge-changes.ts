import { OperationError } from '../../src/core/errors.js';
import type { Params } from '../../src/core/operations.js';
import { numbered } from './with-change-number.js';
import type { Context } from '../handler.js';
import { judgeChange } from './judge-change.js';
import { judgeGlob } from './judge-glob.js';
import type { Case, Judged } from './judged-change.js';
import { JudgedFiles } from './judged-files.js';
import { NamedOnce, type Named } from './named-once.js';

type Change = Params['apply_changes']['changes'][number];

/** The files that a call's globs affect, by number of the change, once known. */
export type FilesOfGlobs = Map<number, readonly string[]>;

/**
 * Judge all changes of a call in order, against the current state of the directory (spec 14). The caller must close
 * them.
 * @param ofGlobs remembers the files found in the first round, so that no others are read while the locks are held
 * @throws OperationError for the first change that cannot be made, with its number
 */
export async function judgeChanges(
  { changes, return_hash = false }: Params['apply_changes'],
  context: Context,
  ofGlobs: FilesOfGlobs,
): Promise<readonly Judged[]> {
  const files = new JudgedFiles(context.workspace.setup.maxBytes);
  const named = new NamedOnce();
  let complete = false;
  try {
    for (const [index, given] of changes.entries()) {
      const number = index + 1;
      if (context.progress.cancelled) throw new OperationError('cancelled', 'Cancelled before all changes were judged');
      const claim = (name: Named): void => {
        named.add(name, number);
      };
      try {
        await judge(given, { number, returnHash: return_hash, context, claim }, files, ofGlobs);
      } catch (error) {
        throw numbered({ number, name: given.path }, error);
      }
    }
    complete = true;
    return files.judged;
  } finally {
    if (!complete) files.close();
  }
}

async function judge(
  { path, glob, ...given }: Change,
  which: Case & { readonly number: number },
  files: JudgedFiles,
  ofGlobs: FilesOfGlobs,
): Promise<void> {
  const { number } = which;
  if (path !== undefined) {
    files.add(judgeChange({ ...given, path }, which), number);
  } else if (glob !== undefined && given.edits !== undefined) {
    const found = await judgeGlob({ glob, edits: given.edits }, which, ofGlobs.get(number), (each) => {
      files.add(each, number);
    });
    ofGlobs.set(number, found);
  }
  files.assertFew();
}
