import type { Params } from '../../src/core/operations.js';
import type { Context, SuccessOf } from '../handler.js';
import { changeAlone } from '../changes/change-alone.js';
import { judgeContent } from '../changes/judge-text.js';

/** Write the whole content of a file (spec 11): replace the expected version, or create the file. */
export async function writeFile(params: Params['write'], context: Context): Promise<SuccessOf<'write'>> {
  const { path, return_hash, expected_hash } = params;
  const beginsAgain = expected_hash === undefined && context.precondition === undefined;
  const { told, isChanged } = await changeAlone(
    { paths: [path], judge: (which) => judgeContent(params, which), returnHash: true, beginsAgain },
    context,
  );
  const { hash = '' } = told;
  const result = {
    success: true,
    path,
    created: told.kind === 'created',
    ...(return_hash === true ? { hash } : {}),
  } as const;
  return { ok: true, result, hash, ...(isChanged ? {} : { changed: [] }) };
}
