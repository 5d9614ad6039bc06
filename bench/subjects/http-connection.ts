import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Request } from '../workloads.js';

const headEnd = Buffer.from('\r\n\r\n');

/** One client with one connection that does little itself, so that what it measures is the server. */
export class HttpConnection {
  private received: Buffer[] = [];
  private waiting: { resolve: (body: Buffer) => void; reject: (error: Error) => void } | undefined;
  /** Bytes of the whole answer; unknown before its head is there. */
  private expected = Infinity;
  private count = 0;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk) => {
      this.take(chunk);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => this.waiting?.reject(new Error('the server closed the connection')));
  }

  static async open(port: number): Promise<HttpConnection> {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    await once(socket, 'connect');
    return new HttpConnection(socket);
  }

  /** One at a time. @returns the answer with its head @throws if it is not 200 */
  async ask(request: Buffer): Promise<Buffer> {
    const answer = new Promise<Buffer>((resolve, reject) => (this.waiting = { resolve, reject }));
    this.socket.write(request);
    const bytes = await answer;
    if (bytes.toString('latin1', 9, 12) !== '200') throw new Error(bytes.toString('latin1', 0, 1000));
    return bytes;
  }

  close(): void {
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.received.push(chunk);
    this.count += chunk.length;
    if (this.expected === Infinity) this.expected = wholeLength(Buffer.concat(this.received));
    if (this.count < this.expected) return;
    const answer = Buffer.concat(this.received);
    this.received = [];
    this.count = 0;
    this.expected = Infinity;
    this.waiting?.resolve(answer);
  }
}

/** A request as bytes, made before any time counts. */
export function requestBytes({ method, path, body }: Request): Buffer {
  const headers = [
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${String(Buffer.byteLength(body))}`,
  ];
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
}

/** @throws for an answer that does not say its length: none of the servers here gives one */
function wholeLength(bytes: Buffer): number {
  const end = bytes.indexOf(headEnd);
  if (end === -1) return Infinity;
  const head = bytes.toString('latin1', 0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`no Content-Length: ${head}`);
  return end + headEnd.length + Number(length);
}
