import type { IncomingMessage, ServerResponse } from 'node:http';
import { lingerMs } from './patience.js';
import { bytesFrom, type AnyBytes } from '../../core/json/scattered-bytes.js';
import { freeMemory } from '../../core/memory/free.js';
import { closingMessage, type Answer } from './answer.js';
import { Exchange } from './exchange.js';
import type { RequestHead } from './guard.js';
import type { OpenExchanges } from './open-exchanges.js';
import { StuckQueue } from './send-queues.js';

/** Larger answers are written in slices: only the end of a write shows that the client takes them. */
const sliceBytes = 256 * 1024;

const nothing = Buffer.alloc(0);

/** In bytes. Less may wait for the collector. */
const leastFreed = 4_096;

/**
 * A piece of a body that was copied: left to the collector, which sees no hurry, the pieces were a second body in memory,
 * and what glibc kept of them stayed.
 */
function freeReceived({ buffer, length }: Buffer): void {
  if (length >= leastFreed && buffer instanceof ArrayBuffer && buffer.byteLength === length) freeMemory([buffer]);
}

/** A request received by node:http. */
export class NodeExchange extends Exchange {
  private receiving = false;
  /** What follows on the connection is not a request. */
  private last = false;
  private lingering: NodeJS.Timeout | undefined;
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
   * What follows is not a request: if this one is complete, its answer will end the connection. @returns whether it is
   */
  endsConnection(): boolean {
    this.last = this.request.complete && !this.gone;
    // An answer that is on its way has promised to keep the connection. Node would wait for that of the next request,
    // which nobody gives, as long as the socket lives.
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

  /** Node has no time-out of its own here. */
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
    // Even the smallest answer: earlier ones that were not taken may have filled the socket.
    this.watch(body?.length ?? 0);
    if (body === null || head.method === 'HEAD') response.end();
    else this.sendFrom(body, 0);
  }

  protected sendAndClose(answer: Answer): void {
    this.request.socket.end(closingMessage(answer, this.head.method));
    if (!this.receiving) this.receive();
    this.lingering = setTimeout(() => {
      this.cut();
    }, lingerMs);
    this.finish();
  }

  protected cut(): void {
    this.request.socket.destroy();
  }

  /** Node accepts any number of bytes, so asking it shows nothing. */
  protected pushOn(): void {}

  protected stuckQueue(): StuckQueue {
    this.stuck ??= new StuckQueue(this.request.socket.remotePort);
    return this.stuck;
  }

  protected override leave(): void {
    clearTimeout(this.lingering);
    super.leave();
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
