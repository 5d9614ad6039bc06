/**
 * Admits requests (spec 8 and 16). Every HTTP request is checked here before anything else: first its host and origin,
 * then, with `--tokens`, its token.
 */
import type { Config } from '../config/config.js';
import { failure, type Failure } from '../core/errors.js';
import type { RequestHead } from '../transports/http/site.js';
import { createOrigins, type Origins } from './origins.js';
import { anyCaller, type Caller } from './permission.js';
import type { Tokens } from './tokens.js';

interface Refused {
  readonly failure: Failure;
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
}

export class Entrance {
  private readonly origins: Origins;
  /** The caller of every request, without tokens. */
  private readonly anyone: Caller | undefined;

  /** @param tokens undefined: an allowed host and origin are enough */
  constructor(
    config: Pick<Config, 'host' | 'allowOrigins' | 'tls' | 'paths'>,
    private readonly tokens?: Pick<Tokens, 'callerOf'>,
  ) {
    this.origins = createOrigins(config);
    this.anyone = anyCaller(config.paths);
  }

  /** Let a request in, and note its allowed origin and its caller in the head. @returns why it is refused, or null */
  admit(head: RequestHead): Refused | null {
    const { host, origin } = head;
    const foreign = this.origins.check(host ?? '', origin);
    if (foreign !== null) return { failure: foreign, headers: origin === undefined ? [] : ['Vary', 'Origin'] };
    head.allowedOrigin = origin;
    head.caller = this.anyone;
    if (this.tokens === undefined || isOpen(head)) return null;
    head.caller = this.tokens.callerOf(head.authorization);
    return head.caller === undefined ? unauthorized(head) : null;
  }

  /** Let pages of an allowed origin also read refusals that precede `admit`. */
  allowOrigin(head: RequestHead): void {
    const { host = '', hosts, origin } = head;
    if (origin === undefined || head.allowedOrigin !== undefined) return;
    if (this.origins.check(hosts === 1 ? host : '', origin) === null) head.allowedOrigin = origin;
  }
}

/** Requests without a token: load balancers have none, and a browser's preflight carries none. */
function isOpen(head: RequestHead): boolean {
  const { method, path } = head;
  return isPreflight(head) || (path === '/health' && (method === 'GET' || method === 'HEAD'));
}

/** Whether the request is the preflight of a page of an allowed origin. */
export function isPreflight({ method, allowedOrigin }: RequestHead): boolean {
  return method === 'OPTIONS' && allowedOrigin !== undefined;
}

function unauthorized({ authorization }: RequestHead): Refused {
  const [message, first] =
    authorization === undefined
      ? ['This server needs a token', 'Send the header Authorization: Bearer <token>.']
      : ['The token is unknown', 'Send the header Authorization once, as Bearer <token>, with a token of this server.'];
  const details = `${first} The operator of the server makes one with: file-editor token NAME.`;
  return { failure: failure('unauthorized', message, { details }), headers: ['WWW-Authenticate', 'Bearer'] };
}
