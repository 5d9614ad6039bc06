/** Assembles the rooms as the configuration says, and takes them apart again. */
import { existsSync } from 'node:fs';
import { createCall } from './call.js';
import { ArgumentsError, configFromOptions, type Address, type Config, type TlsFiles } from './config/config.js';
import type { Options } from './config/flags.js';
import { isLoopback } from './config/loopback.js';
import { StartError } from './config/start-error.js';
import { Idle } from './idle.js';
import { createLog, type Log } from './monitoring/log.js';
import { watchStrain } from './monitoring/strain.js';
import { availableOperations } from './operations.js';
import { ThreadPool, type Pool } from './pool/pool.js';
import { ReadCache } from './read-cache.js';
import type { ServerStatus } from './status.js';
import { version } from './version.js';

/** A server of the library. */
export interface RunningServer {
  /** Where it answers; `stdio:` on that transport. */
  readonly url: string;
  readonly port: number;
  /**
   * Work that is not claimed is answered `Server is shutting down`; claimed work ends and is answered; then nothing is
   * left.
   */
  readonly close: () => Promise<void>;
}

/** A server that runs in this process. */
export interface Serving extends RunningServer {
  /** What is served, where, and with which operations: one line for people. */
  readonly announcement: string;
  /** Resolves when the only client has gone (stdio); over HTTP, never. */
  readonly finished: Promise<void>;
}

/** A transport, as the server sees it. */
interface Transport {
  readonly url: string;
  readonly port: number;
  readonly finished: Promise<void>;
  /** From now on, accept nothing new. */
  stop(): void;
  /** Resolves once every answer has been handed over. */
  drained(): Promise<void>;
}

/** What both transports need. */
interface Parts {
  readonly config: Config;
  readonly pool: Pool;
  readonly cache: ReadCache;
  readonly idle: Idle;
  readonly log: Log;
}

const bytesPerMb = 1_048_576;
/** How long a start may take, in milliseconds (a seed's figure), before the log warns. */
const startBudgetMs = 100;

/**
 * Start a server in this process. Options are the flags in camelCase; `port: 0` picks a free port.
 * @throws StartError with every problem of the options, the directory or the address
 */
export async function startServer(options: Options = {}): Promise<RunningServer> {
  const began = performance.now();
  const config = await configured(() => configFromOptions(options));
  const { url, port, close } = await serve(config, createLog(config.logLevel), began);
  return { url, port, close };
}

/**
 * The configuration that `read` returns, with PEM files that can be used. The address is tried here only if something
 * else is refused, so that all problems are reported at once: a start that goes on binds it anyway.
 * @throws StartError with every problem
 */
export async function configured(read: () => Config): Promise<Config> {
  try {
    const config = read();
    const problems = await problemsOfTls(config.tls ?? {});
    if (problems.length === 0) return config;
    throw new StartError([...problems, ...(await problemsOfAddress(config))]);
  } catch (error) {
    if (!(error instanceof ArgumentsError)) throw error;
    const { problems, tls, address } = error;
    throw new StartError([...problems, ...(await problemsOfTls(tls)), ...(await problemsOfAddress(address))]);
  }
}

async function problemsOfTls(files: Partial<TlsFiles>): Promise<readonly string[]> {
  if (Object.values(files).every((file) => file === undefined)) return [];
  return (await import('./config/tls.js')).tlsProblems(files);
}

async function problemsOfAddress(address: Address | undefined): Promise<readonly string[]> {
  return address === undefined ? [] : (await import('./transports/http.js')).bindProblems(address);
}

/**
 * Serve as `config` says. `began` is when the start began, as performance.now() counts: 0 for a process of its own.
 * @throws StartError if the address cannot be bound or files cannot be locked here; nothing is left running then
 */
