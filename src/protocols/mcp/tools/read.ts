import { jsonOf } from '../../../core/json/json-of.js';
import { fileText } from './file-text.js';
import type { Tool } from './tool.js';

export const readTool: Tool<'read_file'> = {
  purpose: 'returns the text of one',
  description: (first) =>
    `Read a text file: all of it, or the lines from start_line to end_line, both included. Lines count from ${first}: the first line of a file is line ${first}. The text follows a heading that says which lines it is; it carries no line numbers. Read a file before you edit it. For a large file, read a range: it costs only what it returns.`,
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
  present({ result, hash }, { name, start_line, end_line }, presentation) {
    const { content } = result;
    const json = content instanceof Uint8Array ? content : Buffer.from(jsonOf(content));
    const total = Number(result['total_lines']);
    const first = start_line ?? 1;
    const shown = (line: number): number => line - 1 + presentation.lineBase;
    const headed = (lines: string): string => `File: ${name} (${lines})\n\n`;
    const upTo = (to: number): string => headed(`lines ${shown(first)}-${shown(to)} of ${total} total`);
    const end = Math.min(end_line ?? total, total);
    const isWhole = (start_line === undefined && end_line === undefined) || total === 0;
    const { text, last } = fileText(
      { json, first, last: end, isEndGiven: end_line !== undefined, exact: false, copies: 1 },
      { whole: isWhole ? headed(`${total} lines`) : upTo(end), upTo },
      presentation,
    );
    const bounds = total === 0 ? {} : { start_line: shown(first), end_line: shown(last) };
    return { text, structured: [jsonOf({ name, total_lines: total, ...bounds, hash })] };
  },
};
