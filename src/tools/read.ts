import { jsonOf } from '../json/json-of.js';
import { cutText } from './cut-text.js';
import { closeString, openString, type Tool } from './tool.js';

export const read: Tool<'read_file'> = {
  purpose: 'returns the text of one',
  description: (first) =>
    `Read a text file: all of it, or the lines from start_line to end_line, both included. Lines count from ${first}: the first line of a file is line ${first}. The text follows a heading that says which lines it is; it carries no line numbers. Read a file before you edit it. Of a large file read a range, which costs no more than what it returns.`,
  output: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      total_lines: { type: 'integer', description: 'Of the whole file.' },
      start_line: { type: 'integer', description: 'First line returned.' },
      end_line: { type: 'integer', description: 'Last line returned.' },
      hash: { type: 'string', description: 'Of the whole file; see expected_hash.' },
    },
    required: ['name', 'total_lines', 'hash'],
  },
  present({ result, hash }, { name, start_line, end_line }, { lineBase, maxChars }) {
    const { content } = result;
    const json = content instanceof Uint8Array ? content : Buffer.from(jsonOf(content));
    const total = Number(result['total_lines']);
    const first = start_line ?? 1;
    const last = Math.min(end_line ?? total, total);
    const shown = (line: number): number => line - 1 + lineBase;
    const headed = (lines: string): string => `File: ${name} (${lines})\n\n`;
    const range = (to: number): string => headed(`lines ${shown(first)}-${shown(to)} of ${total} total`);
    const whole = (start_line === undefined && end_line === undefined) || total === 0;
    const uncut = whole ? headed(`${total} lines`) : range(last);

    const rest = end_line === undefined ? '' : ` and end_line ${shown(last)}`;
    const goOn = (to: number): string => ` Go on with start_line ${shown(to + 1)}${rest}.`;
    const why = `more than ${maxChars} characters are not sent at once`;
    const noteOnPart = (characters: number, next: string): string =>
      `\n\n[Only the first ${characters} characters of line ${shown(first)} are above: ${why}, and the rest of a line cannot be read. Do not replace this line: what you have not seen of it would be lost.${next}]`;
    const noteOnLines = (to: number, next: string): string =>
      `\n\n[Only lines ${shown(first)}-${shown(to)} are above: ${why}.${next}]`;
    // The numbers that will be in the heading and the note have no more digits than these.
    const room = (note: string): number => maxChars - lengthOf(range(last)) - lengthOf(note);

    const fits = maxChars === 0 || cutText(json, maxChars - lengthOf(uncut)) === null;
    let cut = fits ? null : cutText(json, room(noteOnLines(last, goOn(last))));
    if (cut?.lines === 0) cut = cutText(json, room(noteOnPart(maxChars, goOn(last))));
    const shownLast = cut === null ? last : first + Math.max(cut.lines, 1) - 1;
    const heading = cut === null ? uncut : range(shownLast);
    const bounds = total === 0 ? {} : { start_line: shown(first), end_line: shown(shownLast) };
    const next = shownLast < last ? goOn(shownLast) : '';
    return {
      text:
        cut === null
          ? [openString(heading), json.subarray(1)]
          : [
              openString(heading),
              // A copy: a view would keep the whole answer alive for as long as nobody takes this part of it.
              Buffer.from(cut.bytes.subarray(1)),
              closeString(cut.lines === 0 ? noteOnPart(cut.characters, next) : noteOnLines(shownLast, next)),
            ],
      structured: [jsonOf({ name, total_lines: total, ...bounds, hash })],
    };
  },
};

/** In characters (code points). */
function lengthOf(text: string): number {
  return Array.from(text).length;
}
