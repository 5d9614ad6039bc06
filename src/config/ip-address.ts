/**
 * An IP address in its one canonical spelling, as URLs have it; undefined if the text is not an address.
 *
 * Uses the URL parser, which every Node process has loaded: node:net and what it loads would add 2 ms to a start, and
 * its regular expression for IPv6 becomes 135 kB of code on its second use.
 * @param text without brackets and without the interface of a link-local address
 */
export function canonicalAddress(text: string): string | undefined {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) {
    // URLs read a number with a leading zero as octal.
    return URL.canParse(`http://${text}`) && new URL(`http://${text}`).hostname === text ? text : undefined;
  }
  const isAddress = /^[\da-f.]*:[\da-f:.]*$/i.test(text) && URL.canParse(`http://[${text}]`);
  return isAddress ? new URL(`http://[${text}]`).hostname.slice(1, -1) : undefined;
}

/** Whether a name or an address, as in `--host` or a Host header, means this machine only (spec 8). */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  const address = canonicalAddress(host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host);
  return address === '::1' || address?.startsWith('127.') === true;
}
