/** Requests to a server over HTTP. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Answer {
  readonly status: number | undefined;
  readonly body: unknown;
}

/**
 * A GET, or a POST of JSON. Not by `fetch`, which does not work on Windows as Wine has it.
 * @param token of the caller
 */
export async function send(url: string, path: string, body?: object, token?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    };
    const init = body === undefined ? {} : { method: 'POST', headers };
    const sent = request(`${url}${path}`, init, (response) => {
      text(response).then((answer) => {
        resolve({ status: response.statusCode, body: answer === '' ? undefined : JSON.parse(answer) });
      }, reject);
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
