/** Spec 15: over MCP, where `edit_file` creates missing files, it does not create a look-alike by mistake. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import { startHttpServer } from './server-process.js';
import { connections, type Connected } from './mcp.js';

const orCreate = 'Call list_files to see which files exist, or send create_if_missing: true to create this one.';

type Use = (edit: (given: Record<string, unknown>) => Promise<string>, directory: string) => Promise<void>;

describe('edit_file over MCP on a missing file', () => {
  async function inDirectory(names: readonly string[], use: Use): Promise<void> {
    await withDirectory(Object.fromEntries(names.map((name) => [name, 'old\n'])), async (directory) => {
      const { client, end }: Connected = await connections['sdk 1.x over stdio'](directory, { names: 'unicode' });
      try {
        const edit = async (given: Record<string, unknown>): Promise<string> => {
          const { content } = await client.callTool({ name: 'edit_file', arguments: { append: 'new', ...given } });
          return (content as { text: string }[]).map(({ text }) => text).join('\n');
        };
        await use(edit, directory);
      } finally {
        await end();
      }
    });
  }
  const filesIn = (directory: string): string[] => readdirSync(directory).filter((name) => name !== '.file-editor');
  const created = (name: string): string =>
    `File edited successfully: ${name}\nLines modified: 1\nTotal lines: 1\nFile created: true`;

  const twins: readonly (readonly [file: string, asked: string, told: string])[] = [
    ['a\u202fb.txt', 'a b.txt', "'a\\u202fb.txt' with U+202F"],
    ['a b.txt', 'a\u00a0b.txt', "'a b.txt' with U+0020"],
    ['cafe\u0301.txt', 'caf\u00e9.txt', "'cafe\\u0301.txt' with U+0301"],
  ];
  for (const [file, asked, told] of twins) {
    it(`does not create ${JSON.stringify(asked)} next to ${told} unless asked to`, () =>
      inDirectory([file], async (edit, directory) => {
        const refused = `Error: File '${asked}' not found\nDid you mean ${told}? ${orCreate}`;
        assert.equal(await edit({ name: asked }), refused);
        assert.deepEqual(filesIn(directory), [file]);
        assert.equal(await edit({ name: asked, create_if_missing: true }), created(asked));
        assert.equal(filesIn(directory).length, 2);
        assert.match(await edit({ name: asked }), /^File edited successfully: /);
      }));
  }

  it('creates one whose name differs only in case, and names the other', () =>
    inDirectory(['README.md'], async (edit) => {
      const note = "Note: this file is not 'README.md', whose name differs in case.";
      assert.equal(await edit({ name: 'readme.md' }), `${created('readme.md')}\n${note}`);
      assert.match(await edit({ name: 'readme.md' }), /File created: false$/);
      const both = "Note: this file is not 'README.md' or 'readme.md', whose name differs in case.";
      assert.equal(await edit({ name: 'Readme.md', create_if_missing: true }), `${created('Readme.md')}\n${both}`);
    }));

  it('creates any other without a note', () =>
    inDirectory(['README.md'], async (edit) => {
      assert.equal(await edit({ name: 'README' }), created('README'));
      assert.equal(await edit({ name: 'REAMDE.md' }), created('REAMDE.md'));
    }));

  it('creates look-alikes over other fronts, which create files only if asked to', () =>
    withDirectory({ 'a b.txt': 'old\n', 'README.md': '' }, async (directory) => {
      const server = await startHttpServer(directory, { names: 'unicode' });
      try {
        for (const name of ['a\u00a0b.txt', 'readme.md']) {
          const response = await server.post('/edit_file', { name, append: 'new', create_if_missing: true });
          const result = { success: true, lines_modified: 1, file_created: true, new_total_lines: 1 };
          assert.deepEqual(await response.json(), result);
        }
      } finally {
        await server.stop();
      }
    }));
});
