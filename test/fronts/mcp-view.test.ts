import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import { makeFifo } from '../operations/special-files.js';
import { connections } from './mcp.js';

describe('a directory as a model sees it', () => {
  const files = { 'a.txt': 'text', '.hidden': '', 'sub/.git/config': '', 'sub/b.txt': 'é', 'sub/.x': '' };

  it('has a line for each entry: its type, or the target of a link', () =>
    withDirectory(files, async (directory) => {
      mkdirSync(join(directory, 'empty'));
      mkdirSync(join(directory, '.file-editor'));
      makeFifo(join(directory, 'pipe'));
      for (const [name, target] of [
        ['link-to-directory', 'sub'],
        ['link-to-file', 'sub/b.txt'],
        ['link-to-root', '.'],
        ['link-out', '/'],
        ['link-reserved', '.file-editor'],
        ['link-to-nothing', 'missing'],
        ['link-to-link', 'link-to-file'],
        ['link-to-itself', 'link-to-itself'],
      ] as const) {
        symlinkSync(target, join(directory, name));
      }
      const { client, end } = await connections['sdk 1.x over stdio'](directory, { toolset: 'storage' });
      const view = async (path: string): Promise<unknown> => {
        const { content } = await client.callTool({ name: 'view', arguments: { path } });
        return (content as [{ text: string }])[0].text.split('\n');
      };
      try {
        assert.deepEqual(await view(''), [
          'a.txt (4 bytes)',
          'empty/',
          'link-out (cannot be viewed)',
          'link-reserved (cannot be viewed)',
          'link-to-directory/',
          'link-to-file (2 bytes)',
          'link-to-itself (cannot be viewed)',
          'link-to-link (2 bytes)',
          'link-to-nothing (cannot be viewed)',
          'link-to-root/',
          'pipe (cannot be viewed)',
          'sub/',
          '(1 hidden entry not shown)',
        ]);
        assert.deepEqual(await view('sub'), ['b.txt (2 bytes)', '(2 hidden entries not shown)']);
        assert.deepEqual(await view('empty'), ['(empty)']);
      } finally {
        await end();
      }
    }));
});
