import type { Params } from '../../src/core/operations.js';
import type { Context, SuccessOf } from '../handler.js';
import { changeAlone } from '../changes/change-alone.js';
import { judgeMove } from '../changes/judge-move.js';

/** Move a file, a link or a directory to another path (spec 11); never overwrites. */
export async function renamePath(params: Params['rename'], context: Context): Promise<SuccessOf<'rename'>> {
  const { old_path, new_path } = params;
  const given = { path: old_path, rename_to: new_path };
  const paths = [old_path, new_path];
  await changeAlone({ paths, judge: (which) => judgeMove(given, which), beginsAgain: true }, context);
  return { ok: true, result: { success: true, old_path, new_path } };
}
