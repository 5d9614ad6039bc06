/** The portable listener: node:http, for systems where the binary of uWebSockets.js does not load. */
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { Server as NetServer, type ListenOptions } from 'node:net';
import type { Address, Config } from '../../config/config.js';
import { StartError } from '../../config/start-error.js';
import type { Budget } from '../../call/budget.js';
import type { Log } from '../../observe/log.js';
import { bindAddress, bindProblem, exclusiveBindProblems } from './address.js';
import { Connections } from './node-connections.js';
import { OpenExchanges } from './open-exchanges.js';
import { closeGraceMs, type Patience } from './patience.js';
import type { Listener, Site } from './site.js';

/** Time-out for a request line and headers. */
const headersMs = 10_000;
/** Keep-alive time-out; at least 10 s (spec 7). */
const idleMs = 12_000;
const checkMs = 1000;

/** Time-out of the TLS handshake, before that of the headers starts. */
const handshakeMs = 5_000;

/**
 * Listen with node:http, or node:https.
 * @throws StartError if the address cannot be bound, this version of Node cannot share it, or a PEM file is unusable
 */
export async function listenNode(
  config: Config,
  site: Site,
  budget: Budget,
  log: Pick<Log, 'warn'>,
  patience?: Patience,
): Promise<Listener> {
  const exchanges = new OpenExchanges(site, config.maxBytes, budget, patience);
  const connections = new Connections(exchanges);
  const server = await create(config, {
    insecureHTTPParser: false,
    // The guard refuses requests without Host, with an explanation in the body.
    requireHostHeader: false,
    headersTimeout: headersMs,
    requestTimeout: exchanges.patience.longestUploadMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
  });
  // By default, headers beyond 2000 would be hidden from the guard; their total size is limited anyway.
  server.maxHeadersCount = 0;
  // Undocumented, but the only way to answer a client that has closed its sending half (`nc -N`).
  Object.assign(server, { httpAllowHalfOpen: true });
  server
    .on('request', (request, response) => {
      connections.accept(request, response, false);
    })
    .on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      connections.accept(request, response, true);
    })
    // Ignore other expectations, as uWebSockets.js does.
    .on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      connections.accept(request, response, false);
    })
    .on('connect', (request: IncomingMessage) => {
      connections.connect(request);
    })
    .on('clientError', (error: NodeJS.ErrnoException, socket) => {
      connections.fail(error, socket);
    });
  exchanges.port = await bind(server, config);
  // Without a listener, a connection that cannot be accepted (EMFILE, ENOBUFS) would end the process.
  server.on('error', (error: NodeJS.ErrnoException) => {
    log.warn({ errno: error.code, category: 'network' }, 'A connection could not be accepted');
  });

  const stopListening = (): Promise<void> => exchanges.stop(() => closeSocket(server));

  return {
    port: exchanges.port,
    kind: 'node',
    stopListening,
    async close() {
      await stopListening();
      await exchanges.ended(closeGraceMs);
      server.closeAllConnections();
      server.close();
    },
  };
}

/** More than the accept backlog (511). */
const mostRounds = 600;

/**
 * Stop accepting after draining the backlog, one connection per round of the event loop: the system resets connections
 * left in it, whatever they have sent (20 of 40 requests sent 30 ms earlier).
 */
async function closeSocket(server: Server): Promise<void> {
  let accepted = true;
  const note = (): void => {
    accepted = true;
  };
  server.on('connection', note);
  for (let round = 0; accepted && round < mostRounds; round++) {
    accepted = false;
    // The first immediate may run before the next poll.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
  server.off('connection', note);
  // http.Server's own method would close idle connections immediately.
  NetServer.prototype.close.call(server);
}

/**
 * Bind the address as `listenNode` does, and release it.
 * @throws StartError as it does
 */
export async function probeNode(address: Address): Promise<void> {
  const server = createServer();
  await bind(server, address);
  server.close();
}

async function create({ tls }: Config, options: ServerOptions): Promise<Server> {
  if (tls === undefined) return createServer(options);
  const [{ createServer: createSecureServer }, { loadTls }] = await Promise.all([
    import('node:https'),
    import('../../config/tls.js'),
  ]);
  const { cert, key, ca } = loadTls(tls);
  const clients = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true };
  // Half-open, so that a client that has closed its sending half still gets its answer, as without TLS.
  const secure = {
    cert,
    key,
    ...clients,
    minVersion: 'TLSv1.2',
    handshakeTimeout: handshakeMs,
    allowHalfOpen: true,
  } as const;
  return createSecureServer({ ...options, ...secure });
}

/** net.listen has `reusePort` since 23.1. */
function reusesPorts(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 1);
}

/** @returns the actual port. @throws StartError */
async function bind(server: Server, address: Address): Promise<number> {
  const { host, port, reusePort, addressLabels: labels, tls } = address;
  if (reusePort && !reusesPorts()) {
    // With --tls-ca, uWebSockets.js is not used even where it loads.
    const otherwise = tls?.ca === undefined ? 'a platform where uWebSockets.js loads' : 'no --tls-ca';
    const problem = `${labels.reusePort}: not possible with Node ${process.versions.node}; expected Node 23.1 or later, or ${otherwise}`;
    throw new StartError([problem, ...(await exclusiveBindProblems(address))]);
  }
  const options: ListenOptions & { reusePort?: boolean } = {
    host: bindAddress(host),
    port,
    exclusive: true,
    reusePort,
  };
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new StartError([bindProblem(address, error.code ?? error.message)]));
    });
    server.listen(options, resolve);
  });
  server.removeAllListeners('error');
  const bound = server.address();
  return bound === null || typeof bound === 'string' ? port : bound.port;
}
