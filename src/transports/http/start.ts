/** Chooses between the two HTTP listeners. */
import type { Address, Config } from '../../config/config.js';
import { StartError } from '../../config/start-error.js';
import type { Budget } from '../../call/budget.js';
import type { Log } from '../../observe/log.js';
import type { Listener, Site } from './site.js';

/**
 * Listen as configured: with uWebSockets.js if its binary loads, otherwise with node:http. Client certificates also
 * require node:http: uWebSockets.js would request one and still admit clients without.
 * @throws StartError if the address cannot be bound
 */
export function startHttp(config: Config, site: Site, budget: Budget, log: Log): Promise<Listener> {
  return choose(
    config,
    ({ listenUws }) => listenUws(config, site, budget),
    ({ listenNode }, reason) => {
      const why = reason === undefined ? 'client certificates are required' : 'uWebSockets.js does not load here';
      log.info({ reason }, `${why}; node:http serves instead, more slowly`);
      return listenNode(config, site, budget, log);
    },
  );
}

/** Why `startHttp` could not listen on the address: binds it in the same way and releases it. */
export async function bindProblems(address: Address): Promise<readonly string[]> {
  try {
    await choose(
      address,
      ({ probeUws }) => probeUws(address),
      ({ probeNode }) => probeNode(address),
    );
    return [];
  } catch (error) {
    if (error instanceof StartError) return error.problems;
    throw error;
  }
}

async function choose<Result>(
  { tls }: Address,
  fast: (room: typeof import('./uws.js')) => Promise<Result>,
  everywhere: (room: typeof import('./node-http.js'), reason: string | undefined) => Promise<Result>,
): Promise<Result> {
  if (tls?.ca !== undefined) return everywhere(await import('./node-http.js'), undefined);
  const room = await import('./uws.js');
  try {
    return await fast(room);
  } catch (error) {
    if (!(error instanceof room.UwsUnavailable)) throw error;
    return everywhere(await import('./node-http.js'), error.message);
  }
}
