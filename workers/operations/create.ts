import type { Params } from '../../src/core/operations.js';
import type { Context, SuccessOf } from '../handler.js';
import { changeAlone } from '../changes/change-alone.js';
import { judgeCreation } from '../changes/judge-text.js';

/** Create a new file and any missing parent directories (spec 11). */
export async function createFile(params: Params['create'], context: Context): Promise<SuccessOf<'create'>> {
  const { path, return_hash } = params;
  const { told } = await changeAlone(
    { paths: [path], judge: (which) => judgeCreation(params, which), returnHash: true, beginsAgain: true },
    context,
  );
  const { hash = '' } = told;
  return { ok: true, result: { success: true, path, ...(return_hash === true ? { hash } : {}) }, hash };
}
