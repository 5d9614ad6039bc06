/** Two servers of one directory, and many edits at the same time. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { startServer, textOf, withDirectory, type Server } from '../scene.js';
import { ignoresCase, target } from '../target.js';

const appends = target.slowness > 2 ? 30 : 60;

async function withTwoServers(
  files: Readonly<Record<string, string>>,
  use: (directory: string, servers: readonly [Server, Server]) => Promise<void>,
): Promise<void> {
  await withDirectory(files, async (directory) => {
    const servers = await Promise.all([startServer(directory), startServer(directory)]);
    try {
      await use(directory, servers);
    } finally {
      await Promise.all(servers.map((server) => server.kill()));
    }
  });
}

/** Append numbered lines by both servers at once, each to its spelling of the path. All must be acknowledged and there. */
async function appendByBoth(
  directory: string,
  servers: readonly [Server, Server],
  paths: readonly [string, string],
): Promise<void> {
  const sent = Array.from({ length: appends }, (_, i) => {
    const [server, path] = i % 2 === 0 ? [servers[0], paths[0]] : [servers[1], paths[1]];
    return server.done('apply_edits', { path, edits: [{ at: 'end', new_string: `line ${i}\n` }] });
  });
  await Promise.all(sent);
  const lines = textOf(directory, paths[0]).split('\n').slice(0, -1);
  const expected = Array.from({ length: appends }, (_, i) => `line ${i}`);
  assert.deepEqual(lines.toSorted(), ['start', ...expected].toSorted());
}

describe('two servers of one directory', () => {
  it('lose no acknowledged append to one file', () =>
    withTwoServers({ 'one/two/log.txt': 'start\n' }, (directory, servers) =>
      appendByBoth(directory, servers, ['one/two/log.txt', 'one/two/log.txt']),
    ));

  it('lose none where each spells the path in its own way', { skip: !ignoresCase && 'names differ by case here' }, () =>
    withTwoServers({ 'Dir/Sub/Log.txt': 'start\n' }, async (directory, servers) => {
      await appendByBoth(directory, servers, ['Dir/sub/LOG.TXT', 'DIR/Sub/log.txt']);
      assert.deepEqual(readdirSync(`${directory}/Dir/Sub`), ['Log.txt']);
    }),
  );

  it('create a file once, whoever is first', () =>
    withTwoServers({}, async (directory, servers) => {
      for (let round = 0; round < 5; round++) {
        const path = `one/two/${round}.txt`;
        const replies = await Promise.all(servers.map((server, i) => server.call('create', { path, content: `${i}` })));
        const winner = replies.findIndex(({ kind }) => kind === 'done');
        const loser = replies[1 - winner];
        assert.ok(loser?.kind === 'refused' && loser.data['reason'] === 'file_exists', JSON.stringify(replies));
        assert.equal(textOf(directory, path), `${winner}`);
      }
    }));
});

describe('one server', () => {
  it('makes parallel edits of many files and of one', () =>
    withTwoServers({ 'all.txt': 'start\n' }, async (directory, [server]) => {
      const names = Array.from({ length: 10 }, (_, i) => `own-${i}.txt`);
      const edit = (name: string, append: string): Promise<unknown> =>
        server.done('edit_file', { name, append, create_if_missing: true });
      await Promise.all(names.flatMap((name) => [edit(name, 'mine'), edit('all.txt', name), edit(name, 'again')]));
      for (const name of names) assert.equal(textOf(directory, name), 'mine\nagain\n');
      assert.equal(textOf(directory, 'all.txt'), `start\n${names.map((name) => `${name}\n`).join('')}`);
    }));
});
