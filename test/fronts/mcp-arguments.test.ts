/** Arguments as real clients send them (spec 15), through the official clients over both transports. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withDirectory, writeFinished } from '../directory.js';
import { connections } from './mcp.js';

const options = { toolset: 'all', mcpLineBase: 1 };
/** What one client adds to every call. */
const added = { toolCallId: 'call_1', sessionId: 'a1b2', action: 'sendMessage', chatInput: 'please' };
const edit = { line: '2', operation: 'delete', content: null };

const taken: readonly (readonly [title: string, tool: string, given: Record<string, unknown>, text: RegExp])[] = [
  ['what one client adds', 'list_files', added, /Total files: 1$/],
  [
    'null, "" and "true" for optional parameters: the defaults apply',
    'edit_file',
    { name: 'b.txt', append: 'x', edits: null, create_if_missing: '', expected_hash: null, return_hash: 'true' },
    /^File edited successfully: b\.txt\n[^]*File created: true\nHash: [0-9a-f]{16}$/,
  ],
  [
    'what one client adds, along with parameters',
    'read_file',
    { name: 'a.txt', ...added },
    /^File: a\.txt \(3 lines\)/,
  ],
  [
    'empty and null bounds',
    'read_file',
    { name: 'a.txt', start_line: '', end_line: null, return_hash: 'false' },
    /^File: a\.txt \(3 lines\)\n\none\ntwo\nthree$/,
  ],
  ['-1 as the end of a range', 'read_file', { name: 'a.txt', start_line: 2, end_line: -1 }, /\n\ntwo\nthree$/],
  ['a pair of bounds', 'view', { path: 'a.txt', view_range: [2, 3] }, /^\(lines 2-3 of 3\)\n\ntwo\nthree\n/],
  ['a pair of bounds that ends at the end', 'view', { path: 'a.txt', view_range: [3, -1] }, /^\(lines 3-3 of 3\)/],
  ['an empty hash', 'write', { path: 'c.txt', content: 'x', expected_hash: '', encoding: '' }, /^OK: c\.txt/],
  ['numbers as strings', 'read_file', { name: 'a.txt', start_line: '2', end_line: ' 2 ' }, /\n\ntwo$/],
  ['edits as a string of JSON', 'edit_file', { name: 'a.txt', edits: JSON.stringify([edit]) }, /Total lines: 2/],
  ['edits as one object', 'edit_file', { name: 'a.txt', edits: edit }, /Total lines: 2/],
  [
    'booleans as strings, and meaningless members of an edit',
    'apply_edits',
    { path: 'a.txt', dry_run: 'true', edits: { old_string: 'two', new_string: '2', replace_all: '' } },
    /^Would have replaced 1 /,
  ],
];

const refused: readonly (readonly [title: string, given: Record<string, unknown>, text: RegExp])[] = [
  ['an unknown argument, with the intended name', { name: 'a.txt', startline: 1 }, /startline.*start_line/s],
  ['an unknown argument that is null', { name: 'a.txt', startline: null }, /startline.*start_line/s],
  ['null for a required parameter', { name: null }, /\/name/],
  ['another word for a boolean', { name: 'a.txt', return_hash: 'yes' }, /\/return_hash/],
];

for (const [name, connect] of Object.entries(connections)) {
  describe(`arguments sent by ${name}`, () => {
    it('are accepted if unambiguous, and refused otherwise', () =>
      withDirectory({}, async (directory) => {
        const { client, end } = await connect(directory, options);
        const call = async (title: string, tool: string, given: Record<string, unknown>): Promise<string> => {
          writeFinished(join(directory, 'a.txt'), 'one\ntwo\nthree\n');
          const { content, isError } = await client.callTool({ name: tool, arguments: given });
          assert.equal(
            isError,
            refused.some(([each]) => each === title),
            title,
          );
          return (content as readonly { readonly text: string }[]).map(({ text }) => text).join('\n');
        };
        for (const [title, tool, given, text] of taken) assert.match(await call(title, tool, given), text, title);
        for (const [title, given, text] of refused) assert.match(await call(title, 'read_file', given), text, title);
        await end();
      }));
  });
}
