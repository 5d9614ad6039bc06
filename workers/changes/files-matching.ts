/** Finds the files for a change by glob (spec 17). */
import { OperationError } from '../../src/core/errors.js';
import { withSlashes } from '../../src/core/globs/glob.js';
import { quotedName } from '../../src/core/names/names-in-messages.js';
import { Directory } from '../disk/paths/anchor.js';
import type { Context } from '../handler.js';
import { unlessCancelled } from '../progress.js';
import { globOf, type Asked } from '../search/glob-of.js';
import { Walk } from '../search/walk.js';
import { inSlices } from '../turn.js';
import type { Workspace } from '../workspace.js';

/**
 * The matching files in path order: all that the caller may read, whether or not it may change them.
 * @throws OperationError string_not_found if there are none; invalid_params for an invalid pattern
 */
export async function filesMatching(text: string, { workspace, progress, model }: Context): Promise<readonly string[]> {
  const { root } = workspace;
  const readable = root.scope === undefined ? workspace : { ...workspace, root: root.within(root.scope.toRead) };
  const asked = { parameter: 'glob', text, path: '', hidden: false, ignored: false } as const;
  const inTurns = <Result>(steps: Generator<undefined, Result>): Result | Promise<Result> =>
    inSlices(unlessCancelled(steps, progress), true);
  const slashed = model === undefined ? undefined : withSlashes(text);
  for (const each of slashed === undefined ? [text] : [text, slashed]) {
    const found = await inTurns(walked({ ...asked, text: each }, readable));
    if (found.length > 0) return found;
  }
  const { globNote } = await import('../search/nothing-found.js');
  const note = await inTurns(globNote(asked, readable));
  throw new OperationError('string_not_found', `No file matches ${quotedName(text)}`, {
    details: `Nothing was changed. ${note ?? 'Check the pattern.'} Hidden and ignored files are left out here: name those by path.`,
  });
}

function* walked(asked: Asked, { root, setup }: Workspace): Generator<undefined, readonly string[]> {
  const glob = globOf(asked, setup);
  const found: string[] = [];
  const top = Directory.root(root);
  try {
    for (const file of new Walk(root, top, { glob, ignored: false }).files()) {
      if (file !== undefined) found.push(file.path);
      yield;
    }
    return found;
  } finally {
    top.close();
  }
}
