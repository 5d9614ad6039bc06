import { entryKinds, failure, type Failure, type Success } from '../../../core/errors.js';
import { jsonOf } from '../../../core/json/json-of.js';
import { onOneLine } from '../../../core/names/names-in-messages.js';
import { valueOf } from '../../../call/result-json.js';
import type { Params } from '../../../core/operations.js';
import { asPicture } from './picture.js';
import { counted } from './searched.js';
import { resultOrFailure, wholeResult } from './storage.js';
import { fits, openString, type Presentation, type Presented, type Tool } from './tool.js';
import { contentOf, headingOfBytes, sentText } from './viewed-text.js';
import { viewOfSeveral } from './view-several.js';

export const viewTool: Tool<'view'> = {
  purpose: 'shows files or a directory',
  description: () =>
    'Read text files or some of their lines, without numbers; or list a directory, without hidden names. Pictures are shown, other bytes than UTF-8 come as base64.',
  output: resultOrFailure('view'),
  present(success, params, presentation) {
    const { type, encoding } = success.result;
    if (type === 'files') return viewOfSeveral(success, params, presentation);
    if (type === 'directory') return viewOfDirectory(success, presentation);
    if (encoding !== 'base64') return viewOfText(success, params, presentation);
    return viewOfBytes(success, presentation, params.return_hash === true);
  },
};

function viewOfText(success: Success, params: Params['view'], presentation: Presentation): Presented {
  const headed = (lines: string): string => (lines === '' ? '' : `${lines}\n\n`);
  const { text, result } = sentText(success, params, headed, presentation);
  return wholeResult(text, { ...success, result });
}

/** @param isToBeSentBack whether the model needs the bytes themselves: if it asks for a hash, it may write them */
function viewOfBytes(success: Success, presentation: Presentation, isToBeSentBack: boolean): Presented | Failure {
  const size = Number(success.result['size']);
  const heading = openString(headingOfBytes(size));
  const inBase64 = (): Presented => wholeResult([heading, contentOf(success).subarray(1)], success);
  const presented = (isToBeSentBack ? undefined : asPicture(success)) ?? inBase64();
  if (fits(presented, presentation)) return presented;
  return failure('too_large', `The base64 of ${counted(size, 'byte', 'bytes')} is too long for one answer`, {
    details: 'Only text can be read in parts, with start_line and end_line. Read this file with another tool.',
  });
}

function viewOfDirectory(success: Success, presentation: Presentation): Presented | Failure {
  const { kinds = new Float64Array(), hidden = 0 } = success.forModel ?? {};
  // Long lists are JSON bytes.
  const names = valueOf(success.result['entries']);
  const lines = Array.isArray(names) ? names.map((name, index) => entryLine(String(name), kinds[index])) : [];
  const more = hidden === 0 ? [] : [`(${counted(hidden, 'hidden entry', 'hidden entries')} not shown)`];
  const all = [...lines, ...more];
  const presented = wholeResult([jsonOf(all.length === 0 ? '(empty)' : all.join('\n'))], success);
  if (fits(presented, presentation)) return presented;
  return failure('too_large', `The list of ${counted(lines.length, 'entry', 'entries')} is too long for one answer`, {
    details: 'View what you need by its path: a directory below this one, or a file in it.',
  });
}

/** A file with its size, a directory with a slash. Anything else, or a link to it, cannot be viewed. */
function entryLine(name: string, kind: number = entryKinds.other): string {
  const shown = onOneLine(name);
  if (kind === entryKinds.directory) return `${shown}/`;
  return `${shown} (${kind === entryKinds.other ? 'cannot be viewed' : counted(kind, 'byte', 'bytes')})`;
}
