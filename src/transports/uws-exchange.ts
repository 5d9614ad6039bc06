import type { HttpResponse } from 'uWebSockets.js';
import { lingerMs } from './patience.js';
import { closingMessage, headerLines, statusText, type Answer } from './http-answer.js';
import { Exchange } from './http-exchange.js';
import type { RequestHead } from './http-guard.js';
import type { OpenExchanges } from './open-exchanges.js';
import { StuckQueue } from './send-queues.js';

/** A larger answer is not copied into uWebSockets.js to end its connection behind it: its client is asked to. */
const maxClosingBytes = 64 * 1024;

/** uWebSockets.js closes what it believes idle after 8 to 12 s; this often it is told otherwise. */
const rearmMs = 3000;

/** uWebSockets.js writes the protocol version in front of a status and a line break behind it. */
const versionBytes = 'HTTP/1.1 '.length;
const lineBreakBytes = 2;

/** What uWebSockets.js collects before it writes; more than this is written at once. */
const corkBytes = 16 * 1024;

const nothing = Buffer.alloc(0);

/**
 * A request that uWebSockets.js received. Its rules: a response that was aborted or ended must not be touched again
 * (`gone`); a piece of body is valid during its callback only; everything is written corked; a request that
 * arrives while another one of its connection is unanswered closes the connection.
 */
export class UwsExchange extends Exchange {
  private receiving = false;
  /** While the last piece of a body is taken: what is written then is collected without asking for it, which takes 0.4 µs. */
  private corked = false;
  private lastRearm = 0;
  private lingering: NodeJS.Timeout | undefined;
  /** The body of an answer that was not taken at once. */
  private outgoing: Buffer = nothing;
  private stuck: StuckQueue | undefined;

  constructor(
    private readonly response: HttpResponse,
    head: RequestHead,
    all: OpenExchanges,
  ) {
    super(head, all);
  }

  override begin(): void {
    super.begin();
    // Before anything asynchronous can happen; an answer that is out already has ended the response.
    if (!this.gone) {
      this.response.onAborted(() => {
        this.leave();
      });
    }
  }

  protected setReceiving(on: boolean): void {
    if (on) this.response.resume();
    else this.response.pause();
  }

  protected keepWaiting(now: number): void {
    if (now - this.lastRearm < rearmMs) return;
    this.lastRearm = now;
    // Pausing keeps what the socket is polled for, resuming restores it and starts its timeout again.
    this.response.pause();
    this.response.resume();
  }

  protected receive(): void {
    this.receiving = true;
    let watched = false;
    this.response.onData((piece, last) => {
      const bytes = Buffer.from(piece);
      if (last && !this.head.chunked) {
        this.corked = true;
        this.take(bytes, true);
        this.corked = false;
        return;
      }
      if (watched) this.progress();
      else if (!this.answered) this.watch(0);
      watched = true;
      if (bytes.length > 0) this.take(bytes, false);
      // The chunk parser is lax. What stands behind a last chunk is parsed when this callback has returned, and
      // closes the connection in this tick if it is no request: then this was none either.
      if (last) {
        setImmediate(() => {
          if (!this.gone) this.take(nothing, true);
        });
      }
    });
  }

  protected send(answer: Answer): void {
    const { body } = answer;
    // A request in chunks is the last one of its connection: whatever a misread chunk leaves over is never a request.
    const close = answer.close || this.all.stopping || this.head.chunked;
    if (close && (body === null || body.length <= maxClosingBytes)) {
      this.sendAndClose(answer);
      return;
    }
    const head = `${statusText(answer.status)}${headerLines(answer)}${close ? '\r\nConnection: close' : ''}`;
    if (this.corked) {
      this.write(head, body);
    } else {
      this.response.cork(() => {
        this.write(head, body);
      });
    }
  }

  private write(head: string, body: Buffer | null): void {
    if (body === null) {
      this.response.writeStatus(head).endWithoutBody();
    } else if (this.head.method === 'HEAD') {
      // If it were given the length, endWithoutBody would arm no timeout and the connection could stay for ever.
      this.response.writeStatus(`${head}\r\nContent-Length: ${String(body.length)}`).endWithoutBody();
    } else {
      const [, whole] = this.response.writeStatus(head).tryEnd(body, body.length);
      if (!whole) {
        this.sendRest(body);
        return;
      }
    }
    this.leave();
  }

  /**
   * All of it is a status line to uWebSockets.js, and no end of the answer: so a further request in the same packet
   * closes the connection instead of being executed, as it would be behind an answer that says `Connection: close`,
   * and the connection can be closed a moment later, when the client had time to read.
   */
  protected sendAndClose(answer: Answer): void {
    // Bytes behind an ambiguous head are parsed next. If they are no request, uWebSockets.js drops what it has collected
    // and answers 505 instead.
    const message = closingMessage(answer, this.head.method, this.receiving ? 0 : corkBytes);
    this.response.cork(() => {
      this.response.writeStatus(message.subarray(versionBytes, message.length - lineBreakBytes));
    });
    if (!this.receiving) this.receive();
    this.lingering = setTimeout(() => {
      this.cut();
    }, lingerMs);
    this.finish();
  }

  protected cut(): void {
    if (!this.gone) this.response.close();
  }

  protected override leave(): void {
    clearTimeout(this.lingering);
    super.leave();
  }

  /**
   * The socket is reported writable when a third of its buffer is free, which holds megabytes; it takes more as soon
   * as the client has taken one packet. So asking shows in seconds whether the client takes anything.
   */
  protected pushOn(): void {
    const { response, outgoing } = this;
    const offset = response.getWriteOffset();
    if (outgoing.length - offset <= corkBytes) return;
    response.cork(() => {
      const [, whole] = response.tryEnd(outgoing.subarray(offset), outgoing.length);
      if (whole) this.leave();
      else if (response.getWriteOffset() !== offset) this.progress();
    });
  }

  /**
   * So little of an answer may not be pushed: all of it would be collected and counted as sent, and lost when
   * uWebSockets.js closes the connection for idle.
   */
  protected stuckQueue(): StuckQueue | undefined {
    if (this.outgoing.length - this.response.getWriteOffset() > corkBytes) return undefined;
    this.stuck ??= new StuckQueue(undefined);
    return this.stuck;
  }

  /** The socket is full: go on whenever it has room. */
  private sendRest(body: Buffer): void {
    const { response } = this;
    // A small one may lie in memory that it shares with others, which would all be kept.
    const rest = body.length < corkBytes ? Buffer.from(body) : body;
    this.outgoing = rest;
    this.watch(rest.length);
    response.onWritable((offset) => {
      this.progress();
      const [room, whole] = response.tryEnd(rest.subarray(offset), rest.length);
      if (whole) this.leave();
      return room;
    });
  }
}
