/** What a protocol gives a listener to send, and the bytes of it where the connection ends behind it. */

export interface Answer {
  readonly status: number;
  /** Name, value, name, value, …; the listener adds Content-Length, Date and Connection. */
  readonly headers: readonly string[];
  /** Null: an answer that can have none, 204 or 304. An empty one has a length, or clients wait for it. To HEAD only its length is sent. */
  readonly body: Buffer | null;
  /** The connection ends behind this answer. */
  readonly close: boolean;
  /** Nobody will look at the body again. */
  readonly release?: (() => void) | undefined;
}

const reasons: ReadonlyMap<number, string> = new Map([
  [200, 'OK'],
  [202, 'Accepted'],
  [204, 'No Content'],
  [304, 'Not Modified'],
  [400, 'Bad Request'],
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

/** The header lines of an answer behind its status line, each with a line break in front. */
export function headerLines({ headers }: Answer): string {
  let lines = '';
  for (let index = 1; index < headers.length; index += 2) {
    lines += `\r\n${headers[index - 1] ?? ''}: ${headers[index] ?? ''}`;
  }
  return lines;
}

/**
 * The whole answer as bytes, for a connection that ends behind it. A body is followed by white space, which means
 * nothing in JSON and HTML: at least a line break, so that each of these messages ends with one, which
 * uWebSockets.js adds in any case (uws-exchange.ts), and as much as it takes to make `atLeast` bytes. An empty body
 * stays empty: the head ends with a line break, too.
 */
export function closingMessage(answer: Answer, method: string, atLeast = 0): Buffer {
  const { status, body } = answer;
  const end = body?.length === 0 ? '' : `${' '.repeat(Math.max(atLeast - (body?.length ?? 0), 0))}\r\n`;
  const length = body === null ? '' : `\r\nContent-Length: ${String(body.length + end.length)}`;
  const date = `\r\nDate: ${new Date().toUTCString()}`;
  const head = `HTTP/1.1 ${statusText(status)}${headerLines(answer)}${length}${date}\r\nConnection: close\r\n\r\n`;
  if (body === null || method === 'HEAD') return Buffer.from(head);
  return Buffer.concat([Buffer.from(head), body, Buffer.from(end)]);
}
