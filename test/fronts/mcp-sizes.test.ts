/**
 * The largest answers of every operation: no message to an MCP client exceeds 9 MiB, since official clients end the
 * session at 10 MiB.
 */
import assert from 'node:assert/strict';
import { linkSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { emptyDirectory, lendToSuite, writeFinished } from '../directory.js';
import { connections, type Connected, type ConnectionName } from './mcp.js';

const mostBytes = 9_437_184;
const megabyte = 1_048_576;

/** Each takes six bytes of JSON. */
const control = '\u0001';
/** Each entry takes 3 kB in text plus structure. All are names of one file, since creating files is slow. */
const longNames = Array.from(
  { length: 6_000 },
  (_, index) => `${String(index).padStart(4, '0')}${control.repeat(250)}`,
);
const lines = Array.from({ length: 740_000 }, (_, index) => `${String(index + 1)}\n`).join('');
const files = {
  lines,
  'nine-megabytes': lines.repeat(2).slice(0, 9_300_000),
  'one-line': control.repeat(1_900_000),
  'four-megabytes': Buffer.alloc(4 * megabyte, 0xff),
  'seven-megabytes': Buffer.alloc(7.5 * megabyte, 0xff),
};

interface Told {
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

async function call({ client }: Connected, name: string, given: Record<string, unknown>): Promise<Told> {
  const result = await client.callTool({ name, arguments: given });
  const bytes = Buffer.byteLength(JSON.stringify(result));
  assert.ok(bytes <= mostBytes, `${name} was answered by ${String(bytes)} bytes`);
  const { content, structuredContent = {}, isError } = result;
  const [{ text }] = content as [{ text: string }];
  return { text, structured: structuredContent as Told['structured'], isError: isError === true };
}

const runs: readonly (readonly [ConnectionName, textOnly: boolean])[] = [
  ['sdk 1.x over stdio', false],
  ['client 2.x over stdio', true],
];

for (const [connection, textOnly] of runs) {
  describe(`the largest answers to ${connection}${textOnly ? ', text only' : ''}`, () => {
    let connected: Connected;
    let directory = '';

    lendToSuite(files, async (path) => {
      directory = path;
      const options = {
        toolset: 'all',
        names: 'unicode',
        mcpMaxChars: 2_000_000,
        ...(textOnly ? { mcpTextOnly: true } : {}),
      };
      connected = await connections[connection](directory, options);
      return connected.end;
    });

    for (const [tool, name] of [
      ['view', 'path'],
      ['read_file', 'name'],
    ] as const) {
      it(`${tool} cuts a text after a line, says how to continue, and continues there`, async () => {
        for (const file of ['lines', 'nine-megabytes']) {
          const told = await call(connected, tool, { [name]: file });
          assert.equal(told.isError, false);
          assert.ok(Array.from(told.text).length <= 2_000_000);
          const [, next] = /\n\n\[Only lines .* Go on with start_line (\d+)\.\]$/.exec(told.text) ?? [];
          const more = await call(connected, tool, { [name]: file, start_line: Number(next), end_line: Number(next) });
          assert.match(more.text, new RegExp(`\\n\\n${String(next)}\\n?$`));
        }
      });

      it(`${tool} cuts an overlong line`, async () => {
        const { text, isError } = await call(connected, tool, { [name]: 'one-line' });
        assert.equal(isError, false);
        assert.match(text, /\u0001…\n\n\[Only the first \d+ characters of line 1 are above: /);
      });
    }

    it(
      'view cuts its structured content as if that range had been requested',
      { skip: textOnly && 'it tells none' },
      async () => {
        const { text, structured } = await call(connected, 'view', { path: 'lines' });
        const [, last] = /^\(lines 1-(\d+) of 740000\)\n\n/.exec(text) ?? [];
        const end_line = Number(last);
        assert.equal(structured['content'], lines.slice(0, lines.indexOf(`\n${String(end_line + 1)}\n`) + 1));
        assert.equal(structured['total_lines'], 740_000);
        assert.deepEqual(structured['range_requested'], { start_line: 1, end_line });
      },
    );

    it('view refuses only base64 that is too long', async () => {
      const [fits, tooLarge] = textOnly ? [4 * megabyte, 7.5 * megabyte] : [0, 4 * megabyte];
      for (const file of ['four-megabytes', 'seven-megabytes'] as const) {
        const { text, isError } = await call(connected, 'view', { path: file });
        const { length } = files[file];
        if (length <= fits) assert.match(text.slice(0, 60), new RegExp(`^\\(base64 of ${String(length)} bytes\\)\\n/`));
        if (length < tooLarge) continue;
        assert.equal(isError, true);
        assert.match(
          text,
          /^Error: The base64 of \d+ bytes is too long for one answer\nOnly text can be read in parts, /,
        );
      }
    });

    it('overlong lists are refused', async () => {
      for (const name of longNames.slice(0, textOnly ? 6_000 : 3_200))
        linkSync(join(directory, 'lines'), join(directory, name));
      const list = await call(connected, 'list_files', {});
      assert.match(
        list.text,
        /^Error: The list of \d+ files is too long for one answer\nName the file that you need: /,
      );
      const view = await call(connected, 'view', { path: '' });
      assert.match(
        view.text,
        /^Error: The list of \d+ entries is too long for one answer\nView what you need by its path: /,
      );
      emptyDirectory(directory);
    });

    // The rest is no longer for a text-only client.
    if (textOnly) return;

    it('many replacements are reported', async () => {
      writeFinished(join(directory, 'many'), 'a\n'.repeat(200_000));
      const edits = [{ old_string: 'a', new_string: 'b', replace_all: true }];
      const { text, isError } = await call(connected, 'apply_edits', { path: 'many', edits });
      assert.equal(isError, false);
      assert.match(text, /^Replaced 200000 occurrences in many /);
      assert.equal(readFileSync(join(directory, 'many'), 'utf8').indexOf('a'), -1);
    });

    it('text sent in a request is not echoed', async () => {
      const long = 'x'.repeat(1_000_000);
      writeFinished(join(directory, 'a.txt'), 'text');
      for (const [name, given] of [
        ['view', { path: long }],
        ['view', { path: 'a.txt', [long]: 1 }],
        ['read_file', { name: long }],
        ['create', { path: 'a.txt', content: '', encoding: long }],
        ['str_replace', { path: 'a.txt', old_str: long, new_str: '' }],
        ['apply_edits', { path: 'a.txt', edits: [{ old_string: long, new_string: '' }] }],
        ['edit_file', { name: 'a.txt', edits: [{ line: 1, operation: long }] }],
      ] as const) {
        const { text, isError } = await call(connected, name, given);
        assert.equal(isError, true, name);
        assert.ok(text.length < 20_000, `${name}: ${String(text.length)} characters`);
      }
    });
  });
}
