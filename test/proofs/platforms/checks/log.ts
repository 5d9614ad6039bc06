/** Spec 6 and 19: what a server says to its log while all goes well. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withDirectory } from '../files.js';
import { send } from '../http.js';
import { startHttpServer } from '../scene.js';

describe('the log of a server', () => {
  it('says nothing about syncs of directories, and warns of nothing', () =>
    withDirectory({ 'one/a.txt': 'x\n', 'b.txt': 'x\n' }, async (directory) => {
      const server = await startHttpServer(directory);
      const done = async (operation: string, params: object): Promise<void> => {
        const { status, body } = await send(server.url, `/${operation}`, params);
        assert.equal(status, 200, JSON.stringify(body));
      };
      try {
        await done('create', { path: 'new/made.txt', content: 'x' });
        await done('edit_file', { name: 'b.txt', append: 'y' });
        const changes = [
          { path: 'one/a.txt', edits: [{ old_string: 'x', new_string: 'y' }] },
          { path: 'b.txt', delete: true },
        ];
        await done('apply_changes', { changes });
        await done('rename', { old_path: 'new/made.txt', new_path: 'other/made.txt' });
        await done('delete', { path: 'other/made.txt' });
      } finally {
        await server.kill();
      }
      // That the machine is busy is no news.
      const lines = server.errors().split('\n');
      const warnings = lines.filter(
        (line) => /"level":"(?:warn|error|fatal)"/.test(line) && !/startMs|eventLoop/.test(line),
      );
      assert.deepEqual(warnings, []);
      assert.doesNotMatch(server.errors(), /sync/i);
    }));
});
