/** Both listeners around a site that records calls instead of executing them, and clients on plain sockets. */
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { it } from 'node:test';
import { connect as connectSecurely } from 'node:tls';
import { CallPath, type MakeCall, type Calls } from '../../../src/call/call.js';
import { configFromArguments, type Config } from '../../../src/config/config.js';
import { failure, type Outcome } from '../../../src/core/errors.js';
import { Idle } from '../../../src/observe/idle.js';
import { parseJson } from '../../../src/core/json/json-body.js';
import { Budget } from '../../../src/call/budget.js';
import { mostHeld } from '../../../src/core/memory/held.js';
import { Metrics } from '../../../src/observe/metrics.js';
import { createLog } from '../../../src/observe/log.js';
import type { Pool } from '../../../src/pool/pool.js';
import { RestSite } from '../../../src/protocols/rest/site.js';
import { ReadCache } from '../../../src/call/read-cache.js';
import type { ServerStatus } from '../../../src/protocols/pages/status.js';
import { listenNode } from '../../../src/transports/http/node-http.js';
import { usualPatience, type Patience } from '../../../src/transports/http/patience.js';
import type { Listener, Site } from '../../../src/transports/http/site.js';
import { listenUws } from '../../../src/transports/http/uws.js';
import { certificates, type Certificates } from '../../certificates.js';

export type Kind = Listener['kind'] | 'uws, TLS' | 'node, TLS';
/** Those available here: fronts/without-uws.test.ts reports it if uWebSockets.js does not load. */
export const kinds: readonly Listener['kind'][] = await import('uWebSockets.js').then(
  () => ['uws', 'node'],
  () => ['node'],
);
/** The same, plus TLS if openssl can make certificates: the TLS test reports it if not. */
export const allKinds: readonly Kind[] =
  certificates() === undefined ? kinds : kinds.flatMap((kind): Kind[] => [kind, `${kind}, TLS`]);

type Listen = (config: Config, site: Site, budget?: Budget, patience?: Patience) => Promise<Listener>;
const listenFast: Listen = (config, site, budget = new Budget(mostHeld(config.maxBytes)), patience) =>
  listenUws(config, site, budget, patience);
const listenSilently: Listen = (config, site, budget = new Budget(mostHeld(config.maxBytes)), patience) =>
  listenNode(config, site, budget, createLog('silent'), patience);
export const listen: Record<Kind, Listen> = {
  uws: listenFast,
  node: listenSilently,
  'uws, TLS': listenFast,
  'node, TLS': listenSilently,
};

/** The listeners whose clients must speak TLS. */
const securePorts = new Set<number>();

/** The server certificate in a configuration; with an authority, clients need a certificate signed by it. */
export function tlsFiles({ server, authority }: Certificates, forClients = false): NonNullable<Config['tls']> {
  return {
    cert: { label: '--tls-cert', path: server.cert },
    key: { label: '--tls-key', path: server.key },
    ...(forClients ? { ca: { label: '--tls-ca', path: authority.cert } } : {}),
  };
}

export const mb = 1_048_576;

const testFlags = [
  '--toolset=all',
  '--history',
  '--max-size=1',
  '--mcp-max-chars=0',
  '--mcp-line-base=0',
  '--workers=1',
  '--cache-mb=0',
  '--log-level=silent',
];

/** A test configuration; nothing in these rooms touches its directory. */
export function testConfig(changes: Partial<Config> = {}): Config {
  const read = configFromArguments([`--dir=${tmpdir()}`, ...testFlags]);
  return { ...read, directory: '/srv/texts', givenDirectory: '/srv/texts', port: 0, ...changes };
}

/** Calls without checks. */
function uncheckedCalls(make: MakeCall): Calls {
  return {
    make,
    check: (operation, params) => ({ operation, params, fault: null, filename: undefined, cacheKey: undefined }),
    run: ({ operation, params }, context) => make(operation, params, context),
  };
}

/** Calls that end like this once they are checked and have memory, like those of a server. */
function checkedCalls(call: MakeCall, config: Config, budget: Budget, idle: Idle): Calls {
  const pool: Pick<Pool, 'run'> = {
    run: async (operation, params, context) => call(operation, params, { front: 'rest', requestId: '', ...context }),
  };
  const cache = new ReadCache(config.directory, 0);
  return new CallPath({ config, pool, cache, budget, idle, log: createLog('silent') });
}

