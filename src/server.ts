/** Assembles a server from its configuration and shuts it down. */
import { ArgumentsError, configFromOptions, type Address, type Config, type Files } from './config/config.js';
import type { Options } from './config/arguments.js';
import { StartError } from './config/start-error.js';
import { forgetBodies } from './core/memory/bodies.js';
import { Budget } from './call/budget.js';
import { Feed } from './call/feed.js';
import { bytesPerMb, mostHeld } from './core/memory/held.js';
import { Idle } from './observe/idle.js';
import { createLog, type Log } from './observe/log.js';
import { watchStrain } from './observe/strain.js';
import { availableOperations } from './config/offer.js';
import { searchMemoryOf } from './pool/remembered-searches.js';
import { ThreadPool, type Pool } from './pool/pool.js';
import { ReadCache } from './call/read-cache.js';
import { Rehearsal } from './rehearsal.js';
import { reportStart } from './observe/start-report.js';
import type { ServerStatus } from './protocols/pages/status.js';
import { openTransport, type Transport } from './transports/open-transport.js';
import { version } from './version.js';

/** A server as the library returns it. */
export interface RunningServer {
  /** Its address; `stdio:` on that transport. */
  readonly url: string;
  readonly port: number;
  /**
   * Answer unclaimed calls with `Server is shutting down`, complete and answer claimed ones, then release everything.
   */
  readonly close: () => Promise<void>;
}

/** A server running in this process. */
export interface Serving extends RunningServer {
  /** One line for people: the directory, the address and the operations. */
  readonly announcement: string;
  /** On stdio, resolves when the client has gone; over HTTP, never. */
  readonly finished: Promise<void>;
  /** Whether threads are in a call. */
  readonly isBusy: () => boolean;
  /** Read the file of `--tokens` again. A wrong one is logged, and the tokens stay as they were. */
  readonly reloadTokens: () => void;
}

/**
 * Start a server in this process. Options are the flags in camelCase; `port: 0` picks a free port.
 * @throws StartError with all problems of the options, the directory and the address
 */
export async function startServer(options: Options = {}): Promise<RunningServer> {
  const began = performance.now();
  const config = await configured(() => configFromOptions(options));
  const { url, port, close } = await serve(config, createLog(config.logLevel), began);
  return { url, port, close };
}

/**
 * The configuration that `read` returns, with usable files. The address is probed only if something else is
 * refused, so that all problems are reported together: a successful start binds it anyway.
 * @throws StartError with all problems
 */
export async function configured(read: () => Config): Promise<Config> {
  try {
    const config = read();
    const problems = await problemsOfFiles({ tls: config.tls ?? {}, tokens: config.tokens });
    if (problems.length === 0) return config;
    throw new StartError([...problems, ...(await problemsOfAddress(config))]);
  } catch (error) {
    if (!(error instanceof ArgumentsError)) throw error;
    const { problems, files, address } = error;
    throw new StartError([...problems, ...(await problemsOfFiles(files)), ...(await problemsOfAddress(address))]);
  }
}

async function problemsOfFiles({ tls, tokens }: Files): Promise<readonly string[]> {
  const hasTls = Object.values(tls).some((file) => file !== undefined);
  return [
    ...(hasTls ? (await import('./config/tls.js')).tlsProblems(tls) : []),
    ...(tokens === undefined ? [] : (await import('./access/tokens-bundle.js')).readTokens(tokens).problems),
  ];
}

async function problemsOfAddress(address: Address | undefined): Promise<readonly string[]> {
  return address === undefined ? [] : (await import('./transports/http/start.js')).bindProblems(address);
}

function stateOf(pool: Pool, isClosing: boolean): ServerStatus['state'] {
  if (isClosing) return 'shutting_down';
  if (!pool.directoryUsable()) return 'no_directory';
  return pool.isOutOfThreads() ? 'no_descriptors' : 'ok';
}

/**
 * Serve as configured. `began` is when the start began, by performance.now(): 0 for a dedicated process.
 * @throws StartError if the address cannot be bound or files cannot be locked here; nothing is left running
 */
export async function serve(config: Config, log: Log, began = 0): Promise<Serving> {
  const pool = new ThreadPool(config, log, new URL('../workers/main.cjs', import.meta.url));
  const cacheBytes = config.cacheMb * bytesPerMb;
  const cache = new ReadCache(config.directory, cacheBytes, searchMemoryOf(cacheBytes));
  const giveBack = (): void => {
    cache.clear();
    forgetBodies();
    pool.giveBack();
  };
  const idle = new Idle(giveBack);
  const budget = new Budget(mostHeld(config.maxBytes));
  const rehearsal = new Rehearsal(config);
  const feed = new Feed(config.directory);
  const parts = { config, pool, cache, budget, feed, idle, rehearsal, log };
  let closing: Promise<void> | undefined;
  const status = (): ServerStatus => ({
    state: stateOf(pool, closing !== undefined),
    version,
    uptimeS: (performance.now() - began) / 1000,
  });
  let transport: Transport;
  try {
    await pool.prepare();
    transport = await openTransport(parts, status);
  } catch (error) {
    await pool.shutDown();
    throw error;
  }
  const operations = [...availableOperations(config).keys()];
  const place = config.transport === 'http' ? transport.url : 'stdio';
  const announcement = `file-editor ${version} serves ${config.directory} on ${place} (${operations.join(', ')})`;
  reportStart(config, log, announcement, performance.now() - began);
  const endWatch = watchStrain(log, giveBack);

  async function takeApart(): Promise<void> {
    transport.stop();
    feed.close();
    rehearsal.close();
    cache.close();
    idle.close();
    endWatch();
    const ended = pool.shutDown();
    // Calls waiting for memory proceed and are refused by the pool.
    budget.close();
    await ended;
    await transport.drained();
  }

  return {
    url: transport.url,
    port: transport.port,
    finished: transport.finished,
    announcement,
    isBusy: () => pool.isBusy(),
    reloadTokens: () => {
      transport.reloadTokens?.();
    },
    close: () => (closing ??= takeApart()),
  };
}
