import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDirectory } from '../directory.js';
import type { Client, Reply } from './client.js';
import { withServer, type Server, type Transport } from './server.js';

export interface Scene {
  /** The working directory; a.txt in it says `first`. */
  readonly directory: string;
  /** A sibling path that does not exist. */
  readonly elsewhere: string;
  readonly server: Server;
  readonly client: Client;
}

export async function withScene(transport: Transport, use: (scene: Scene) => Promise<void>): Promise<void> {
  await withDirectory({ 'work/a.txt': 'first\n' }, async (parent) => {
    const directory = join(parent, 'work');
    await withServer(transport, directory, {}, async (server) => {
      const scene = { directory, elsewhere: join(parent, 'elsewhere'), server, client: server.connect(4) };
      // Twice, since the first read may be cached.
      for (let i = 0; i < 2; i++) await assertServed(scene, 'first');
      assert.equal((await edit(scene, 'other.txt')).kind, 'done');
      await use(scene);
      assert.equal(await server.process.stop(), 0);
    });
  });
}

export const edit = ({ client }: Scene, name: string): Promise<Reply> =>
  client.call('edit_file', { name, append: 'more', create_if_missing: true });

async function health({ server }: Scene): Promise<number> {
  return server.url === '' ? 0 : (await fetch(`${server.url}/health`)).status;
}

export async function assertServed(scene: Scene, content: string): Promise<void> {
  const read = await scene.client.call('read_file', { name: 'a.txt' });
  assert.ok(read.kind === 'done', JSON.stringify(read));
  assert.equal(read.result['content'], content);
  const list = await scene.client.call('list_files', {});
  assert.ok(list.kind === 'done' && list.result['directory'] === scene.directory, JSON.stringify(list));
  if (scene.server.url !== '') assert.equal(await health(scene), 200);
}

/** Every operation reports it, and nothing is created anywhere. */
export async function assertUnusable(scene: Scene, status: 403 | 404): Promise<void> {
  const replies = await Promise.all([
    scene.client.call('read_file', { name: 'a.txt' }),
    scene.client.call('list_files', {}),
    edit(scene, 'a.txt'),
    edit(scene, 'new.txt'),
  ]);
  for (const reply of replies) assertNoDirectory(reply, status);
  if (scene.server.url !== '') assert.equal(await health(scene), 503);
}

export function assertNoDirectory(reply: Reply, status: 403 | 404): void {
  assert.ok(reply.kind === 'refused', JSON.stringify(reply));
  assert.deepEqual([reply.code, reply.message], [-32001, 'Cannot access working directory']);
  assert.equal(reply.status ?? status, status);
}

/** Move the directory to `elsewhere` and replace it with another. */
export function replaceDirectory({ directory, elsewhere }: Scene, files: Readonly<Record<string, string>>): void {
  const next = `${elsewhere}-next`;
  mkdirSync(next);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(next, name), content);
  renameSync(directory, elsewhere);
  renameSync(next, directory);
}

/** File contents by name. */
export const contents = (directory: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => [name, readFileSync(join(directory, name), 'utf8')]),
  );
