import { maxHeaderSize, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { failure, type Failure } from '../../core/errors.js';
import { closingMessage } from './answer.js';
import { RequestHead, settleFraming } from './guard.js';
import { NodeExchange } from './node-exchange.js';
import type { OpenExchanges } from './open-exchanges.js';
import { lingerMs } from './patience.js';

/** How many requests of one connection may wait for an earlier one. */
const maxPipelined = 16;

/** Runs the requests of each connection one at a time: node:http would begin all pipelined ones at once. */
export class Connections {
  private readonly current = new Map<Duplex, NodeExchange>();
  private readonly waiting = new Map<Duplex, (() => void)[]>();
  private readonly known = new WeakSet<Socket>();

  constructor(private readonly exchanges: OpenExchanges) {}

  /** @param awaitsContinue whether the client sends the body only when told to */
  accept(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    const { socket, httpVersion, httpVersionMajor } = request;
    // node:http takes a request line that ends in HTTP/2.0 for one of HTTP/1.1, and goes on reading behind it.
    if (httpVersionMajor !== 1) {
      this.refuse(socket, notHttp(`The request line names HTTP/${httpVersion}`));
      return;
    }
    // What is behind a refusal is not executed.
    if (!socket.writable) return;
    this.watchEnd(socket);
    const begin = (): void => {
      this.begin(request, response, awaitsContinue);
    };
    if (this.current.has(socket)) this.wait(socket, begin);
    else begin();
  }

  /** There are no tunnels, whatever is asked for. */
  connect(request: IncomingMessage): void {
    const { socket } = request;
    // Node has taken its own listeners off; without one, a reset would end the process.
    socket.on('error', () => undefined);
    // The answer to a request before it comes first, and is the last one.
    if (this.endsWithCurrent(socket)) return;
    const { site } = this.exchanges;
    const head = readHead(request, false);
    const ambiguous = settleFraming(head);
    const answer = ambiguous === null ? site.judge(head) : site.refuse(ambiguous, head);
    if ('run' in answer || this.current.has(socket)) socket.destroy();
    else this.end(socket, closingMessage(answer, head.method));
  }

  /** What the client has sent is not a request. */
  fail(error: NodeJS.ErrnoException, socket: Duplex): void {
    // Neither a client that has gone nor one that does not speak TLS could read an answer.
    if (error.code === 'HPE_HEADER_OVERFLOW') this.refuse(socket, tooLargeHead());
    else if (error.code?.startsWith('HPE_') === true) this.refuse(socket, notHttp(error.message));
    // A connection that the system says is gone has its call executed, but nothing to wait for.
    else if (error.syscall !== undefined || !this.endsWithCurrent(socket)) socket.destroy();
  }

  /**
   * libuv reports a reset that comes with the last bytes as the end of what is sent (POLLHUP), and Node would keep the
   * socket until it is answered: under clients that asked for large files and left, 8,000 of them. Whose connection is
   * gone has no address any more.
   */
  private watchEnd(socket: Socket): void {
    if (this.known.has(socket)) return;
    this.known.add(socket);
    socket.once('end', () => {
      if (socket.remoteAddress === undefined) socket.destroy();
    });
  }

  private refuse(socket: Duplex, refusal: Failure): void {
    if (this.endsWithCurrent(socket)) return;
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const head = new RequestHead('', '');
    this.end(socket, closingMessage(this.exchanges.site.refuse(refusal, head), head.method));
  }

  private end(socket: Duplex, message: Buffer): void {
    socket.end(message);
    setTimeout(() => {
      socket.destroy();
    }, lingerMs);
  }

  private endsWithCurrent(socket: Duplex): boolean {
    return this.current.get(socket)?.endsConnection() === true;
  }

  private wait(socket: Duplex, begin: () => void): void {
    const waiting = this.waiting.get(socket) ?? [];
    this.waiting.set(socket, waiting);
    if (waiting.length >= maxPipelined) socket.destroy();
    else waiting.push(begin);
  }

  private begin(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    const { socket } = request;
    // An earlier answer was the last one of this connection, or it is closed already: no event would ever end this
    // exchange.
    if (response.socket === null || socket.destroyed) {
      this.waiting.delete(socket);
      return;
    }
    const exchange = new NodeExchange(request, response, readHead(request, awaitsContinue), this.exchanges);
    this.current.set(socket, exchange);
    response.once('close', () => {
      this.current.delete(socket);
      const waiting = this.waiting.get(socket);
      if (waiting === undefined) return;
      const next = waiting.shift();
      if (waiting.length === 0) this.waiting.delete(socket);
      next?.();
    });
    exchange.begin();
  }
}

function readHead(request: IncomingMessage, awaitsContinue: boolean): RequestHead {
  const { url = '', method = '', rawHeaders } = request;
  const query = url.indexOf('?');
  const head = new RequestHead(method, query === -1 ? url : url.slice(0, query));
  for (let index = 1; index < rawHeaders.length; index += 2) {
    head.take((rawHeaders[index - 1] ?? '').toLowerCase(), rawHeaders[index] ?? '');
  }
  head.awaitsContinue = awaitsContinue;
  return head;
}

function notHttp(problem: string): Failure {
  return failure('invalid_request', 'The request is not HTTP/1.1', { details: `${problem}.` });
}

function tooLargeHead(): Failure {
  const details = `Send a request line and headers of at most ${String(maxHeaderSize / 1024)} KB in all.`;
  return failure('invalid_request', 'The head of the request is too large', { details });
}
