import { failure } from '../../../core/errors.js';
import { jsonOf } from '../../../core/json/json-of.js';
import { onOneLine } from '../../../core/names/names-in-messages.js';
import { valueOf } from '../../../call/result-json.js';
import { resultOrFailure, wholeResult } from './storage.js';
import { counted, toldLeftOut, toldNote } from './searched.js';
import { fits, type Tool } from './tool.js';

export const globTool: Tool<'glob'> = {
  purpose: 'finds files by name',
  description: () => 'Find files by name, at any depth, in one call instead of many views.',
  output: resultOrFailure('glob'),
  present(success, params, presentation) {
    const { files, total, truncated, cursor } = success.result;
    const found = valueOf(files);
    const paths: readonly unknown[] = Array.isArray(found)
      ? found.map((file: Readonly<Record<string, unknown>>) => file['path'])
      : [];
    const lines = paths.map((path) => onOneLine(String(path)));
    const isPast = params.cursor !== undefined && paths.length === 0;
    const count = isPast ? 'No more files after this cursor' : counted(Number(total), 'file', 'files');
    const more =
      truncated === true ? `\n[Only ${paths.length} of them are above. Go on with cursor "${String(cursor)}".]` : '';
    const above = [...lines, count].join('\n');
    const leftOut = toldLeftOut(success, above.length + more.length, presentation);
    const presented = wholeResult([jsonOf(above + leftOut + more + toldNote(success))], success);
    if (fits(presented, presentation)) return presented;
    return failure('too_large', `The list of ${paths.length} files is too long for one answer`, {
      details: 'Send a smaller limit, and go on with the cursor of the answer; or send a narrower pattern.',
    });
  },
};
