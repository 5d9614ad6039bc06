import type { Fetch } from '../../src/client/index.js';

/** How a request ends: an answer, or a network error with this code. */
export type Step =
  { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> } | string;

/** A recorded request. */
export interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A network whose successive requests end as scripted. */
export function scripted(...steps: readonly Step[]): { fetch: Fetch; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, { headers, body, signal }) => {
    const step = steps[sent.length];
    sent.push({ url, headers: new Headers(headers), body: typeof body === 'string' ? JSON.parse(body) : undefined });
    signal?.throwIfAborted();
    if (step === undefined) throw new Error('one request too many');
    if (typeof step === 'string') {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(step), { code: step }) });
    }
    const text = typeof step.body === 'string' ? step.body : JSON.stringify(step.body);
    return new Response(step.status === 304 ? null : text, step);
  };
  return { fetch, sent };
}

export const busy: Step = {
  status: 503,
  body: { error: { code: -32000, message: 'Server is busy', data: { details: 'Retry after a short pause.' } } },
  headers: { 'Retry-After': '0' },
};
export const changed: Step = {
  status: 412,
  body: { error: { code: -32001, message: "File 'a.txt' has changed", data: { current_hash: 'bb' } } },
};
export const notFound: Step = {
  status: 404,
  body: { error: { code: -32001, message: "File 'a.txt' not found", data: { details: 'Call list_files.' } } },
};
export const badGateway: Step = { status: 502, body: '<html>Bad Gateway</html>' };
export const lost = 'ECONNRESET';
export const refused = 'ECONNREFUSED';
export const done = (body: unknown): Step => ({ status: 200, body });
