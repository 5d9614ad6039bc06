/**
 * What the two HTTP listeners share, and the choice between them. A listener moves bytes: where a request ends,
 * how much of it is read, how its answer is taken. What a request means is the site's (protocols/rest.ts).
 */
import type { Address, Config } from '../config.js';
import type { Failure } from '../errors.js';
import type { Log } from '../log.js';
import { StartError } from '../start-error.js';
import type { Answer } from './http-answer.js';
import type { RequestHead } from './http-guard.js';

export type { Answer, RequestHead };

/** A request that was let in, waiting for its body. */
export interface Work {
  /** Bytes that its answer will hold, as far as that can be told. */
  readonly estimate: number;
  /** Bytes that its body holds until it is answered, parsed. */
  weight(body: Buffer): number;
  /** Execute it. `body` is valid only until this returns: what is needed of it later is taken from it at once. Never rejects. */
  run(body: Buffer): Answer | Promise<Answer>;
}

/** What is served. */
export interface Site {
  /** Decide by the head alone: the answer, or what to do with the body. */
  judge(head: RequestHead): Answer | Work;
  /** The answer to a request that a listener refuses. */
  refuse(failure: Failure, head: RequestHead): Answer;
  /** The answer to a body that exceeds the limit. */
  tooLarge(head: RequestHead): Answer;
}

export interface Listener {
  /** The real one, also if 0 was asked for. */
  readonly port: number;
  readonly kind: 'uws' | 'node';
  /** Accept no connection from now on; those that are open still get answers, the last ones. */
  stopListening(): void;
  /** End idle connections; resolves when all answers under way were written, after a second at the latest. */
  close(): Promise<void>;
}

/** Milliseconds for the answers under way when a listener is closed. */
export const closeGraceMs = 1000;

/** Milliseconds that the rest of a refused body is read and dropped: closing at once would reset the connection before the answer was read. */
export const lingerMs = 1000;

/** Bytes of the same. */
export const maxLingerBytes = 16 * 1_048_576;

/**
 * Listen as `config` says: with uWebSockets.js where its binary loads, with node:http elsewhere, and where clients need
 * a certificate: uWebSockets.js would ask for one and let in who has none.
 * @throws StartError if the address cannot be bound
 */
export function startHttp(config: Config, site: Site, log: Log): Promise<Listener> {
  return choose(
    config,
    ({ listenUws }) => listenUws(config, site),
    ({ listenNode }, reason) => {
      const why = reason === undefined ? 'client certificates are required' : 'uWebSockets.js does not load here';
      log.info({ reason }, `${why}; node:http serves instead, more slowly`);
      return listenNode(config, site);
    },
  );
}

/** What keeps `startHttp` from listening on the address: it is bound in the same way, and let go of at once. */
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
