import type { IncomingMessage, ServerResponse } from 'node:http';
import { lingerMs } from './patience.js';
import { bytesFrom, type AnyBytes } from '../../core/json/scattered-bytes.js';
import { freeMemory } from '../../core/memory/free.js';
import { closingMessage, type Answer } from './answer.js';
import { Exchange } from './exchange.js';
import type { RequestHead } from './guard.js';
import type { OpenExchanges } from './open-exchanges.js';
import { StuckQueue } from './send-queues.js';

/** Larger answers are written in slices: only a completed write shows that the client is reading. */
const sliceBytes = 256 * 1024;

const nothing = Buffer.alloc(0);

/** In bytes. Smaller pieces are left to the garbage collector. */
const leastFreed = 4_096;

/**
 * Free a piece of a body after copying it: left to the garbage collector, which is in no hurry, the pieces doubled the
 * body's memory, and glibc kept part of it.
 */
function freeReceived({ buffer, length }: Buffer): void {
  if (length >= leastFreed && buffer instanceof ArrayBuffer && buffer.byteLength === length) freeMemory([buffer]);
}

/** A request received by node:http. */
export class NodeExchange extends Exchange {
  /** No further request follows on the connection. */
  private last = false;
  private stuck: StuckQueue | undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    head: RequestHead,
    all: OpenExchanges,
  ) {
    super(head, all);
    response.once('close', () => {
      this.leave();
    });
  }

  /**
   * Called if the bytes that follow are not a request. @returns whether this request is complete; its answer then ends
   * the connection
   */
  endsConnection(): boolean {
    this.last = this.request.complete && !this.gone;
    // An answer already being sent has promised keep-alive. Node would then wait, as long as the socket lives, for the
    // answer to a request that never comes.
    if (this.last && this.response.headersSent) this.response.once('close', this.endSocket);
    return this.last;
  }

  private readonly endSocket = (): void => {
    const { socket } = this.request;
    socket.end();
    setTimeout(() => {
      socket.destroy();
    }, lingerMs);
  };

  protected setReceiving(on: boolean): void {
    if (on) this.request.resume();
    else this.request.pause();
  }

  /** Node has no time-out here. */
  protected keepWaiting(): void {}

  protected receive(): void {
    this.receiving = true;
    if (!this.answered) {
      if (this.head.awaitsContinue) this.response.writeContinue();
      this.watch(0);
    }
    this.request.on('data', (piece: Buffer) => {
      if (this.gone) return;
      this.progress();
      this.take(piece, false);
      freeReceived(piece);
    });
    this.request.on('end', () => {
      if (!this.gone) this.take(nothing, true);
    });
  }

  protected send(answer: Answer): void {
    const { response, head } = this;
    const { body } = answer;
    const headers = body === null ? answer.headers : [...answer.headers, 'Content-Length', String(body.length)];
    if (answer.close || this.all.stopping || this.last) response.shouldKeepAlive = false;
    response.writeHead(answer.status, [...headers]);
    // Even the smallest answer: unread earlier ones may have filled the socket.
    this.watch(body?.length ?? 0);
    if (body === null || head.method === 'HEAD') response.end();
    else this.sendFrom(body, 0);
  }

  protected sendLast(answer: Answer): void {
    this.request.socket.end(closingMessage(answer, this.head.method));
  }

  protected cut(): void {
    this.request.socket.destroy();
  }

  /** Node buffers any number of bytes, so trying to write shows nothing. */
  protected pushOn(): void {}

  protected stuckQueue(): StuckQueue {
    this.stuck ??= new StuckQueue(this.request.socket.remotePort);
    return this.stuck;
  }

  private sendFrom(body: AnyBytes, offset: number): void {
    const slice = bytesFrom(body, offset).subarray(0, sliceBytes);
    const end = offset + slice.length;
    if (end >= body.length) {
      this.response.end(slice);
      return;
    }
    this.response.write(slice, () => {
      if (this.gone) return;
      this.progress();
      this.sendFrom(body, end);
    });
  }
}
