/**
 * What the two HTTP listeners share, and the choice between them. A listener moves bytes: where a request ends,
 * how much of it is read, how its answer is taken. What a request means is the site's (protocols/rest.ts).
 */
import type { Config } from '../config.js';
import type { Failure } from '../errors.js';
import type { Log } from '../log.js';
import type { Answer } from './http-answer.js';
import type { RequestHead } from './http-guard.js';

export type { Answer, RequestHead };

/** A request that was let in, waiting for its body. */
export interface Work {
  /** Bytes that its answer will hold, as far as that can be told. */
  readonly estimate: number;
  /** Execute it. `body` is valid only until this returns: what is needed of it later is taken from it at once. Never rejects. */
  run(body: Buffer): Promise<Answer>;
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

/** Address to bind: uWebSockets.js would take ::1 alone for `localhost`, which is 127.0.0.1 to more clients. */
export function bindAddress(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

/** Why a bind failed with `code`, as a problem that names the flag and what is accepted. */
export function bindProblem(config: Config, code: string): string {
  const { host, port } = config;
  switch (code) {
    case 'EADDRINUSE':
      return `--port: ${String(port)} is in use on ${host}; expected a free port`;
    case 'EADDRNOTAVAIL':
      return `--host: "${host}" is not an address of this machine; expected one that is`;
    case 'EACCES':
      return `--port: ${String(port)} may not be bound by this user; expected a port that may`;
    default:
      return `--port: cannot listen on ${host} port ${String(port)} (${code}); expected an address that can be bound`;
  }
}

/**
 * Listen as `config` says: with uWebSockets.js where its binary loads, with node:http elsewhere.
 * @throws StartError if the address cannot be bound
 */
export async function startHttp(config: Config, site: Site, log: Log): Promise<Listener> {
  const { listenUws, UwsUnavailable } = await import('./uws.js');
  try {
    return await listenUws(config, site);
  } catch (error) {
    if (!(error instanceof UwsUnavailable)) throw error;
    log.info({ reason: error.message }, 'uWebSockets.js does not load here; node:http serves instead, more slowly');
    const { listenNode } = await import('./node-http.js');
    return listenNode(config, site);
  }
}