/** A site whose calls end like this; by default it is up, parses bodies on this thread, and logs nothing. */
export function siteOf(call: MakeCall, parts: Partial<ConstructorParameters<typeof RestSite>[0]> = {}): RestSite {
  return new RestSite({
    config: testConfig(),
    calls: uncheckedCalls(call),
    budget: new Budget(mostHeld(mb)),
    readBody: parseJson,
    status: () => ({ state: 'ok', version: '1.2.3', uptimeS: 4.5678 }),
    metrics: new Metrics(),
    idle: { touch: () => undefined },
    log: createLog('silent'),
    ...parts,
  });
}

export interface RecordedCall {
  readonly name: string;
  readonly params: unknown;
  readonly context: Parameters<MakeCall>[2];
}

export interface Server {
  readonly listener: Listener;
  readonly port: number;
  /** The requests that reached the operations, in order. */
  readonly calls: RecordedCall[];
  state: ServerStatus['state'];
}

export const read: Outcome = { ok: true, result: { content: 'one', total_lines: 1 }, hash: 'abc123' };

export interface Settings {
  readonly config?: Partial<Config>;
  readonly patience?: Partial<Patience>;
  /** The limit of bodies and answers together, in bytes. */
  readonly memory?: number;
  /** Answers every call. */
  readonly outcome?: (call: RecordedCall) => Outcome | Promise<Outcome>;
  /** Calls are checked, and wait for memory, like those of a server. */
  readonly checked?: boolean;
}

type Use = (server: Server) => Promise<void>;

/** Defines tests that each borrow a listener of this kind. */
export function servedBy(kind: Kind): (title: string, ...how: [Use] | [Settings, Use]) => void {
  return (title, ...how) => {
    const [settings, use] = how.length === 1 ? [{}, how[0]] : how;
    it(title, () => withServer(kind, use, settings));
  };
}

/** Lend a listener of this kind. */
export async function withServer(kind: Kind, use: Use, options: Settings = {}): Promise<void> {
  const made = kind.endsWith('TLS') ? certificates() : undefined;
  const config = testConfig({ ...(made === undefined ? {} : { tls: tlsFiles(made) }), ...options.config });
  const calls: RecordedCall[] = [];
  const call: MakeCall = async ({ name }, params, context) => {
    const recorded = { name, params, context };
    calls.push(recorded);
    if (server.state === 'shutting_down') return failure('shutting_down', 'Server is shutting down');
    return (await options.outcome?.(recorded)) ?? read;
  };
  const status = (): ServerStatus => ({ state: server.state, version: '1.2.3', uptimeS: 4.5678 });
  const budget = new Budget(options.memory ?? mostHeld(config.maxBytes));
  const idle = new Idle(() => undefined);
  const parts = { config, status, budget };
  const site = siteOf(
    call,
    options.checked === true ? { ...parts, calls: checkedCalls(call, config, budget, idle) } : parts,
  );
  const listener = await listen[kind](config, site, budget, { ...usualPatience, ...options.patience });
  const server: Server = { listener, port: listener.port, calls, state: 'ok' };
  if (config.tls !== undefined) securePorts.add(listener.port);
  try {
    await use(server);
  } finally {
    await listener.close();
    idle.close();
    securePorts.delete(listener.port);
  }
}

/** One answer as received. */
export interface Response {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface Reply {
  readonly responses: readonly Response[];
  /** The server has closed the connection. */
  readonly closed: boolean;
  /** Bytes that are not a complete answer. */
  readonly rest: string;
}

/** A client under full control of the test. */
export class Client {
  private pieces: Buffer[] = [];
  private length = 0;
  /** The size at which another complete answer may be buffered: 8 MB came in 130 pieces, and each was parsed. */
  private awaited = 0;
  private closed = false;
  private wake: () => void = () => undefined;

