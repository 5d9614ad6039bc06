import { isIPv4, isIPv6, SocketAddress } from 'node:net';

/** Whether a name or an address, as `--host` has it or a Host header, is one of this machine only (contract 8). */
export function isLoopback(host: string): boolean {
  const name = bracketed(host);
  return (
    name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
  );
}

/** An address as a Host header spells it. */
function bracketed(host: string): string {
  return isIPv6(host) ? `[${new SocketAddress({ address: host, family: 'ipv6' }).address}]` : host;
}
