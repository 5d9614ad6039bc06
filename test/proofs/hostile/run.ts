/**
 * `npm run prove -- hostile`: tests that take too long for the suite. Runs everything without a flag.
 *
 *   --clients        thousands of connections that flood, drip, abort, stop reading, or do nothing
 *   --backpressure   more waiting calls than fit into memory
 *   --races[=N]      links swapped under calls of every tool, N calls for each front (100,000)
 *   --fuzz[=N]       noise for every parser, N inputs for each (200,000)
 *
 * The environment variable SEED repeats random choices, not timing. Exits with 1 at the first violation.
 */
import { parseArgs } from 'node:util';
import { backpressure } from './backpressure.js';
import { hostileClients } from './clients.js';
import { fuzz } from './fuzz.js';
import { races } from './races.js';
import { say } from './report.js';

const { values } = parseArgs({
  args: process.argv.slice(2).map((flag) => (/^--(?:races|fuzz)$/.test(flag) ? `${flag}=` : flag)),
  options: {
    clients: { type: 'boolean' },
    backpressure: { type: 'boolean' },
    races: { type: 'string' },
    fuzz: { type: 'string' },
  },
});
const all = Object.keys(values).length === 0;
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 32)) >>> 0;
const count = (given: string | undefined, usual: number): number => Number(given === '' ? usual : (given ?? usual));

say('SEED', String(seed));
if (all || values.fuzz !== undefined) await fuzz(count(values.fuzz, 200_000), seed);
if (all || values.backpressure === true) await backpressure();
if (all || values.clients === true) await hostileClients();
if (all || values.races !== undefined) await races(count(values.races, 100_000), seed);
