/** The buffer of a large answer is reused as soon as it is free, and never sooner. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDirectory } from '../directory.js';
import { flags, freePort, startProgram } from '../fronts/server-process.js';
import { seeded, type Random } from './random.js';

const files = 12;
const clients = 10;
const rounds = 6;

const nameOf = (index: number): string => `${String(index)}.txt`;
/** Sizes close enough for buffers to be interchangeable. */
const textOf = (index: number): string => `file ${String(index)}, "quoted"\n`.repeat(40_000 + 500 * index);

const longest = textOf(files - 1).length;

/** How a client reads its answer: fully, slowly, or only in part. */
type Manner = 'at once' | 'slowly' | 'breaks off';

/** @returns what it read, undefined if it disconnected */
async function take(url: string, name: string, manner: Manner, random: Random): Promise<unknown> {
  const response = await fetch(`${url}/read_file`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  assert.equal(response.status, 200);
  if (manner === 'at once') return response.json();
  const pieces: Uint8Array[] = [];
  const enough = random.between(1, longest);
  let taken = 0;
  for await (const piece of response.body ?? []) {
    assert.ok(piece instanceof Uint8Array);
    pieces.push(piece);
    taken += piece.length;
    // Its connection is closed.
    if (manner === 'breaks off' && taken > enough) return undefined;
    if (random.between(0, 9) === 0) await sleep(5);
  }
  return JSON.parse(Buffer.concat(pieces).toString());
}

describe('large answers to many clients, some slow and some that disconnect', { timeout: 600_000 }, () => {
  for (const nodeListener of [false, true]) {
    for (const cacheMb of [0, 4]) {
      const where = `${nodeListener ? 'node:http' : 'uWebSockets.js'}, --cache-mb=${String(cacheMb)}`;
      it(`each contain the text of their own file (${where})`, (test) => {
        const random = seeded(test);
        const texts = Object.fromEntries(Array.from({ length: files }, (_, index) => [nameOf(index), textOf(index)]));
        return withDirectory(texts, async (directory) => {
          const port = await freePort();
          const server = startProgram(flags({ dir: directory, port, cacheMb }), { nodeListener });
          await once(server.lines, 'line');
          const url = `http://127.0.0.1:${String(port)}`;
          const client = async (): Promise<void> => {
            for (let round = 0; round < rounds; round++) {
              const name = nameOf(random.between(0, files - 1));
              const manner = random.pick<Manner>(['at once', 'at once', 'slowly', 'breaks off']);
              const answer = await take(url, name, manner, random);
              if (answer === undefined) continue;
              // Not assert.deepEqual, which prints both texts in full on failure.
              const { content } = answer as { content: string };
              assert.ok(content === texts[name]?.slice(0, -1), `${name}: ${content.slice(0, 40)}`);
            }
          };
          try {
            await Promise.all(Array.from({ length: clients }, client));
          } finally {
            assert.equal(await server.stop(), 0);
          }
        });
      });
    }
  }
});
