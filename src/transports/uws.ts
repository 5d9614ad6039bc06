/** The fast listener: uWebSockets.js, loaded only where it is used (9 ms, 3 MB). */
import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import type { Address, Config, TlsFiles } from '../config/config.js';
import { StartError } from '../config/start-error.js';
import { bindAddress, bindProblem, exclusiveBindProblems } from './http-address.js';
import { RequestHead } from './http-guard.js';
import { OpenExchanges } from './open-exchanges.js';
import { type Patience, closeGraceMs, usualPatience } from './patience.js';
import type { Listener, Site } from './site.js';
import { UwsExchange } from './uws-exchange.js';

declare module 'uWebSockets.js' {
  interface TemplatedApp {
    /** Missing from its types: AppWrapper.h takes any numbers between host and callback. */
    listen(
      host: string,
      port: number,
      options: number,
      callback: (socket: us_listen_socket | false) => void,
    ): TemplatedApp;
  }
}

/** Without it a second server on the same port starts happily (LIBUS_LISTEN_EXCLUSIVE_PORT). */
const exclusivePort = 1;

/** Where SO_REUSEPORT spreads connections; on Windows it would steal them. */
const reusePortPlatforms: readonly NodeJS.Platform[] = ['linux', 'freebsd'];

/** uWebSockets.js has no binary for this platform and this version of Node, or was not installed. */
export class UwsUnavailable extends Error {}

/**
 * Listen with uWebSockets.js.
 * @param memory that bodies and answers may take together, in bytes; as contract 6 says if not given
 * @throws UwsUnavailable if it does not load, StartError if the address cannot be bound
 */
export async function listenUws(
  config: Config,
  site: Site,
  patience: Patience = usualPatience,
  memory?: number,
): Promise<Listener> {
  const uws = await load();
  const exchanges = new OpenExchanges(site, config.maxBytes, patience, memory);
  const served: Served = { exchanges };
  const app = createApp(uws, config.tls).any('/*', handlerFor(served));
  const opened = await bind(app, config);

  exchanges.port = uws.us_socket_local_port(opened);

  function stopListening(): void {
    if (exchanges.stopping) return;
    exchanges.stopping = true;
    uws.us_listen_socket_close(opened);
  }

  return {
    port: exchanges.port,
    kind: 'uws',
    stopListening,
    async close() {
      stopListening();
      await exchanges.ended(closeGraceMs);
      app.close();
      served.exchanges = undefined;
    },
  };
}

/** What requests are handed to; nothing behind the end of the server. */
interface Served {
  exchanges: OpenExchanges | undefined;
}

/**
 * The library keeps handlers for ever, and with them all that the function around them holds: this one only what is emptied
 * at the end. Of each server that was started and closed 78 kB stayed; 17 still do, in the library.
 */
function handlerFor(served: Served): Parameters<TemplatedApp['any']>[1] {
  let head = new RequestHead('', '');
  const takeHeader = (name: string, value: string): void => {
    head.take(name, value);
  };
  return (response, request) => {
    if (served.exchanges === undefined) {
      response.close();
      return;
    }
    head = new RequestHead(request.getCaseSensitiveMethod(), request.getUrl());
    request.forEach(takeHeader);
    new UwsExchange(response, head, served.exchanges).begin();
  };
}

/**
 * Bind the address as `listenUws` does, and let go of it.
 * @throws UwsUnavailable, StartError like it
 */
export async function probeUws(address: Address): Promise<void> {
  const app = (await load()).App();
  await bind(app, address);
  app.close();
}

/** Over TLS it takes 1.2 and 1.3 only. @throws StartError if it refuses files that were right a moment ago */
function createApp({ App, SSLApp }: typeof import('uWebSockets.js'), tls: TlsFiles | undefined): TemplatedApp {
  if (tls === undefined) return App();
  const { cert, key } = tls;
  try {
    return SSLApp({ cert_file_name: cert.path, key_file_name: key.path });
  } catch (error) {
    // It does not say why.
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError([
      `${cert.label}: "${cert.path}" and "${key.path}" are refused by uWebSockets.js (${reason}); expected a certificate and a key that BoringSSL takes`,
    ]);
  }
}

async function load(): Promise<typeof import('uWebSockets.js')> {
  try {
    return (await import('uWebSockets.js')).default;
  } catch (error) {
    throw new UwsUnavailable(error instanceof Error ? lastSentence(error.message) : String(error));
  }
}

/** Its own message goes on about other platforms first, and that of a missing module has a list of files behind it. */
function lastSentence(message: string): string {
  const [sentences = ''] = message.split('\nRequire stack:');
  return sentences.split('\n').at(-1) ?? '';
}

/** @throws StartError, with the app closed */
async function bind(app: TemplatedApp, address: Address): Promise<us_listen_socket> {
  const { host, port, reusePort } = address;
  if (reusePort && !reusePortPlatforms.includes(process.platform)) {
    app.close();
    const problem = `--reuse-port: not possible on ${process.platform}; expected one server for each port`;
    throw new StartError([problem, ...(await exclusiveBindProblems(address))]);
  }
  const opened = await new Promise<us_listen_socket | false>((resolve) => {
    app.listen(bindAddress(host), port, reusePort ? 0 : exclusivePort, resolve);
  });
  if (opened !== false) return opened;
  app.close();
  // It does not say why; Node does.
  const problems = await exclusiveBindProblems(address);
  throw new StartError(problems.length > 0 ? problems : [bindProblem(address, 'the reason is gone')]);
}
