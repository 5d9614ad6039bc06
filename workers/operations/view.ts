import { OperationError } from '../../src/core/errors.js';
import type { Params } from '../../src/core/operations.js';
import { Directory } from '../disk/paths/anchor.js';
import { find } from '../disk/paths/find.js';
import type { Context, SuccessOf } from '../handler.js';
import { unlessCancelled } from '../progress.js';
import { inSlices } from '../turn.js';
import { bytesBeforeChange } from './before-change.js';
import { viewDirectory } from './view-directory.js';
import { isBounded, noLines, viewFile } from './view-file.js';
import { viewSeveral } from './view-several.js';

/** Read a file of any content, lines of a text or several files, or list a directory (spec 11 and 17). */
export function view(params: Params['view'], context: Context): SuccessOf<'view'> | Promise<SuccessOf<'view'>> {
  const { path = '', files, before_change: id } = params;
  if (id !== undefined && files !== undefined) throw onlyOne();
  if (id !== undefined) return viewFile(bytesBeforeChange(path, id, context), params, context, true);
  if (files !== undefined) return viewSeveral(files, params, context);
  const { progress, workspace } = context;
  const { root } = workspace;
  const found = find(root, path, 'any');
  if (found instanceof Directory) {
    // With a scope, it can take a while to find out which names the caller may see.
    return inSlices(unlessCancelled(viewNames(found, path, params, context), progress), root.scope !== undefined);
  }
  try {
    return viewFile(found, params, context, true);
  } finally {
    found.close();
  }
}

function onlyOne(): OperationError {
  return new OperationError('invalid_params', 'Invalid params: before_change is for one path, not for files', {
    details: 'Send path instead of files.',
  });
}

/** @param found closed at the end */
function* viewNames(
  found: Directory,
  path: string,
  params: Params['view'],
  context: Context,
): Generator<undefined, SuccessOf<'view'>> {
  try {
    if (isBounded(params)) throw noLines('a directory', 'list the names in it');
    return yield* viewDirectory(found, path, context);
  } finally {
    found.close();
  }
}
