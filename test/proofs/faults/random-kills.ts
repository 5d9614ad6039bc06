import { killAgainAndAgain } from '../../reliability/kill-scene.js';
import type { Random } from '../../reliability/random.js';
import type { Figures } from './figures.js';

/** Each in its own directory, since every line ever written is checked after every kill. */
const batch = 100;

/**
 * Kill servers at random moments while four clients edit.
 * @throws AssertionError at the first broken promise
 */
export async function killAtRandom(kills: number, random: Random): Promise<Figures> {
  let acknowledged = 0;
  let leftovers = 0;
  let readyMs = 0;
  for (let done = 0; done < kills; done += batch) {
    const outcome = await killAgainAndAgain(Math.min(batch, kills - done), random);
    acknowledged += outcome.acknowledged;
    leftovers += outcome.leftovers;
    readyMs = Math.max(readyMs, outcome.readyMs);
    process.stderr.write(`${String(Math.min(kills, done + batch))} of ${String(kills)} kills\n`);
  }
  return {
    kills,
    'acknowledged appends': acknowledged,
    'writes cut in their middle': leftovers,
    'longest start (ms)': readyMs,
    'lost, torn, locked or left over': 0,
  };
}