export async function serve(config: Config, log: Log, began = 0): Promise<Serving> {
  const pool = new ThreadPool(config, log, new URL('../workers/main.cjs', import.meta.url));
  const cache = new ReadCache(config.directory, config.cacheMb * bytesPerMb);
  const giveBack = (): void => {
    cache.clear();
    pool.trim();
  };
  const idle = new Idle(giveBack);
  const parts = { config, pool, cache, idle, log };
  let closing: Promise<void> | undefined;
  const status = (): ServerStatus => ({
    state: closing !== undefined ? 'shutting_down' : pool.directoryUsable() ? 'ok' : 'no_directory',
    version,
    uptimeS: (performance.now() - began) / 1000,
  });
  let transport: Transport;
  try {
    await pool.prepare();
    transport = config.transport === 'http' ? await openHttp(parts, status) : await openStdio(parts);
  } catch (error) {
    await pool.shutDown();
    throw error;
  }
  const operations = [...availableOperations(config).keys()];
  const place = config.transport === 'http' ? transport.url : 'stdio';
  const announcement = `file-editor ${version} serves ${config.directory} on ${place} (${operations.join(', ')})`;
  report(config, log, announcement, performance.now() - began);
  const endWatch = watchStrain(log, giveBack);

  async function takeApart(): Promise<void> {
    transport.stop();
    cache.close();
    idle.close();
    endWatch();
    await pool.shutDown();
    await transport.drained();
  }

  return {
    url: transport.url,
    port: transport.port,
    finished: transport.finished,
    announcement,
    close: () => (closing ??= takeApart()),
  };
}

function report(config: Config, log: Log, announcement: string, startMs: number): void {
  const { directory, transport, readOnly, durability, workers } = config;
  const fields = { directory, transport, readOnly, durability, workers, startMs: Math.round(startMs) };
  log.info(fields, announcement);
  if (startMs > startBudgetMs) {
    log.warn({ startMs: fields.startMs }, `the start took longer than ${String(startBudgetMs)} ms`);
  }
  if (transport === 'http' && isLoopback(config.host) && isContainer()) {
    const advice = 'for a published port, start it with --host=0.0.0.0 and publish on 127.0.0.1 only';
    log.info({ host: config.host }, `nobody outside of this container can reach this address; ${advice}`);
  }
  if (transport === 'http' && config.tls === undefined && !isLoopback(config.host)) {
    const advice = 'whoever can reach it can read and edit the files';
    log.warn({ host: config.host }, `listening beyond this machine, without TLS: ${advice}`);
  }
}

/** Docker and Podman put these files into their containers. */
function isContainer(): boolean {
  return ['/.dockerenv', '/run/.containerenv'].some((file) => existsSync(file));
}

/** What HTTP needs is loaded only if it is used; the same below for stdio. */
async function openHttp(parts: Parts, status: () => ServerStatus): Promise<Transport> {
  const { config, log } = parts;
  const [{ RestSite }, { startHttp }, { Metrics }] = await Promise.all([
    import('./protocols/rest.js'),
    import('./transports/http.js'),
    import('./metrics.js'),
  ]);
  const tls = config.tls && (await import('./config/tls.js')).loadTls(config.tls);
  for (const warning of tls?.warnings ?? []) log.warn({}, warning);
  const metrics = new Metrics({ ...parts, ...(tls === undefined ? {} : { certificateEnds: tls.notAfter }) });
  const call = createCall({ ...parts, metrics });
  const listener = await startHttp(config, new RestSite({ ...parts, call, status, metrics }), log);
  return {
    url: urlOf(config, listener.port),
    port: listener.port,
    finished: new Promise(() => undefined),
    stop: () => {
      listener.stopListening();
    },
    drained: () => listener.close(),
  };
}

async function openStdio(parts: Parts): Promise<Transport> {
  const { config, log } = parts;
  const [{ JsonRpc }, { StdioServer }] = await Promise.all([
    import('./protocols/json-rpc.js'),
    import('./transports/stdio.js'),
  ]);
  const stdio = new StdioServer(new JsonRpc({ config, call: createCall(parts), log }), config, log);
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

/** A URL that a client on this machine can call, which a wildcard address is not. */
function urlOf({ host, tls }: Config, port: number): string {
  const callable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${tls === undefined ? 'http' : 'https'}://${callable.includes(':') ? `[${callable}]` : callable}:${String(port)}`;
}
