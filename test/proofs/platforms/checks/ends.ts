/** How a server ends, what it says meanwhile, and what is gone when it says so. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../http.js';
import { lendServer, startHttpServer, startServer, textOf, withDirectory } from '../scene.js';
import { onWindows } from '../target.js';

const inFlight = 20;

describe('the end of a server', () => {
  it('comes with the end of its input, after every answer, with exit code 0', () =>
    withDirectory({ 'a.txt': 'start\n' }, async (directory) => {
      const server = await startServer(directory);
      const calls = Array.from({ length: inFlight }, (_, i) =>
        server.done('edit_file', { name: 'a.txt', append: `line ${i}` }),
      );
      const code = await server.end();
      await Promise.all(calls);
      assert.equal(code, 0, server.errors());
      assert.equal(textOf(directory, 'a.txt').split('\n').length, inFlight + 2);
    }));

  it('comes by SIGTERM over HTTP, with exit code 0', { skip: onWindows && 'there are no signals' }, () =>
    withDirectory({}, async (directory) => {
      const server = await startHttpServer(directory);
      assert.equal(await server.stop(), 0, server.errors());
    }),
  );
});

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
      // A busy machine is no news.
      const lines = server.errors().split('\n');
      const warnings = lines.filter((line) => /"level":"(?:warn|error|fatal)"/.test(line) && !line.includes('startMs'));
      assert.deepEqual(warnings, []);
      assert.doesNotMatch(server.errors(), /sync/i);
    }));
});

describe('a name', () => {
  const scene = lendServer({ 'sub/a.txt': 'x', 'sub/b.txt': 'x' });

  it('that was deleted or renamed is gone when the answer comes', async () => {
    const names = (): string[] => readdirSync(join(scene.directory, 'sub')).sort();
    for (let round = 0; round < 8; round++) {
      // It has just been read and edited: the server may still have it open.
      await scene.server.done('view', { path: 'sub/a.txt' });
      await scene.server.done('apply_edits', { path: 'sub/a.txt', edits: [{ at: 'end', new_string: 'y' }] });
      await scene.server.done('delete', { path: 'sub/a.txt' });
      assert.deepEqual(names(), ['b.txt']);
      await scene.server.done('create', { path: 'sub/a.txt', content: 'x' });
      await scene.server.done('apply_changes', { changes: [{ path: 'sub/a.txt', delete: true }] });
      assert.deepEqual(names(), ['b.txt']);
      const changes = [
        { path: 'sub/a.txt', content: 'x' },
        { path: 'sub/b.txt', rename_to: 'sub/c.txt' },
      ];
      await scene.server.done('apply_changes', { changes });
      assert.deepEqual(names(), ['a.txt', 'c.txt']);
      await scene.server.done('rename', { old_path: 'sub/c.txt', new_path: 'sub/b.txt' });
      assert.deepEqual(names(), ['a.txt', 'b.txt']);
    }
  });

  it('of a directory is free for a file, once it is empty and deleted', async () => {
    await scene.server.done('create', { path: 'empty/file.txt', content: 'x' });
    await scene.server.done('delete', { path: 'empty/file.txt' });
    await scene.server.done('delete', { path: 'empty' });
    await scene.server.done('create', { path: 'empty', content: 'x' });
  });
});

/** A file of tokens with the one of this value. */
function tokens(value: string): string {
  const sha256 = createHash('sha256').update(value).digest('hex');
  return JSON.stringify({ tokens: [{ name: 'agent', sha256, access: 'write' }] });
}

describe('on Windows', { skip: !onWindows && 'SIGHUP says so here' }, () => {
  it('a changed file of tokens holds within 5 s', () =>
    withDirectory({ 'tokens.json': tokens('old'), 'served/a.txt': 'x\n' }, async (directory) => {
      const file = join(directory, 'tokens.json');
      const server = await startHttpServer(join(directory, 'served'), [`--tokens=${file}`]);
      const statusFor = async (token: string): Promise<number | undefined> =>
        (await send(server.url, '/read_file', { name: 'a.txt' }, token)).status;
      try {
        assert.deepEqual([await statusFor('old'), await statusFor('new')], [200, 401]);
        writeFileSync(file, tokens('new'));
        const changed = performance.now();
        while ((await statusFor('new')) !== 200 && performance.now() - changed < 5000) await sleep(100);
        assert.deepEqual([await statusFor('old'), await statusFor('new')], [401, 200]);
      } finally {
        await server.kill();
      }
    }));
});
