import type { HttpResponse } from 'uWebSockets.js';
import { lingerMs } from './patience.js';
import { bytesFrom, joined, type AnyBytes } from '../../core/json/scattered-bytes.js';
import { closingMessage, headerLines, statusText, type Answer } from './answer.js';
import { Exchange } from './exchange.js';
import type { RequestHead } from './guard.js';
import type { OpenExchanges } from './open-exchanges.js';
import { StuckQueue } from './send-queues.js';

/**
 * A larger answer is not copied into uWebSockets.js to end the connection after it; instead the client is asked to
 * close.
 */
const maxClosingBytes = 64 * 1024;

/** uWebSockets.js closes connections that it believes idle after 8 to 12 s; it is told otherwise this often. */
const rearmMs = 3000;

/** uWebSockets.js writes the protocol version before a status and a line break after it. */
const versionBytes = 'HTTP/1.1 '.length;
const lineBreakBytes = 2;

/** uWebSockets.js collects up to this much before it writes; anything larger is written at once. */
const corkBytes = 16 * 1024;

const nothing = Buffer.alloc(0);

/**
 * A request received by uWebSockets.js. Its rules: a response that was aborted or ended must not be touched again
 * (`gone`); a piece of a body is valid only during its callback; everything is written corked; a request that arrives
 * on a connection before an earlier one is answered closes that connection.
 */
export class UwsExchange extends Exchange {
  private receiving = false;
  /**
   * True while the last piece of a body is taken: writes are then collected anyway, without asking for it, which takes
   * 0.4 µs.
   */
  private corked = false;
  private lastRearm = 0;
  private lingering: NodeJS.Timeout | undefined;
  /** The body of an answer that was not taken at once. */
  private outgoing: AnyBytes = nothing;
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
    // Before anything asynchronous can happen; an answer that is already out has ended the response.
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
    // Pausing keeps what the socket is polled for; resuming restores it and restarts its time-out.
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
      // The chunk parser is lax. What follows a last chunk is parsed once this callback has returned and, if it is not
      // a request, closes the connection within this tick: then this was not one either.
      if (last) {
        setImmediate(() => {
          if (!this.gone) this.take(nothing, true);
        });
      }
    });
  }

  protected send(answer: Answer): void {
    const { body } = answer;
    // A chunked request is the last one of its connection: what a misread chunk leaves over must not become a request.
    // `closes` is asked too, since the library sees "Connection: close" only if that is the one option of the header.
    const close = answer.close || this.all.stopping || this.head.chunked || this.head.closes;
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

  private write(head: string, body: AnyBytes | null): void {
    if (body === null) {
      this.response.writeStatus(head).endWithoutBody();
    } else if (this.head.method === 'HEAD') {
      // Given the length, endWithoutBody would arm no time-out, and the connection could stay open for ever.
      this.response.writeStatus(`${head}\r\nContent-Length: ${String(body.length)}`).endWithoutBody();
    } else {
      this.response.writeStatus(head);
      if (!this.push(body, 0)) {
        this.sendRest(body);
        return;
      }
    }
    this.leave();
  }

  /**
   * To uWebSockets.js all of this is a status line, not the end of an answer. So another request in the same packet
   * closes the connection instead of being executed, as it would be after an answer that says `Connection: close`, and
   * the connection can be closed a moment later, when the client has had time to read.
   */
  protected sendAndClose(answer: Answer): void {
    // The bytes after an ambiguous head are parsed next. If they are not a request, uWebSockets.js drops what it has
    // collected and answers 505 instead.
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
   * The socket, whose buffer holds megabytes, is reported writable when a third of that is free, but accepts more as
   * soon as the client has taken one packet. So trying shows within seconds whether the client takes anything.
   */
  protected pushOn(): void {
    const { response, outgoing } = this;
    const offset = response.getWriteOffset();
    if (outgoing.length - offset <= corkBytes) return;
    response.cork(() => {
      if (this.push(outgoing, offset)) this.leave();
      else if (response.getWriteOffset() !== offset) this.progress();
    });
  }

  /**
   * So small a part of an answer must not be pushed: all of it would be collected and counted as sent, and be lost when
   * uWebSockets.js closes the connection as idle.
   */
  protected stuckQueue(): StuckQueue | undefined {
    if (this.outgoing.length - this.response.getWriteOffset() > corkBytes) return undefined;
    this.stuck ??= new StuckQueue(undefined);
    return this.stuck;
  }

  /** The socket is full: go on whenever it has room. */
  private sendRest(body: AnyBytes): void {
    const { response } = this;
    // A small body may share its memory with others, all of which would be kept.
    const rest = body.length < corkBytes ? Buffer.from(joined(body)) : body;
    this.outgoing = rest;
    this.watch(rest.length);
    response.onWritable((offset) => {
      this.progress();
      const whole = this.push(rest, offset);
      if (whole) this.leave();
      // Otherwise the socket is full again.
      return whole;
    });
  }

  /** Hand over what the socket accepts of a body from `offset` on. @returns whether that was all */
  private push(body: AnyBytes, offset: number): boolean {
    for (let at = offset; ;) {
      const piece = bytesFrom(body, at);
      const [room, whole] = this.response.tryEnd(piece, body.length);
      if (whole || !room) return whole;
      at += piece.length;
    }
  }
}
