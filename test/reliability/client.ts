import { Agent, request } from 'node:http';
import type { ServerProcess } from '../fronts/server-process.js';

/** Outcome of a call. */
export type Reply = Done | Refused | Unanswered;

export interface Done {
  readonly kind: 'done';
  readonly result: Readonly<Record<string, unknown>>;
}

export interface Refused {
  readonly kind: 'refused';
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** HTTP only. */
  readonly status: number | undefined;
}

/** The connection or the process ended before the answer: only the file shows whether the call took effect. */
export interface Unanswered {
  readonly kind: 'unanswered';
  readonly reason: string;
}

/** Calls one server. Never retries, so it never causes a double effect. */
export interface Client {
  call(operation: string, params: unknown): Promise<Reply>;
  close(): void;
}

/** Servers close connections that are idle for 8 s; a call sent at that moment would get no answer. */
const idleLimitMs = 4_000;

/** Calls over `connections` keep-alive connections; further calls wait for a free one. */
export function httpClient(url: string, connections = 1): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo', timeout: idleLimitMs });
  return {
    call: (operation, params) =>
      new Promise((resolve) => {
        const unanswered = (error: Error): void => {
          resolve({ kind: 'unanswered', reason: error.message });
        };
        const body = Buffer.from(JSON.stringify(params));
        const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
        const sent = request(`${url}/${operation}`, { method: 'POST', agent, headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', unanswered);
          response.on('end', () => {
            const answer = parse(Buffer.concat(chunks).toString());
            const error = answer['error'];
            resolve(
              response.statusCode === 200
                ? { kind: 'done', result: answer }
                : { kind: 'refused', ...readError(error), status: response.statusCode },
            );
          });
        });
        sent.on('error', unanswered);
        sent.end(body);
      }),
    close: () => {
      agent.destroy();
    },
  };
}

/** Calls over the process's streams, without a concurrency limit. */
export function stdioClient(server: ServerProcess & { readonly stdin: NodeJS.WritableStream }): Client {
  const waiting = new Map<unknown, (reply: Reply) => void>();
  let lastId = 0;
  let ended = false;
  server.lines.on('line', (line) => {
    const { id, result, error } = parse(line);
    const answer = waiting.get(id);
    if (answer === undefined) throw new Error(`nothing waits for this answer: ${line.slice(0, 200)}`);
    waiting.delete(id);
    answer(isRecord(result) ? { kind: 'done', result } : { kind: 'refused', ...readError(error), status: undefined });
  });
  // Fires once the process has exited and its output has been read.
  server.child.once('close', () => {
    ended = true;
    for (const answer of waiting.values()) answer({ kind: 'unanswered', reason: 'the output ended' });
    waiting.clear();
  });
  // A killed server breaks the pipe; the end of its output already reports that.
  server.stdin.on('error', () => undefined);
  return {
    call: (operation, params) =>
      new Promise((resolve) => {
        if (ended) {
          resolve({ kind: 'unanswered', reason: 'the output had ended' });
          return;
        }
        const id = ++lastId;
        waiting.set(id, resolve);
        server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: operation, params })}\n`);
      }),
    close: () => undefined,
  };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Error(`not an object: ${text.slice(0, 200)}`);
  return value;
}

function readError(error: unknown): Pick<Refused, 'code' | 'message' | 'data'> {
  if (isRecord(error)) {
    const { code, message, data } = error;
    if (typeof code === 'number' && typeof message === 'string' && isRecord(data)) return { code, message, data };
  }
  throw new Error(`not an error object: ${JSON.stringify(error)}`);
}
