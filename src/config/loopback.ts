import { canonicalAddress } from './ip-address.js';

/** Whether a name or an address, as in `--host` or a Host header, means this machine only (spec 8). */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  const address = canonicalAddress(host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host);
  return address === '::1' || address?.startsWith('127.') === true;
}
