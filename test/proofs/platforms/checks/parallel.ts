/** Two servers of one directory, and many edits at the same time. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Reply } from '../../../reliability/client.js';
import { textOf } from '../files.js';
import { allEnded, lendServer, type Server } from '../scene.js';
import { ignoresCase, target } from '../target.js';

const appends = target.slowness > 2 ? 30 : 60;
const twoNames = !ignoresCase && 'names differ by case here';

describe('two servers of one directory', () => {
  const scene = lendServer({ 'one/two/log.txt': 'start\n', 'Dir/Sub/Log.txt': 'start\n', 'all.txt': 'start\n' }, [], 2);
  /** One of the servers. */
  const server = (i: number): Server => scene.servers[i % 2] ?? scene.server;

  /** Append numbered lines by both servers at once, each to its spelling of the path. All must be acknowledged and there. */
  async function appendByBoth(paths: readonly [string, string]): Promise<void> {
    const sent = Array.from({ length: appends }, (_, i) =>
      server(i).done('apply_edits', { path: paths[i % 2], edits: [{ at: 'end', new_string: `line ${i}\n` }] }),
    );
    await allEnded(sent);
    const lines = textOf(scene.directory, paths[0]).split('\n').slice(0, -1);
    const expected = Array.from({ length: appends }, (_, i) => `line ${i}`);
    assert.deepEqual(lines.toSorted(), ['start', ...expected].toSorted());
  }

  it('lose no acknowledged append to one file', () => appendByBoth(['one/two/log.txt', 'one/two/log.txt']));

  it('lose none where each spells the path in its own way', { skip: twoNames }, async () => {
    await appendByBoth(['Dir/sub/LOG.TXT', 'DIR/Sub/log.txt']);
    assert.deepEqual(readdirSync(join(scene.directory, 'Dir/Sub')), ['Log.txt']);
  });

  it('create a file once, whoever is first', async () => {
    for (let round = 0; round < 5; round++) {
      const path = `made/two/${round}.txt`;
      const create = (i: number): Promise<Reply> => server(i).call('create', { path, content: `${i}` });
      const replies = await Promise.all([create(0), create(1)]);
      const winner = replies.findIndex(({ kind }) => kind === 'done');
      const loser = replies[1 - winner];
      assert.ok(loser?.kind === 'refused' && loser.data['reason'] === 'file_exists', JSON.stringify(replies));
      assert.equal(textOf(scene.directory, path), `${winner}`);
    }
  });

  it('make parallel edits of many files and of one', async () => {
    const names = Array.from({ length: 10 }, (_, i) => `own-${i}.txt`);
    // Of one server: its edits of a file keep their order.
    const edit = (name: string, append: string): Promise<unknown> =>
      scene.server.done('edit_file', { name, append, create_if_missing: true });
    await allEnded(names.flatMap((name) => [edit(name, 'mine'), edit('all.txt', name), edit(name, 'again')]));
    for (const name of names) assert.equal(textOf(scene.directory, name), 'mine\nagain\n');
    assert.equal(textOf(scene.directory, 'all.txt'), `start\n${names.map((name) => `${name}\n`).join('')}`);
  });
});
