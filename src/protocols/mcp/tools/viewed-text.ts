/** The text of a viewed file for a model: a heading, the lines, and a note on what they do not show (spec 17). */
import type { Success, Unseen } from '../../../core/errors.js';
import { jsonOf } from '../../../core/json/json-of.js';
import type { Params } from '../../../core/operations.js';
import { fileText, type SentText } from './file-text.js';
import { counted } from './searched.js';
import type { Presentation } from './tool.js';

/** A text, with the result for programs. */
interface SentFile extends SentText {
  readonly result: Success['result'];
}

/**
 * As much of a text as fits.
 * @param headed the heading for a range such as `(lines 5-10 of 42)`; '' is the whole text
 */
export function sentText(
  success: Success,
  { start_line, end_line }: Pick<Params['view'], 'start_line' | 'end_line'>,
  headed: (lines: string) => string,
  presentation: Pick<Presentation, 'maxChars' | 'maxBytes' | 'textOnly'>,
): SentFile {
  const { result, forModel } = success;
  const json = contentOf(success);
  const { totalLines: total = 0, unseen } = forModel ?? {};
  const first = start_line ?? 1;
  const end = Math.min(end_line ?? total, total);
  const upTo = (to: number): string => headed(`(lines ${first}-${to} of ${total})`);
  const isWhole = (start_line === undefined && end_line === undefined) || total === 0;
  const isEnded = end < total || unseen?.ended === true;
  const below = (isCut: boolean): string => {
    const line = unseen === undefined ? '' : unseenLine(unseen, !isCut && total > 0 && !isEnded);
    // The lines include their own breaks.
    return line === '' || (!isCut && isEnded) ? line : `\n${line}`;
  };
  const isEmpty = json.length === '""'.length;
  const sent = fileText(
    {
      json,
      first,
      last: end,
      isEndGiven: end_line !== undefined,
      exact: true,
      copies: presentation.textOnly ? 1 : 2,
    },
    { whole: isEmpty ? `${headed('')}(empty file)` : isWhole ? headed('') : upTo(end), upTo, below },
    { ...presentation, lineBase: 1 },
  );
  if (!sent.isCut) return { ...sent, result };
  const range = { total_lines: total, range_requested: { start_line: first, end_line: sent.last } };
  return { ...sent, result: { ...result, content: sent.content, ...range } };
}

/** Facts that the lines do not show, in brackets; '' if there are none. */
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

/** The heading above base64. */
export function headingOfBytes(size: number): string {
  return `(base64 of ${counted(size, 'byte', 'bytes')})\n`;
}

/** The content of a file: a JSON string. */
export function contentOf({ result: { content } }: Success): Uint8Array {
  return content instanceof Uint8Array ? content : Buffer.from(jsonOf(content));
}
