/**
 * An IP address in its one canonical spelling, as URLs have it; undefined where the text is none.
 *
 * By the parser of URLs, which every process of Node has: node:net and what it loads are 2 ms of a start, and its
 * expression for IPv6 becomes 135 kB of code when it is used twice.
 * @param text without brackets and without the interface behind a link-local address
 */
export function canonicalAddress(text: string): string | undefined {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) {
    // URLs read a number with a leading zero as octal.
    return URL.canParse(`http://${text}`) && new URL(`http://${text}`).hostname === text ? text : undefined;
  }
  const isAddress = /^[\da-f.]*:[\da-f:.]*$/i.test(text) && URL.canParse(`http://[${text}]`);
  return isAddress ? new URL(`http://[${text}]`).hostname.slice(1, -1) : undefined;
}
