import { jsonOf } from '../../../core/json/json-of.js';
import type { Tool } from './tool.js';

export const editTool: Tool<'edit_file'> = {
  purpose: 'changes one, or creates it',
  description: (first) =>
    `Change a text file, or create it: replace, insert and delete whole lines, and append text. Lines count from ${first}, and every line number refers to the file before this call, so the edits of one call do not shift each other; put all your changes to a file into one call. All of them are saved, or none if one is refused. Line numbers may have changed afterwards: read the file again before the next call. Example: {"name":"a.txt","edits":[{"line":${first},"operation":"replace","content":"new first line"}]}`,
  defaults: { create_if_missing: true },
  output: {
    type: 'object',
    properties: {
      success: { type: 'boolean' },
      lines_modified: { type: 'integer', description: 'Lines replaced + inserted + deleted + appended.' },
      file_created: { type: 'boolean' },
      new_total_lines: { type: 'integer' },
      hash: { type: 'string', description: 'Of the new text; see expected_hash.' },
    },
    required: ['success', 'lines_modified', 'file_created', 'new_total_lines', 'hash'],
  },
  present({ result, hash, forModel: { remarks = [] } = {} }, { name }) {
    const { lines_modified, file_created, new_total_lines } = result;
    const text = [
      `File edited successfully: ${name}`,
      `Lines modified: ${String(lines_modified)}`,
      `Total lines: ${String(new_total_lines)}`,
      `File created: ${String(file_created)}`,
      ...remarks,
    ].join('\n');
    return { text: [jsonOf(text)], structured: [jsonOf({ ...result, hash })] };
  },
};
