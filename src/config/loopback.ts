import { isIPv4, isIPv6, SocketAddress } from 'node:net';

/** Whether a name or an address, as `--host` has it or a Host header, is one of this machine only (contract 8). */
export function isLoopback(host: string): boolean {
  const name = bracketed(host);
  return (
    name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
  );
}

/** An address as a Host header spells it. Node's expression for IPv6 becomes 135 kB of code when it is used twice. */
function bracketed(host: string): string {
  const isAddress = host.includes(':') && isIPv6(host);
  return isAddress ? `[${new SocketAddress({ address: host, family: 'ipv6' }).address}]` : host;
}
