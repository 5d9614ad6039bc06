/** The effect of a cancellation over stdio on the disk. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import { startProgram } from '../fronts/server-process.js';
import { withHolder } from './lock-holder.js';

const edit = (id: number): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'edit_file', arguments: { name: 'a.txt', append: `edit ${id}` } },
});
const cancel = (requestId: number): object => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});
const ping = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' });

describe('an edit that an MCP client cancels', () => {
  it('while it waits for the file is neither written nor answered; its neighbours are', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const server = startProgram([`--dir=${directory}`, '--transport=stdio', '--log-level=silent']);
      const answered: unknown[] = [];
      const send = (...messages: object[]): void => {
        server.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
      };
      server.lines.on('line', (line) => answered.push(Reflect.get(Object(JSON.parse(line)) as object, 'id')));
      await withHolder(directory, async (holder) => {
        send(edit(1), edit(2), edit(3), ping(4));
        while (!answered.includes(4)) await once(server.lines, 'line');
        send(cancel(2), ping(5));
        while (!answered.includes(5)) await once(server.lines, 'line');
        holder.stdin?.end();
        while (!answered.includes(1) || !answered.includes(3)) await once(server.lines, 'line');
      });
      // Too late: the edit has been written.
      send(cancel(3));
      server.stdin.end();
      await once(server.child, 'exit');
      assert.equal(server.child.exitCode, 0);
      assert.deepEqual(answered.toSorted(), [1, 3, 4, 5]);
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'old\nedit 1\nedit 3\n');
    }));
});
