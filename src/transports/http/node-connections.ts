import { maxHeaderSize, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { failure, type Failure } from '../../core/errors.js';
import { closingMessage } from './answer.js';
import { plainAddress } from './address.js';
import { RequestHead, settleFraming } from './guard.js';
import { NodeExchange } from './node-exchange.js';
import type { OpenExchanges } from './open-exchanges.js';
import { lingerMs } from './patience.js';

/** Most pipelined requests that may wait on one connection. */
const maxPipelined = 16;

/** Runs the requests of each connection one at a time: node:http would start all pipelined requests concurrently. */
export class Connections {
  private readonly current = new Map<Duplex, NodeExchange>();
  private readonly waiting = new Map<Duplex, (() => void)[]>();
  private readonly known = new WeakSet<Socket>();

  constructor(private readonly exchanges: OpenExchanges) {}

  /** @param awaitsContinue whether the client waits for `100 Continue` */
  accept(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    const { socket, httpVersion, httpVersionMajor } = request;
    // node:http accepts a request line that ends in HTTP/2.0 as HTTP/1.1 and reads on after it.
    if (httpVersionMajor !== 1) {
      this.refuse(socket, notHttp(`The request line names HTTP/${httpVersion}`));
      return;
    }
    // Requests after a refusal are not executed.
    if (!socket.writable) return;
    this.watchEnd(socket);
    const begin = (): void => {
      this.begin(request, response, awaitsContinue);
    };
    if (this.current.has(socket)) this.wait(socket, begin);
    else begin();
  }

  /** CONNECT is never granted. */
  connect(request: IncomingMessage): void {
    const { socket } = request;
    // Node has removed its own listeners; without one, a reset would end the process.
    socket.on('error', () => undefined);
    // The answer to an earlier request goes first and ends the connection.
    if (this.endsWithCurrent(socket)) return;
    const { site } = this.exchanges;
    const head = readHead(request, false);
    const ambiguous = settleFraming(head);
    const answer = ambiguous === null ? site.judge(head) : site.refuse(ambiguous, head);
    if ('run' in answer || this.current.has(socket)) socket.destroy();
    else this.end(socket, closingMessage(answer, head.method));
  }

  /** The client has sent something that is not a request. */
  fail(error: NodeJS.ErrnoException, socket: Duplex): void {
    // A client that has gone or does not speak TLS could not read an answer.
    if (error.code === 'HPE_HEADER_OVERFLOW') this.refuse(socket, tooLargeHead());
    else if (error.code?.startsWith('HPE_') === true) this.refuse(socket, notHttp(error.message));
    // If the system reports the connection as gone, its call still runs, but no answer needs sending.
    else if (error.syscall !== undefined || !this.endsWithCurrent(socket)) socket.destroy();
  }

  /**
   * libuv reports a reset that arrives with the last bytes as end of input (POLLHUP), and Node would keep the socket
   * until it is answered: 8,000 of them under clients that requested large files and left. A socket whose connection is
   * gone has no remote address.
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
    // An earlier answer ended this connection, or it is closed already: no event would ever end this exchange.
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
  head.addressOf = () => plainAddress(request.socket.remoteAddress);
  return head;
}

function notHttp(problem: string): Failure {
  return failure('invalid_request', 'The request is not HTTP/1.1', { details: `${problem}.` });
}

function tooLargeHead(): Failure {
  const details = `Send a request line and headers of at most ${String(maxHeaderSize / 1024)} KB in all.`;
  return failure('invalid_request', 'The head of the request is too large', { details });
}
