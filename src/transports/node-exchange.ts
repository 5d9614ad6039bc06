import type { IncomingMessage, ServerResponse } from 'node:http';
import { lingerMs, longestUploadMs, sendStallMs, takeStallMs, takeStallUnderPressureMs } from './http.js';
import { closingMessage, type Answer } from './http-answer.js';
import { Exchange, type Exchanges } from './http-exchange.js';
import type { RequestHead } from './http-guard.js';

/** Smaller answers fit into the buffer of any socket, and are not watched. */
const smallAnswer = 64 * 1024;

const nothing = Buffer.alloc(0);

/**
 * A request that node:http received. Stalled clients are cut off by the timeout of their socket: Node starts it again
 * with every byte that moves, also within one large write.
 */
export class NodeExchange extends Exchange {
  private receiving = false;
  /** Bytes of the answer that the budget counts until it is taken. */
  private untaken = 0;
  private deadline: NodeJS.Timeout | undefined;
  /** What follows on the connection is no request. */
  private last = false;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    head: RequestHead,
    private readonly all: Exchanges,
  ) {
    super(head, all);
    response.once('close', () => {
      this.leave();
    });
  }

  /** What follows is no request: if this one is whole, its answer will end the connection. Returns whether it is. */
  endsConnection(): boolean {
    this.last = this.request.complete && !this.gone;
    return this.last;
  }

  pause(): void {
    this.request.pause();
    this.request.socket.setTimeout(0);
  }

  resume(): void {
    this.request.resume();
    this.request.socket.setTimeout(sendStallMs);
  }

  protected receive(): void {
    this.receiving = true;
    const { request, response, head } = this;
    if (head.awaitsContinue && !this.answered) response.writeContinue();
    request.socket.setTimeout(sendStallMs);
    this.deadline = setTimeout(() => {
      this.cut();
    }, longestUploadMs);
    request.on('data', (piece: Buffer) => {
      if (!this.gone) this.take(piece, false);
    });
    request.on('end', () => {
      clearTimeout(this.deadline);
      request.socket.setTimeout(0);
      if (!this.gone) this.take(nothing, true);
    });
  }

  protected send(answer: Answer): void {
    const { response, head } = this;
    const { body } = answer;
    const headers = body === null ? answer.headers : [...answer.headers, 'Content-Length', String(body.length)];
    if (answer.close || this.all.stopping || this.last) response.shouldKeepAlive = false;
    response.writeHead(answer.status, [...headers]);
    if (body === null || head.method === 'HEAD') response.end();
    else response.end(body);
    if (body !== null && body.length > smallAnswer) this.watchTaking(body.length);
  }

  protected sendAndClose(answer: Answer): void {
    const { socket } = this.request;
    socket.end(closingMessage(answer, this.head.method));
    if (!this.receiving) this.receive();
    clearTimeout(this.deadline);
    this.deadline = setTimeout(() => {
      this.cut();
    }, lingerMs);
    this.finish();
  }

  protected cut(): void {
    this.request.socket.destroy();
  }

  protected override leave(): void {
    if (this.gone) return;
    clearTimeout(this.deadline);
    this.all.budget.release(this.untaken);
    super.leave();
  }

  private watchTaking(bytes: number): void {
    this.untaken = bytes;
    this.all.budget.hold(bytes);
    this.request.socket.setTimeout(this.all.budget.pressed ? takeStallUnderPressureMs : takeStallMs);
  }
}
