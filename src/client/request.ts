/**
 * What is sent for a call. It is complete before anything is sent, so that a mistake in it is reported as one and not
 * as an answer that was lost.
 */
import type { OperationName } from '../core/schemas.js';
import { member } from './send.js';
import type { ClientCall, FileEditorOptions } from './call.js';
import { FileEditorError } from './error.js';

/** The query must fit into the head of a request; to spread files over servers, the beginning of a name is enough. */
const longestSubject = 255;

/**
 * @returns the server's address, to which the path of an operation is appended
 * @throws FileEditorError if no request can be sent there
 */
export function baseOf(url: string | URL, { fetch }: FileEditorOptions): string {
  // Not the slashes of a scheme: after http:// the name of an operation would become the host.
  const base = String(url).replace(/(?<![:/])\/+$/, '');
  const wrong = `${JSON.stringify(String(url))} is not the URL of a server, such as http://127.0.0.1:8080`;
  // In Node, a relative address is refused only by the first call: a page's module may be loaded there without calling.
  const page = fetch === undefined ? pageUrl() : undefined;
  const { protocol, username, password, search, hash } = attempted(wrong, () => {
    return new URL(`${base}/`, page ?? 'http://localhost');
  });
  if (protocol !== 'http:' && protocol !== 'https:') throw unsent(`${wrong}: it has to begin with http:// or https://`);
  if (username + password !== '') throw unsent('The URL of a server has no password in it: send it in a header');
  if (search + hash !== '') throw unsent(`${wrong}: it has to end before ? and #`);
  return base;
}

/** @throws FileEditorError if fetch would not send it */
export function requestOf<Name extends OperationName>(
  base: string,
  { operation, params, subject, options, headers: own }: ClientCall<Name>,
  settings: FileEditorOptions,
): { readonly url: string; readonly init: RequestInit } {
  const url = `${base}/${operation}${queryOf(subject)}`;
  if (settings.fetch === undefined) attempted('This URL cannot be called', () => new Request(url));
  const headers = new Headers();
  const all = { ...settings.headers, 'Content-Type': 'application/json', ...own };
  const named = options.requestId === undefined ? all : { ...all, 'X-Request-Id': options.requestId };
  for (const [name, value] of Object.entries(named)) {
    attempted(`The header ${name} cannot be sent`, () => {
      headers.set(name, value);
    });
  }
  const body = attempted('The parameters cannot be written as JSON', () => JSON.stringify(params));
  return { url, init: { method: 'POST', headers, body } };
}

/** If a name is not a string, the server says best what is wrong. */
function queryOf(subject: unknown): string {
  if (typeof subject !== 'string') return '';
  return `?${new URLSearchParams({ name: subject.slice(0, longestSubject) }).toString()}`;
}

/** What a relative URL is relative to; undefined in Node. */
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

/** A mistake that was found before anything was sent. */
export function unsent(message: string, cause?: unknown): FileEditorError {
  return new FileEditorError({ message, cause }, false);
}
