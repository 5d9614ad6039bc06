/** Opens the configured transport and its protocols. */
import type { Tokens } from '../access/tokens.js';
import { CallPath, type MakeCall } from '../call/call.js';
import type { Config } from '../config/config.js';
import type { GivenFile } from '../config/given-files.js';
import { StartError } from '../config/start-error.js';
import type { Idle } from '../observe/idle.js';
import type { Budget } from '../call/budget.js';
import type { Feed } from '../call/feed.js';
import type { Log } from '../observe/log.js';
import type { Pool } from '../pool/pool.js';
import type { ReadCache } from '../call/read-cache.js';
import type { ServerStatus } from '../protocols/pages/status.js';
import type { Rehearsal } from '../rehearsal.js';

/** A transport as the server uses it. */
export interface Transport {
  readonly url: string;
  readonly port: number;
  readonly finished: Promise<void>;
  /** Accept nothing new. */
  stop(): void;
  /** Resolves once all answers have been handed over. */
  drained(): Promise<void>;
  /** With `--tokens`: read the file again. */
  reloadTokens?(): void;
}

/** Dependencies of both transports. */
interface TransportNeeds {
  readonly config: Config;
  readonly pool: Pool;
  readonly cache: ReadCache;
  readonly budget: Budget;
  readonly feed: Feed;
  readonly idle: Idle;
  /** On stdio, of the first calls of an agent. */
  readonly rehearsal: Rehearsal;
  readonly log: Log;
}

/** @throws StartError if the address cannot be bound */
export function openTransport(needs: TransportNeeds, status: () => ServerStatus): Promise<Transport> {
  return needs.config.transport === 'http' ? openHttp(needs, status) : openStdio(needs);
}

/** HTTP code is loaded only if used; so is stdio code below. */
async function openHttp(needs: TransportNeeds, status: () => ServerStatus): Promise<Transport> {
  const { config, pool, budget, log } = needs;
  const [{ RestSite }, { startHttp }, { Metrics }] = await Promise.all([
    import('../protocols/rest/site.js'),
    import('./http/start.js'),
    import('../observe/metrics.js'),
  ]);
  const tls = config.tls && (await import('../config/tls.js')).loadTls(config.tls);
  for (const warning of tls?.warnings ?? []) log.warn({}, warning);
  const tokens = config.tokens && (await loadTokens(config.tokens, config.paths));
  const metrics = new Metrics({ ...needs, ...(tls === undefined ? {} : { certificateEnds: tls.notAfter }) });
  const calls = new CallPath({ ...needs, metrics });
  const greeted = (): void => {
    pool.preload();
  };
  const site = new RestSite({ ...needs, calls, readBody: pool.readBody, status, metrics, tokens, greeted });
  const listener = await startHttp(config, site, budget, log);
  return {
    url: urlOf(config, listener.port),
    port: listener.port,
    finished: new Promise(() => undefined),
    stop: () => {
      void listener.stopListening();
    },
    drained: () => listener.close(),
    ...(tokens === undefined ? {} : { reloadTokens: reloading(tokens, log) }),
  };
}

/** @throws StartError if the file has become invalid since its check */
async function loadTokens(file: GivenFile, paths: Config['paths']): Promise<Tokens> {
  const tokens = new (await import('../access/tokens-bundle.js')).Tokens(file, paths);
  const problems = tokens.load();
  if (problems.length > 0) throw new StartError(problems);
  return tokens;
}

function reloading(tokens: Tokens, log: Log): () => void {
  return () => {
    const problems = tokens.load();
    if (problems.length === 0) log.info({ tokens: tokens.count }, 'the tokens were read again');
    else log.error({ problems }, 'the file of tokens was refused: the tokens stay as they were');
  };
}

async function openStdio(needs: TransportNeeds): Promise<Transport> {
  const { config, pool, budget, feed, rehearsal, log } = needs;
  const [{ JsonRpc }, { StdioServer }] = await Promise.all([
    import('../protocols/json-rpc/json-rpc.js'),
    import('./stdio/stdio.js'),
  ]);
  const calls = new CallPath(needs);
  const call: MakeCall = (...args) => {
    rehearsal.end();
    return calls.make(...args);
  };
  const greeted = (): void => {
    pool.preload();
    rehearsal.begin();
  };
  const inputEnded = (): void => {
    feed.close();
  };
  const protocol = new JsonRpc({ config, call, budget, log, greeted, inputEnded });
  const stdio = new StdioServer(protocol, config, budget, log);
  let drained: Promise<void> | undefined;
  return {
    url: 'stdio:',
    port: 0,
    finished: stdio.finished,
    stop: () => {
      drained ??= stdio.close();
    },
    drained: () => drained ?? stdio.close(),
  };
}

/** A URL for clients on this machine; a wildcard address is not callable. */
function urlOf({ host, tls }: Config, port: number): string {
  const callable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${tls === undefined ? 'http' : 'https'}://${callable.includes(':') ? `[${callable}]` : callable}:${String(port)}`;
}
