/** Binding the HTTP address, and explaining why it fails. */
import type { Address } from '../../config/config.js';
import { platform } from '../../core/platform.js';

/** The address to bind: uWebSockets.js resolves `localhost` to ::1 only, while most clients use 127.0.0.1. */
export function bindAddress(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

/** The problem for a bind that failed with `code`, naming the flag and what it accepts. */
export function bindProblem({ host, port, addressLabels: labels }: Address, code: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `${labels.port}: ${String(port)} is in use on ${host}; expected a free port, for example ${labels.port}=${String(port < 65_535 ? port + 1 : 8080)}${whoHas(port)}`;
    case 'EADDRNOTAVAIL':
      return `${labels.host}: "${host}" is not an address of this machine; expected one that is`;
    case 'EACCES':
      return `${labels.port}: this user is not permitted to bind port ${String(port)}; expected a port that it may bind`;
    default:
      return `${labels.port}: cannot listen on ${host} port ${String(port)} (${code}); expected an address that can be bound`;
  }
}

/** How to find the process on the port: usually a forgotten server. */
function whoHas(port: number): string {
  switch (platform.name) {
    case 'linux':
      return ` (ss -ltnp 'sport = :${String(port)}' tells which process uses it)`;
    case 'darwin':
      return ` (lsof -nP -iTCP:${String(port)} -sTCP:LISTEN tells which process uses it)`;
    default:
      return '';
  }
}

/** Binds the address exclusively and releases it. @returns one problem or none */
export async function exclusiveBindProblems(address: Address): Promise<readonly string[]> {
  // Loaded here to save a successful start 2 ms.
  const { createServer } = await import('node:net');
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      resolve([bindProblem(address, error.code ?? error.message)]);
    });
    probe.listen({ host: bindAddress(address.host), port: address.port, exclusive: true }, () => {
      probe.close(() => {
        resolve([]);
      });
    });
  });
}

/**
 * A client's address in one form for both listeners: uWebSockets.js writes out every digit of IPv6, and a dual-stack
 * socket reports IPv4 addresses as IPv6.
 */
export function plainAddress(address: string | undefined): string | undefined {
  if (address === undefined || address === '') return undefined;
  const short = address.includes(':')
    ? new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1)
    : address;
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(short);
  if (mapped === null) return short;
  const [high, low] = mapped.slice(1).map((digits) => parseInt(digits, 16));
  return [high, low].flatMap((half = 0) => [half >> 8, half & 255]).join('.');
}
