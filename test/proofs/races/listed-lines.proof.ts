import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDirectory } from '../../directory.js';
import type { Client } from '../../reliability/client.js';
import { seeded } from '../../reliability/random.js';
import { withServer } from '../../reliability/server.js';

const rounds = 30;
const size = 4096;

/** All versions have the same size, and version n has n lines. */
function bytesOf(version: number): Buffer {
  return Buffer.alloc(size, 'x').fill('\n', 0, version - 1);
}

async function listedVersion(client: Client): Promise<number> {
  const reply = await client.call('list_files', {});
  assert.ok(reply.kind === 'done' && Array.isArray(reply.result['files']), JSON.stringify(reply));
  const lines: unknown = Reflect.get(Object(reply.result['files'][0]), 'lines');
  assert.ok(typeof lines === 'number');
  return lines;
}

async function withRamfs(use: (directory: string) => Promise<void>): Promise<void> {
  await withDirectory({}, async (directory) => {
    execFileSync('mount', ['-t', 'ramfs', 'ramfs', directory]);
    try {
      await use(directory);
    } finally {
      execFileSync('umount', ['-l', directory]);
    }
  });
}

/** New kernels use fine-grained timestamps on the major file systems; ramfs still updates them once per tick. */
const places = [
  {
    place: 'where the temporary files are',
    lend: (use: (directory: string) => Promise<void>) => withDirectory({}, use),
  },
  { place: 'on ramfs', lend: withRamfs, skip: process.getuid?.() === 0 ? false : 'needs root to mount a file system' },
];

describe('a file that another process overwrites in place, with the same size, during listings', () => {
  for (const { place, lend, skip = false } of places) {
    it(`is never listed with a line count older than the last completed write (${place})`, { skip }, (test) =>
      lend(async (directory) => {
        const random = seeded(test);
        const file = openSync(join(directory, 'a.txt'), 'w');
        let completed = 0;
        const write = (): void => {
          const version = completed + 1;
          assert.equal(writeSync(file, bytesOf(version), 0, size, 0), size);
          completed = version;
        };
        write();
        await withServer('http', directory, { durability: 'none' }, async (server) => {
          let listing = true;
          const hammer = async (): Promise<void> => {
            const client = server.connect();
            while (listing) {
              const least = completed;
              const version = await listedVersion(client);
              assert.ok(version >= least, `listed version ${String(version)} after ${String(least)} was written`);
            }
            client.close();
          };
          const hammers = Promise.all([hammer(), hammer()]);
          const client = server.connect();
          try {
            for (let round = 0; round < rounds; round++) {
              // Long enough for the cache to be trusted about half the time, at times only just.
              await sleep(random.between(0, 220));
              for (let burst = random.between(1, 8); burst > 0; burst--) {
                write();
                assert.equal(await listedVersion(client), completed);
              }
            }
          } finally {
            listing = false;
          }
          await hammers;
          client.close();
        });
        closeSync(file);
      }),
    );
  }
});
