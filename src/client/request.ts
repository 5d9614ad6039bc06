/**
 * Builds the request of a call completely before it is sent, so that an invalid call is reported as such and not as a
 * lost answer.
 */
import type { OperationName } from '../core/schemas.js';
import { member } from './send.js';
import type { ClientCall, FileEditorOptions } from './call.js';
import { FileEditorError } from './error.js';

/** The query must fit into the request head; a prefix of the name is enough for load balancing. */
const longestSubject = 255;

/**
 * @returns the server's address, to which the path of an operation is appended
 * @throws FileEditorError if the URL is not usable
 */
export function baseOf(url: string | URL, { fetch }: FileEditorOptions): string {
  // Keep the slashes of a scheme: after a bare http:// the operation name would become the host.
  const base = String(url).replace(/(?<![:/])\/+$/, '');
  const wrong = `${JSON.stringify(String(url))} is not the URL of a server, such as http://127.0.0.1:8080`;
  // In Node, a relative URL is refused only by the first call: a browser module may be loaded there without making any.
  const page = fetch === undefined ? pageUrl() : undefined;
  const { protocol, username, password, search, hash } = attempted(wrong, () => {
    return new URL(`${base}/`, page ?? 'http://localhost');
  });
  if (protocol !== 'http:' && protocol !== 'https:') throw unsent(`${wrong}: it must begin with http:// or https://`);
  if (username + password !== '') throw unsent('The URL of a server must not contain a password: send it in a header');
  if (search + hash !== '') throw unsent(`${wrong}: it has to end before ? and #`);
  return base;
}

/** @throws FileEditorError if fetch would refuse it */
export function requestOf<Name extends OperationName>(
  base: string,
  { operation, params, subject, options, headers: own }: ClientCall<Name>,
  settings: FileEditorOptions,
): { readonly url: string; readonly init: RequestInit } {
  const url = `${base}/${operation}${queryOf(subject)}`;
  if (settings.fetch === undefined) attempted('This URL cannot be called', () => new Request(url));
  const headers = new Headers();
  for (const [name, text] of Object.entries({
    Authorization: settings.token && `Bearer ${settings.token}`,
    ...settings.headers,
    'Content-Type': 'application/json',
    ...own,
    'X-Request-Id': options.requestId,
  })) {
    if (text !== undefined)
      attempted(`The header ${name} cannot be sent`, () => {
        headers.set(name, text);
      });
  }
  const body = attempted('The parameters cannot be written as JSON', () => JSON.stringify(params));
  return { url, init: { method: 'POST', headers, body } };
}

/** A name that is not a string is left for the server to report. */
function queryOf(subject: unknown): string {
  if (typeof subject !== 'string') return '';
  return `?${new URLSearchParams({ name: subject.slice(0, longestSubject) }).toString()}`;
}

/** Base of relative URLs; undefined in Node. */
function pageUrl(): string | undefined {
  const url = member(member(globalThis, 'document'), 'baseURI') ?? member(member(globalThis, 'location'), 'href');
  return typeof url === 'string' ? url : undefined;
}

function attempted<Part>(failure: string, make: () => Part): Part {
  try {
    return make();
  } catch (cause) {
    throw unsent(`${failure}: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

/** The error of a call that was not sent. */
export function unsent(message: string, cause?: unknown): FileEditorError {
  return new FileEditorError({ message, cause }, false);
}
