/** HTTP answers, and their bytes if the connection ends after them. */
import { joined, type AnyBytes } from '../../core/json/scattered-bytes.js';

export interface Answer {
  readonly status: number;
  /** Name, value, name, value, …; the listener adds Content-Length, Date and Connection. */
  readonly headers: readonly string[];
  /**
   * Null if the status allows no body (204, 304). An empty body has a Content-Length, or clients would wait for it.
   * HEAD gets the length only.
   */
  readonly body: AnyBytes | null;
  /** The connection ends after this answer. */
  readonly close: boolean;
}

const reasons: ReadonlyMap<number, string> = new Map([
  [200, 'OK'],
  [202, 'Accepted'],
  [204, 'No Content'],
  [304, 'Not Modified'],
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [408, 'Request Timeout'],
  [409, 'Conflict'],
  [412, 'Precondition Failed'],
  [413, 'Content Too Large'],
  [431, 'Request Header Fields Too Large'],
  [500, 'Internal Server Error'],
  [503, 'Service Unavailable'],
  [504, 'Gateway Timeout'],
  [507, 'Insufficient Storage'],
]);

/** Status code and reason, such as `404 Not Found`. */
export function statusText(status: number): string {
  return `${String(status)} ${reasons.get(status) ?? 'Unknown'}`;
}

/** The header lines of an answer, each preceded by a line break. */
export function headerLines({ headers }: Answer): string {
  let lines = '';
  for (let index = 1; index < headers.length; index += 2) {
    lines += `\r\n${headers[index - 1] ?? ''}: ${headers[index] ?? ''}`;
  }
  return lines;
}

/**
 * The whole answer as bytes, for a connection that ends after it. White space, which JSON and HTML ignore, pads a body
 * to `atLeast` bytes and always ends it with a line break, as uWebSockets.js appends one in any case (uws-exchange.ts).
 * An empty body stays empty: the head ends with a line break too.
 */
export function closingMessage(answer: Answer, method: string, atLeast = 0): Buffer {
  const { status, body } = answer;
  const end = body?.length === 0 ? '' : `${' '.repeat(Math.max(atLeast - (body?.length ?? 0), 0))}\r\n`;
  const length = body === null ? '' : `\r\nContent-Length: ${String(body.length + end.length)}`;
  const date = `\r\nDate: ${new Date().toUTCString()}`;
  const head = `HTTP/1.1 ${statusText(status)}${headerLines(answer)}${length}${date}\r\nConnection: close\r\n\r\n`;
  if (body === null || method === 'HEAD') return Buffer.from(head);
  return Buffer.concat([Buffer.from(head), joined(body), Buffer.from(end)]);
}
