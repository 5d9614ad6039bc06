/** The fast listener: uWebSockets.js, loaded only if it is used (9 ms, 3 MB). */
import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import type { Address, Config } from '../../config/config.js';
import type { TlsFiles } from '../../config/given-files.js';
import { StartError } from '../../config/start-error.js';
import type { Budget } from '../../call/budget.js';
import { bindAddress, bindProblem, exclusiveBindProblems } from './address.js';
import { RequestHead } from './guard.js';
import { OpenExchanges } from './open-exchanges.js';
import { closeGraceMs, type Patience } from './patience.js';
import type { Listener, Site } from './site.js';
import { UwsExchange } from './uws-exchange.js';
import { platform } from '../../core/platform.js';

declare module 'uWebSockets.js' {
  interface TemplatedApp {
    /** Missing from its types: AppWrapper.h accepts any numbers between host and callback. */
    listen(
      host: string,
      port: number,
      options: number,
      callback: (socket: us_listen_socket | false) => void,
    ): TemplatedApp;
  }
}

/** LIBUS_LISTEN_EXCLUSIVE_PORT: without it, a second server on the same port starts silently. */
const exclusivePort = 1;

/** uWebSockets.js is not installed, or has no binary for this platform and Node version. */
export class UwsUnavailable extends Error {}

/**
 * Listen with uWebSockets.js.
 * @throws UwsUnavailable if it does not load, StartError if the address cannot be bound
 */
export async function listenUws(config: Config, site: Site, budget: Budget, patience?: Patience): Promise<Listener> {
  const uws = await load();
  const exchanges = new OpenExchanges(site, config.maxBytes, budget, patience);
  const served: Served = { exchanges };
  const app = createApp(uws, config.tls).any('/*', handlerFor(served));
  const opened = await bind(app, config);

  exchanges.port = uws.us_socket_local_port(opened);

  const stopListening = (): Promise<void> => exchanges.stop(closeSocket);

  /** The backlog is accepted in one round of the event loop, and its requests are read in the next. */
  async function closeSocket(): Promise<void> {
    for (let round = 0; round < 3; round++) await new Promise(setImmediate);
    uws.us_listen_socket_close(opened);
  }

  return {
    port: exchanges.port,
    kind: 'uws',
    stopListening,
    async close() {
      await stopListening();
      await exchanges.ended(closeGraceMs);
      app.close();
      served.exchanges = undefined;
    },
  };
}

/** Target of requests; emptied at shutdown. */
interface Served {
  exchanges: OpenExchanges | undefined;
}

/**
 * The library retains handlers and their scope for ever, so this one holds only an object that is emptied at shutdown.
 * Each server that was started and closed used to leave 78 kB; 17 still stay, inside the library.
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
 * Bind the address as `listenUws` does, and release it.
 * @throws UwsUnavailable, StartError as it does
 */
export async function probeUws(address: Address): Promise<void> {
  const app = (await load()).App();
  await bind(app, address);
  app.close();
}

/** The library's TLS accepts only 1.2 and 1.3. @throws StartError if it refuses files that passed our check */
function createApp({ App, SSLApp }: typeof import('uWebSockets.js'), tls: TlsFiles | undefined): TemplatedApp {
  if (tls === undefined) return App();
  const { cert, key } = tls;
  try {
    return SSLApp({ cert_file_name: cert.path, key_file_name: key.path });
  } catch (error) {
    // The library gives no reason.
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

/** The library's own message starts with other platforms; that of a missing module ends with a list of files. */
function lastSentence(message: string): string {
  const [sentences = ''] = message.split('\nRequire stack:');
  return sentences.split('\n').at(-1) ?? '';
}

/** @throws StartError, with the app closed */
async function bind(app: TemplatedApp, address: Address): Promise<us_listen_socket> {
  const { host, port, reusePort, addressLabels: labels } = address;
  if (reusePort && !platform.canSharePorts) {
    app.close();
    const problem = `${labels.reusePort}: not possible on ${platform.name}; expected one server for each port`;
    throw new StartError([problem, ...(await exclusiveBindProblems(address))]);
  }
  const opened = await new Promise<us_listen_socket | false>((resolve) => {
    app.listen(bindAddress(host), port, reusePort ? 0 : exclusivePort, resolve);
  });
  if (opened !== false) return opened;
  app.close();
  // The library gives no reason; Node does.
  const problems = await exclusiveBindProblems(address);
  throw new StartError(problems.length > 0 ? problems : [bindProblem(address, 'the reason is gone')]);
}
