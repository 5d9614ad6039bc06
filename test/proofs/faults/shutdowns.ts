import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Appends, ending, withEmptyFiles } from '../../reliability/ending.js';
import type { Random } from '../../reliability/random.js';
import { transports } from '../../reliability/server.js';
import type { Figures } from './figures.js';

/** Each on its own connection, so all are sent. */
const inFlight = 100;

/**
 * Send servers SIGTERM at random moments while edits are in flight.
 * @throws AssertionError if an edit is not answered, or acknowledged and not there, or refused and there
 */
export async function endUnderLoad(terms: number, random: Random): Promise<Figures> {
  const took: number[] = [];
  let acknowledged = 0;
  let refused = 0;
  for (let term = 0; term < terms; term++) {
    await withEmptyFiles(random.pick(transports), {}, async (server, directory) => {
      const client = server.connect(inFlight);
      const read = (): Promise<unknown> => client.call('read_file', { name: 'a.txt' });
      // Ensures that every connection has been accepted.
      await Promise.all(Array.from({ length: inFlight }, read));
      const appends = new Appends();
      const replies = appends.send(client, inFlight);
      await Promise.race(replies);
      await sleep(random.between(0, 30));
      const began = performance.now();
      server.process.child.kill('SIGTERM');
      assert.equal(await ending(server.process.child), 0, server.process.errors());
      took.push(performance.now() - began);
      const kinds = (await Promise.all(replies)).map(({ kind }) => kind);
      assert.ok(!kinds.includes('unanswered'), 'each is answered');
      acknowledged += appends.acknowledged;
      refused += appends.refused;
      appends.check(directory);
    });
    if (term % 100 === 99) process.stderr.write(`${String(term + 1)} of ${String(terms)} SIGTERMs\n`);
  }
  took.sort((a, b) => a - b);
  return {
    SIGTERMs: terms,
    acknowledged,
    refused,
    'p99 of the time to end (ms)': Math.round(took[Math.ceil(took.length * 0.99) - 1] ?? 0),
    'lost, left over or not answered': 0,
  };
}
