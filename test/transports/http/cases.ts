/** Requests that must not be misread, as bytes; both listeners run them (spec 7). */
import { request } from './harness.js';

export interface RawCase {
  readonly name: string;
  /** Parts that arrive separately. */
  readonly parts: readonly string[];
}

const edit = '{"name":"a.txt","append":"x"}';
const length = String(edit.length);
const chunks = `${edit.length.toString(16)}\r\n${edit}\r\n0\r\n\r\n`;
const smuggled = request('/edit_file', edit);

function post(lines: readonly string[], body = edit): string {
  const all = ['Host: localhost', 'Content-Type: application/json', ...lines];
  return `POST /edit_file HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n${body}`;
}

const framings: readonly (readonly [string, string])[] = [
  ['two equal lengths', post([`Content-Length: ${length}`, `Content-Length: ${length}`])],
  ['two lengths, the first too short', post(['Content-Length: 3', `Content-Length: ${length}`])],
  ['two lengths, the first too long', post(['Content-Length: 900', `Content-Length: ${length}`])],
  [
    'two lengths, the first hides a request',
    post(['Content-Length: 0', `Content-Length: ${String(smuggled.length)}`], smuggled),
  ],
  ['an empty length', post(['Content-Length:'])],
  ['an empty length, then a request', post(['Content-Length:'], smuggled)],
  ...['+29', '0x1d', '-1', '""', '29, 29', '2 9', '29.0', '1e1', '18446744073709551645', '²⁹'].map(
    (value) => [`the length ${value}`, post([`Content-Length: ${value}`])] as const,
  ),
  ['a length and chunks', post([`Content-Length: ${length}`, 'Transfer-Encoding: chunked'], chunks)],
  ['chunks and a length', post(['Transfer-Encoding: chunked', `Content-Length: ${String(chunks.length)}`], chunks)],
  ['a length and an empty encoding', post([`Content-Length: ${length}`, 'Transfer-Encoding:'])],
  ...['xchunked', 'gzip, chunked', 'chunked, identity', 'chunked, chunked', 'identity', 'Chunked', '"chunked"', ''].map(
    (value) => [`the encoding ${value}`, post([`Transfer-Encoding: ${value}`], chunks)] as const,
  ),
  ['chunked twice', post(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], chunks)],
  ['two encodings', post(['Transfer-Encoding: identity', 'Transfer-Encoding: chunked'], chunks)],
  ['two hosts', request('/edit_file', edit, ['Host: localhost', 'Host: localhost'])],
  ['no host', `POST /edit_file HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${edit}`],
];

const grammar: readonly (readonly [string, string])[] = [
  ['bare line feeds', post([`Content-Length: ${length}`]).replaceAll('\r\n', '\n')],
  ['a space before a colon', post([`Content-Length : ${length}`])],
  ['a folded header', post([`Content-Length: ${length}`, 'X-Other: a\r\n b'])],
  ['NUL in a header', post([`Content-Length: ${length}`, 'X-Other: a\0b'])],
  ['a header without a colon', post([`Content-Length: ${length}`, 'Nonsense'])],
  ['an absolute target', request('POST http://localhost/edit_file', edit)],
  ['a target that is no path', request('POST edit_file', edit)],
  ['a target beyond ASCII', request('POST /edit_file\xc3\xa9', edit)],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['another version of HTTP', smuggled.replace('HTTP/1.1', 'HTTP/2.0')],
  ['another version of HTTP, followed by a request', `${smuggled.replace('HTTP/1.1', 'HTTP/2.0')}${smuggled}`],
  ['a TLS hello', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'],
  ['a chunk size that is none', post(['Transfer-Encoding: chunked'], `zz\r\n${edit}\r\n0\r\n\r\n`)],
  ['a chunk size with a prefix', post(['Transfer-Encoding: chunked'], `0x${chunks}`)],
  ['a negative chunk size', post(['Transfer-Encoding: chunked'], `-${chunks}`)],
  ['CONNECT', 'CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n'],
];

/** Each in one piece, and with the body separate from the head. */
export const ambiguous: readonly RawCase[] = framings.flatMap(([name, bytes]) => {
  const head = bytes.slice(0, bytes.indexOf('\r\n\r\n') + 4);
  return [
    { name, parts: [bytes] },
    { name: `${name}, in two packets`, parts: [head, bytes.slice(head.length)] },
    { name: `${name}, followed by a request`, parts: [`${bytes}${smuggled}`] },
  ];
});

/** Not HTTP/1.1 at all. */
export const malformed: readonly RawCase[] = grammar.map(([name, bytes]) => ({ name, parts: [bytes] }));
