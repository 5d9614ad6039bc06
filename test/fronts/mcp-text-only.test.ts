/** --mcp-text-only through the official clients, which hold the result of a tool against the schema that it lists. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operations } from '../../src/core/operations.js';
import { withDirectory } from '../directory.js';
import { connections } from './mcp.js';

describe('with --mcp-text-only', () => {
  for (const [connection, connect] of Object.entries(connections)) {
    it(`a client lists, reads and edits, and is given text alone: ${connection}`, () =>
      withDirectory({ 'a.txt': 'one\ntwo\n' }, async (directory) => {
        const { client, end } = await connect(directory, { toolset: 'all', mcpTextOnly: true });
        const texts = async (name: string, given: Record<string, unknown>, failed = false): Promise<unknown> => {
          const { content, isError, ...others } = await client.callTool({ name, arguments: given });
          assert.equal(isError, failed);
          assert.ok(!('structuredContent' in others));
          return content;
        };
        try {
          const { tools } = await client.listTools();
          assert.equal(tools.length, operations.size);
          for (const { name, outputSchema } of tools) assert.equal(outputSchema, undefined, name);

          assert.deepEqual(await texts('read_file', { name: 'a.txt' }), [
            { type: 'text', text: 'File: a.txt (2 lines)\n\none\ntwo' },
          ]);
          const edits = [{ line: 1, operation: 'replace', content: 'uno' }];
          assert.deepEqual(await texts('edit_file', { name: 'a.txt', edits }), [
            {
              type: 'text',
              text: 'File edited successfully: a.txt\nLines modified: 1\nTotal lines: 2\nFile created: false',
            },
          ]);
          assert.deepEqual(await texts('view', { path: 'a.txt' }), [{ type: 'text', text: 'uno\ntwo\n' }]);
          assert.deepEqual(await texts('view', { path: 'b.txt' }, true), [
            {
              type: 'text',
              text: "Error: File not found: b.txt\nDid you mean 'a.txt'? Check the path: look into the directory above it to see what is there.",
            },
          ]);
        } finally {
          await end();
        }
      }));
  }
});
