import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Request } from '../workloads.js';

const headEnd = '\r\n\r\n';

/** A client with one connection that does little itself, so its measurements show the server. */
export class HttpConnection {
  private waiting: { resolve: () => void; reject: (error: Error) => void } | undefined;
  private closed = false;
  /** Head of the answer; empty until it has arrived in full. */
  private head = '';
  private beginning = '';
  /** Bytes of the body that are still to come. */
  private missing = 0;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk) => {
      this.take(chunk);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
      this.waiting?.reject(new Error(`the connection was closed: ${this.head}`));
    });
  }

  static async open(port: number): Promise<HttpConnection> {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    await once(socket, 'connect');
    return new HttpConnection(socket);
  }

  /** One request at a time; resolves when the whole answer has arrived. @throws if it is not 200 */
  async ask(request: Buffer): Promise<void> {
    if (this.closed) throw new Error('the connection was closed');
    const answered = new Promise<void>((resolve, reject) => (this.waiting = { resolve, reject }));
    this.head = '';
    this.socket.write(request);
    await answered;
    if (!this.head.startsWith('HTTP/1.1 200')) throw new Error(this.head);
  }

  close(): void {
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    if (this.head === '') {
      this.beginning += chunk.toString('latin1');
      const end = this.beginning.indexOf(headEnd);
      if (end === -1) return;
      this.head = this.beginning.slice(0, end);
      const length = /\r\ncontent-length: *(\d+)/i.exec(this.head)?.[1];
      // Every measured server states the length of its answers.
      if (length === undefined) return void this.socket.destroy();
      this.missing = Number(length) - (this.beginning.length - end - headEnd.length);
      this.beginning = '';
    } else {
      this.missing -= chunk.length;
    }
    if (this.missing === 0) this.waiting?.resolve();
  }
}

/** A request as bytes, prepared before the clock starts. */
export function requestBytes({ method, path, body }: Request): Buffer {
  const length = `Content-Length: ${String(Buffer.byteLength(body))}`;
  const headers = ['Host: localhost', 'Content-Type: application/json', length];
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
}
