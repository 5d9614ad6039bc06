import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { withDirectory } from '../../directory.js';
import type { Client } from '../../reliability/client.js';
import { seeded } from '../../reliability/random.js';
import { withServer } from '../../reliability/server.js';

const program = fileURLToPath(new URL('../../reliability/fixtures/in-place-writer.ts', import.meta.url));
/** Number of writes after a pause; without a cache there is nothing to trust by then. */
const variants = [
  { cacheMb: 64, rounds: 40 },
  { cacheMb: 0, rounds: 10 },
];
const readers = 4;

/** All versions have the same length, so only timestamps distinguish them. */
function textOf(version: number): string {
  return `version ${String(version).padStart(8, '0')} `.repeat(60);
}

/** Lend an outside editor of this file; `write` resolves once its version is in the file. */
async function withWriter(path: string, use: (write: (version: number) => Promise<void>) => Promise<void>) {
  const writer = spawn(process.execPath, [...process.execArgv, program, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: writer.stdout });
  try {
    await use(async (version) => {
      const written = once(lines, 'line');
      writer.stdin.write(`${textOf(version)}\n`);
      await written;
    });
  } finally {
    writer.stdin.end();
    await once(writer, 'exit');
  }
}

async function readVersion(client: Client): Promise<number> {
  const reply = await client.call('read_file', { name: 'a.txt' });
  assert.equal(reply.kind, 'done');
  const { content } = reply.result;
  assert.ok(typeof content === 'string');
  return Number(content.slice(8, 16));
}

async function cacheHits(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^file_editor_cache_hits_total (\d+)$/m.exec(text)?.[1]);
}

describe('a file that another process overwrites in place, with the same size, during reads', () => {
  for (const { cacheMb, rounds } of variants) {
    it(`is never read at a version older than the last completed write (--cache-mb=${String(cacheMb)})`, async (test) => {
      const random = seeded(test);
      await withDirectory({ 'a.txt': textOf(0) }, (directory) =>
        withServer('http', directory, { cacheMb }, (server) =>
          withWriter(join(directory, 'a.txt'), async (write) => {
            let completed = 0;
            let reading = true;
            const hammer = async (): Promise<void> => {
              const client = server.connect();
              while (reading) {
                const least = completed;
                const version = await readVersion(client);
                assert.ok(version >= least, `read version ${String(version)} after ${String(least)} was written`);
              }
              client.close();
            };
            const client = server.connect();
            const writeAndRead = async (): Promise<void> => {
              const version = completed + 1;
              await write(version);
              completed = version;
              assert.equal(await readVersion(client), version);
            };
            const hammers = Promise.all(Array.from({ length: readers }, hammer));
            try {
              for (let round = 0; round < rounds; round++) {
                // Long enough for the cache to be trusted about half the time, at times only just.
                await sleep(random.between(0, 220));
                for (let burst = random.between(1, 8); burst > 0; burst--) await writeAndRead();
              }
            } finally {
              reading = false;
            }
            await hammers;
            client.close();
            const hits = await cacheHits(server.url);
            test.diagnostic(`${String(hits)} reads were answered from the cache`);
            if (cacheMb === 0) assert.equal(hits, 0);
            else assert.ok(hits > 100, `the cache took part: ${String(hits)} hits`);
          }),
        ),
      );
    });
  }
});
