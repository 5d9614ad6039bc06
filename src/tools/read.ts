import { cutText } from './cut-text.js';
import { closeString, openString, type Tool } from './tool.js';

/** Characters around a text that was cut, besides the name of the file: the heading, and the line after the text. */
const mostFrame = 350;

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
    const json = content instanceof Uint8Array ? content : Buffer.from(JSON.stringify(content));
    const total = Number(result['total_lines']);
    const first = start_line ?? 1;
    const last = Math.min(end_line ?? total, total);
    const shown = (line: number): number => line - 1 + lineBase;
    const headed = (lines: string): string => `File: ${name} (${lines})\n\n`;
    const range = (to: number): string => headed(`lines ${shown(first)}-${shown(to)} of ${total} total`);
    const whole = (start_line === undefined && end_line === undefined) || total === 0;
    const uncut = whole ? headed(`${total} lines`) : range(last);

    const fits = maxChars === 0 || cutText(json, maxChars - Array.from(uncut).length) === null;
    const cut = fits ? null : cutText(json, maxChars - mostFrame - name.length);
    const shownLast = cut === null ? last : first + Math.max(cut.lines, 1) - 1;
    const heading = cut === null ? uncut : range(shownLast);
    const bounds = total === 0 ? {} : { start_line: shown(first), end_line: shown(shownLast) };

    const rest = end_line === undefined ? '' : ` and end_line ${shown(last)}`;
    const goOn = shownLast < last ? ` Go on with start_line ${shown(shownLast + 1)}${rest}.` : '';
    const why = `more than ${maxChars} characters are not sent at once`;
    return {
      text:
        cut === null
          ? [openString(heading), json.subarray(1)]
          : [
              openString(heading),
              // A copy: a view would keep the whole answer alive for as long as nobody takes this part of it.
              Buffer.from(cut.bytes.subarray(1)),
              closeString(
                cut.lines === 0
                  ? `\n\n[Only the first ${cut.characters} characters of line ${shown(first)} are above: ${why}, and the rest of a line cannot be read. Do not replace this line: what you have not seen of it would be lost.${goOn}]`
                  : `\n\n[Only lines ${shown(first)}-${shown(shownLast)} are above: ${why}.${goOn}]`,
              ),
            ],
      structured: [JSON.stringify({ name, total_lines: total, ...bounds, hash })],
    };
  },
};
