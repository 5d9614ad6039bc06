import { Directories } from './directory.js';
import { Autocannon } from './load/autocannon.js';
import type { Generator } from './load/generator.js';
import { hasWrk, Wrk } from './load/wrk.js';

/** Shared by all measurements of a run. */
export interface Bench {
  readonly load: Generator;
  readonly directories: Directories;
  /** Length of a measurement, without its warm-up. */
  readonly measureMs: number;
}

/**
 * Lend what measurements need and clean up afterwards.
 * @param generator `best` is wrk where it is installed: autocannon saturates a processor at 50,000 requests a second
 *   and so hides anything faster. `autocannon` runs on every machine: use it for figures that must be comparable.
 */
export async function withBench<Result>(
  measureMs: number,
  generator: 'best' | 'autocannon',
  use: (bench: Bench) => Promise<Result>,
): Promise<Result> {
  const load = generator === 'best' && hasWrk ? new Wrk() : new Autocannon();
  const directories = new Directories();
  try {
    return await use({ load, directories, measureMs });
  } finally {
    load.close();
    directories.remove();
  }
}
