/** Spec 5.5 and 6: a full disk gives a clear error, the file stays unchanged, and everything works again later. */
import assert from 'node:assert/strict';
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Reply } from './client.js';
import { temporaryFiles, transports, withServer } from './server.js';
import { cannotMount, withDisk } from './small-disk.js';

const text = 'a line of text\n'.repeat(4000);
const created = ['new.txt', 'another.txt'];

/** Ways to fill a disk, each with its undo. */
const shortages: readonly { of: string; cause: (disk: string) => () => void }[] = [
  {
    of: 'bytes',
    cause: (disk) => {
      const filler = join(disk, '.filler');
      const fd = openSync(filler, 'w');
      try {
        // A full disk shows as a short write before it shows as an error.
        while (writeSync(fd, Buffer.alloc(4096)) > 0);
      } catch (error) {
        assert.match(String(error), /ENOSPC/);
      } finally {
        closeSync(fd);
      }
      return () => {
        rmSync(filler);
      };
    },
  },
  {
    of: 'inodes',
    cause: (disk) => {
      const fillers: string[] = [];
      try {
        for (;;) {
          const filler = join(disk, `.filler${String(fillers.length)}`);
          writeFileSync(filler, '');
          fillers.push(filler);
        }
      } catch (error) {
        assert.match(String(error), /ENOSPC/);
      }
      return () => {
        for (const filler of fillers) rmSync(filler);
      };
    },
  },
];

function assertNoSpace(reply: Reply, name: string): void {
  assert.ok(reply.kind === 'refused', JSON.stringify(reply));
  assert.equal(reply.code, -32001);
  assert.equal(reply.status ?? 500, 500);
  assert.equal(reply.message, 'Failed to write file atomically: ENOSPC: no space left on device');
  assert.deepEqual([reply.data['errno'], reply.data['filename']], ['ENOSPC', name]);
  assert.equal(reply.data['applied'], undefined);
}

const withoutFillers = (disk: string): string[] =>
  readdirSync(disk).filter((name) => !name.startsWith('.filler') && name !== '.file-editor');

async function assertReadable(client: Client): Promise<void> {
  const read = await client.call('read_file', { name: 'a.txt' });
  assert.ok(read.kind === 'done' && `${String(read.result['content'])}\n` === text, 'reads go on');
  const list = await client.call('list_files', {});
  assert.ok(list.kind === 'done' && list.result['total_count'] === 1, JSON.stringify(list));
}

async function fillAndFree(disk: string, client: Client, cause: (disk: string) => () => void): Promise<void> {
  // The last edit frees the replaced file after its answer, which would make room again.
  await sleep(200);
  const free = cause(disk);
  const replies = await Promise.all([
    client.call('edit_file', { name: 'a.txt', append: 'more' }),
    client.call('edit_file', { name: 'a.txt', edits: [{ line: 1, operation: 'replace', content: 'other' }] }),
    ...created.map((name) => client.call('edit_file', { name, append: 'text\n', create_if_missing: true })),
  ]);
  for (const [i, reply] of replies.entries()) assertNoSpace(reply, created[i - 2] ?? 'a.txt');
  assert.equal(readFileSync(join(disk, 'a.txt'), 'utf8'), text);
  assert.deepEqual(withoutFillers(disk), ['a.txt'], 'nothing was made');
  assert.deepEqual(temporaryFiles(disk), []);
  await assertReadable(client);

  free();
  for (const name of created) {
    const reply = await client.call('edit_file', { name, append: 'text\n', create_if_missing: true });
    assert.equal(reply.kind, 'done', JSON.stringify(reply));
    rmSync(join(disk, name));
  }
  const edit = await client.call('edit_file', { name: 'a.txt', edits: [{ line: 1, operation: 'delete' }] });
  assert.equal(edit.kind, 'done', JSON.stringify(edit));
  assert.equal(readFileSync(join(disk, 'a.txt'), 'utf8'), text.slice(text.indexOf('\n') + 1));
  assert.equal(readFileSync(join(disk, '.file-editor/.gitignore'), 'utf8'), '*\n');
  assert.deepEqual(temporaryFiles(disk), []);
  writeFileSync(join(disk, 'a.txt'), text);
}

describe('a full disk', { timeout: 600_000, skip: cannotMount() }, () => {
  for (const transport of transports) {
    for (const { of, cause } of shortages) {
      it(`without free ${of} makes edits over ${transport} fail without harm`, () =>
        withDisk((disk) => {
          writeFileSync(join(disk, 'a.txt'), text);
          return withServer(transport, disk, {}, async (server) => {
            const client = server.connect(4);
            // Before the reserved directory exists, and again once it does.
            await fillAndFree(disk, client, cause);
            await fillAndFree(disk, client, cause);
            assert.equal(await server.process.stop(), 0, server.process.errors());
          });
        }));
    }
  }
});
