import type { Params } from '../../src/core/operations.js';
import type { Context, SuccessOf } from '../handler.js';
import { changeAlone } from '../changes/change-alone.js';
import { asExpected, judgeRemoval } from '../changes/judge-removal.js';

/** Delete a file, a link or an empty directory (spec 11). */
export async function deletePath(params: Params['delete'], context: Context): Promise<SuccessOf<'delete'>> {
  const { path } = params;
  try {
    await changeAlone({ paths: [path], judge: (which) => judgeRemoval(params, which), beginsAgain: false }, context);
  } catch (error) {
    // The entry may also turn out to be gone at the commit.
    throw asExpected(params, context, error);
  }
  return { ok: true, result: { success: true, path } };
}
