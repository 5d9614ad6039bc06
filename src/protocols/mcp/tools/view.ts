import { entryKinds, failure, type Failure, type Success, type Unseen } from '../../../core/errors.js';
import { jsonOf } from '../../../core/json/json-of.js';
import { onOneLine } from '../../../core/names/names-in-messages.js';
import { valueOf } from '../../../call/result-json.js';
import type { Params } from '../../../core/operations.js';
import { fileText } from './file-text.js';
import { resultOrFailure, wholeResult } from './storage.js';
import { fits, openString, type Presentation, type Presented, type Tool } from './tool.js';

export const viewTool: Tool<'view'> = {
  purpose: 'shows a file or a directory',
  description: () =>
    'Read a text file or some of its lines, without numbers; or list a directory, without hidden names. Other bytes than UTF-8 come as base64.',
  output: resultOrFailure('view'),
  present(success, params, presentation) {
    const { type, encoding } = success.result;
    if (type === 'directory') return viewOfDirectory(success, presentation);
    return encoding === 'base64' ? viewOfBytes(success, presentation) : viewOfText(success, params, presentation);
  },
};

function viewOfText(success: Success, { start_line, end_line }: Params['view'], presentation: Presentation): Presented {
  const { result, forModel } = success;
  const json = contentOf(success);
  const { totalLines: total = 0, unseen } = forModel ?? {};
  const first = start_line ?? 1;
  const end = Math.min(end_line ?? total, total);
  const upTo = (to: number): string => `(lines ${first}-${to} of ${total})\n\n`;
  const isWhole = (start_line === undefined && end_line === undefined) || total === 0;
  const isEnded = end < total || unseen?.ended === true;
  const below = (isCut: boolean): string => {
    const line = unseen === undefined ? '' : unseenLine(unseen, !isCut && total > 0 && !isEnded);
    // The lines bring their own breaks.
    return line === '' || (!isCut && isEnded) ? line : `\n${line}`;
  };
  const isEmpty = json.length === '""'.length;
  const { text, content, last, isCut } = fileText(
    {
      json,
      first,
      last: end,
      isEndGiven: end_line !== undefined,
      exact: true,
      copies: presentation.textOnly ? 1 : 2,
    },
    { whole: isEmpty ? '(empty file)' : isWhole ? '' : upTo(end), upTo, below },
    { ...presentation, lineBase: 1 },
  );
  if (!isCut) return wholeResult(text, success);
  const range = { total_lines: total, range_requested: { start_line: first, end_line: last } };
  return wholeResult(text, { ...success, result: { ...result, content, ...range } });
}

/** In brackets; '' if there is nothing. */
function unseenLine({ lineBreaks, hasBom }: Unseen, lacksBreak: boolean): string {
  const [kind = '\n', another] = lineBreaks;
  const told = [
    ...(another !== undefined ? ['line breaks: mixed'] : kind === '\n' ? [] : [`line breaks: ${inJson(kind)}`]),
    ...(hasBom ? ['begins with a BOM'] : []),
    ...(lacksBreak ? ['no line break at the end'] : []),
  ];
  return told.length === 0 ? '' : `[${told.join('; ')}]`;
}

/** As written in JSON. */
function inJson(text: string): string {
  return jsonOf(text).slice(1, -1);
}

function viewOfBytes(success: Success, presentation: Presentation): Presented | Failure {
  const size = Number(success.result['size']);
  const heading = openString(`(base64 of ${counted(size, 'byte')})\n`);
  const presented = wholeResult([heading, contentOf(success).subarray(1)], success);
  if (fits(presented, presentation)) return presented;
  return failure('too_large', `The base64 of ${counted(size, 'byte')} is too long for one answer`, {
    details: 'Only text can be read in parts, with start_line and end_line. Read this file with another tool.',
  });
}

function contentOf({ result: { content } }: Success): Uint8Array {
  return content instanceof Uint8Array ? content : Buffer.from(jsonOf(content));
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
  return `${shown} (${kind === entryKinds.other ? 'cannot be viewed' : counted(kind, 'byte')})`;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
