/** Hosts and origins (spec 8): web pages of other sites are kept out. */
import type { Config } from '../config/config.js';
import { canonicalAddress, isLoopback } from '../config/ip-address.js';
import { failure, type Failure } from '../core/errors.js';

export interface Origins {
  /** Null if a request with this Host and Origin is allowed, otherwise why not. */
  check(host: string, origin: string | undefined): Failure | null;
}

/** Verdicts are cached: a handful of clients send the same two headers over and over. */
const maxRemembered = 256;

/** The rules of a server that listens on `config.host`, over HTTPS if it has a certificate. */
export function createOrigins(config: Pick<Config, 'host' | 'allowOrigins' | 'tls'>): Origins {
  const loopbackOnly = isLoopback(config.host);
  const [scheme, usualPort] = config.tls === undefined ? (['http', 80] as const) : (['https', 443] as const);
  const allowed = new Set(config.allowOrigins);
  const remembered = new Map<string, Failure | null>();

  function judge(hostHeader: string, origin: string | undefined): Failure | null {
    const host = parseHost(hostHeader, usualPort);
    if (host === null) {
      return failure('invalid_request', 'The Host header is malformed', { details: 'Send a host name and a port.' });
    }
    if (loopbackOnly && !isLoopback(host.name)) {
      return failure(
        'forbidden',
        'Host not allowed: a server on loopback accepts only loopback names, such as localhost, 127.0.0.1 or [::1]',
        {
          details:
            'Call it as 127.0.0.1 or localhost, or ask for it to be restarted with --host=<address> to serve other machines.',
        },
      );
    }
    if (origin === undefined || allowed.has(origin) || isOwn(origin, host)) return null;
    return failure('forbidden', 'This origin is not allowed', {
      details: 'Start the server with --allow-origin=<origin> to allow web pages of that origin.',
    });
  }

  /**
   * The name must be one that an attacker cannot point at this server (DNS rebinding), or any page could claim to be
   * its own.
   */
  function isOwn(origin: string, { name, port }: Host): boolean {
    const trusted = isLoopback(name) || canonicalAddress(withoutBrackets(name)) !== undefined || name === config.host;
    const match = /^(https?):\/\/([^/?#@]+)$/.exec(origin.toLowerCase());
    const own = match?.[2] === undefined || match[1] !== scheme ? null : parseHost(match[2], usualPort);
    return trusted && own !== null && own.name === name && own.port === port;
  }

  return {
    check(host, origin) {
      // No header value contains a line break.
      const key = origin === undefined ? host : `${host}\n${origin}`;
      const known = remembered.get(key);
      if (known !== undefined) return known;
      const verdict = judge(host, origin);
      if (remembered.size >= maxRemembered) remembered.clear();
      // Do not cache long values: clients choose them, and they would waste memory.
      if (key.length <= 512) remembered.set(key, verdict);
      return verdict;
    },
  };
}

interface Host {
  /** Lower case, IPv6 addresses in brackets. */
  readonly name: string;
  readonly port: number;
}

/**
 * Host names without invalid characters or spellings that proxies read as different hosts. Only IPv6 addresses are in
 * brackets.
 */
const hostAndPort = /^(\[[\da-f.]*:[\da-f:.]*\]|[a-z\d._-]+)(?::(\d{0,5}))?$/;

/** @param usualPort default port of the scheme */
function parseHost(header: string, usualPort: number): Host | null {
  const [, name, port] = hostAndPort.exec(header.toLowerCase()) ?? [];
  return name === undefined ? null : { name, port: port === undefined || port === '' ? usualPort : Number(port) };
}

function withoutBrackets(name: string): string {
  return name.startsWith('[') ? name.slice(1, -1) : name;
}

/** For every answer to an allowed origin. */
export function corsHeaders(origin: string): readonly string[] {
  return [
    'Access-Control-Allow-Origin',
    origin,
    'Access-Control-Expose-Headers',
    'ETag, Retry-After, X-Request-Id',
    'Vary',
    'Origin',
  ];
}

/** Additional headers of a preflight answer. @param hasTokens whether requests carry tokens */
export function preflightHeaders(hasTokens: boolean): readonly string[] {
  return [
    'Access-Control-Allow-Methods',
    'POST',
    'Access-Control-Allow-Headers',
    `${hasTokens ? 'authorization, ' : ''}content-type, if-match, if-none-match, x-request-id, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name`,
    'Access-Control-Max-Age',
    '600',
  ];
}