  private constructor(readonly socket: Socket) {
    socket.on('data', (piece) => {
      this.pieces.push(piece);
      this.length += piece.length;
      if (this.length >= this.awaited) this.wake();
    });
    socket.on('error', () => undefined);
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        this.closed = true;
        this.wake();
      });
    }
  }

  static async connect(port: number, host = '127.0.0.1'): Promise<Client> {
    const secure = securePorts.has(port);
    const to = { port, host, allowHalfOpen: true };
    // Who the server is does not matter here.
    const socket = secure ? connectSecurely({ ...to, rejectUnauthorized: false }) : connect(to);
    const client = new Client(socket);
    const event = secure ? 'secureConnect' : 'connect';
    await new Promise((resolve, reject) => socket.once(event, resolve).once('error', reject));
    return client;
  }

  /** Write, and wait until the system has accepted it. A connection that is closed during the write accepts it, too. */
  async send(bytes: string | Buffer): Promise<void> {
    await new Promise<void>((resolve) => {
      this.socket.once('close', resolve);
      this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, () => {
        this.socket.off('close', resolve);
        resolve();
      });
    });
  }

  /**
   * Everything received so far, once `count` final answers have come, the connection has ended, or nothing has come for
   * `quietMs`.
   */
  async reply(count = 1, method = 'POST', quietMs = 20_000): Promise<Reply> {
    for (;;) {
      const reply = this.parse(method);
      const final = reply.responses.filter(({ status }) => status >= 200).length;
      if (final >= count || reply.closed) return reply;
      const { length } = this;
      const news = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(resolve, quietMs, false);
        this.wake = () => {
          clearTimeout(timer);
          resolve(true);
        };
      });
      if (!news && this.length === length) return this.parse(method);
    }
  }

  /** Resolves when the server has closed the connection, with the time it took in milliseconds. */
  async ended(): Promise<number> {
    const began = performance.now();
    while (!this.closed) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    return performance.now() - began;
  }

  leave(): void {
    this.socket.destroy();
  }

  private parse(method: string): Reply {
    const responses: Response[] = [];
    let rest = Buffer.concat(this.pieces);
    this.pieces = [rest];
    this.awaited = 0;
    for (;;) {
      const headEnd = rest.indexOf('\r\n\r\n');
      if (headEnd === -1) break;
      const [statusLine = '', ...lines] = rest.subarray(0, headEnd).toString('latin1').split('\r\n');
      const headers = new Map(
        lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
      );
      const status = Number(statusLine.split(' ')[1]);
      const length = method === 'HEAD' ? 0 : Number(headers.get('content-length') ?? 0);
      const bodyEnd = headEnd + 4 + length;
      if (rest.length < bodyEnd) {
        this.awaited = this.length - rest.length + bodyEnd;
        break;
      }
      responses.push({ status, headers, body: rest.subarray(headEnd + 4, bodyEnd).toString('utf8') });
      rest = rest.subarray(bodyEnd);
    }
    return { responses, closed: this.closed, rest: rest.toString('latin1') };
  }
}

/** Connect, send the parts with a pause in between, so each arrives separately, and wait for `count` answers. */
export async function ask(port: number, parts: string | readonly string[], count = 1, method = 'POST'): Promise<Reply> {
  const client = await Client.connect(port);
  try {
    for (const [index, part] of (typeof parts === 'string' ? [parts] : parts).entries()) {
      if (index > 0) await pause(20);
      await client.send(part);
    }
    return await client.reply(count, method);
  } finally {
    client.leave();
  }
}

/** The first answer to one request. */
export async function answerTo(port: number, bytes: string, method = 'POST'): Promise<Response> {
  return first(await ask(port, bytes, 1, method));
}

/** The first of the received answers. */
export function first({ responses: [response] }: Reply): Response {
  if (response === undefined) throw new Error('no answer');
  return response;
}

export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** A request with a Host header and, if there is a body, its length and type; `lines` may replace any of these. */
export function request(target: string, body = '', lines: readonly string[] = []): string {
  const [first = ''] = target.split(' ').slice(1);
  const requestLine = first === '' ? `POST ${target} HTTP/1.1` : `${target} HTTP/1.1`;
  const given = (name: string): boolean => lines.some((line) => line.toLowerCase().startsWith(`${name}:`));
  const head = [
    ...(given('host') ? [] : ['Host: localhost']),
    ...(body === '' || given('content-type') ? [] : ['Content-Type: application/json']),
    ...(body === '' || given('content-length') || given('transfer-encoding')
      ? []
      : [`Content-Length: ${String(Buffer.byteLength(body, 'latin1'))}`]),
    ...lines.filter((line) => line !== ''),
  ];
  return `${[requestLine, ...head].join('\r\n')}\r\n\r\n${body}`;
}

/** The error object of an answer. */
export function errorOf(response: Response | undefined): {
  code: number;
  message: string;
  data: Record<string, unknown>;
} {
  const parsed: unknown = JSON.parse(response?.body ?? '');
  const error: unknown = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'error') : undefined;
  if (!isErrorObject(error)) throw new Error(`not an error object: ${response?.body ?? ''}`);
  return error;
}

function isErrorObject(value: unknown): value is { code: number; message: string; data: Record<string, unknown> } {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value && 'data' in value;
}

/** Send the parts and wait until the server closes the connection. @returns the status of its first answer, if any */
export async function statusOfRefusal(port: number, parts: readonly string[]): Promise<number | undefined> {
  const client = await Client.connect(port);
  for (const [index, part] of parts.entries()) {
    if (index > 0) await pause(30);
    await client.send(part);
  }
  const { responses } = await client.reply(1, 'POST', 20_000);
  await client.ended();
  client.leave();
  return responses[0]?.status;
}
