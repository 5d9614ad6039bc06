import type { HttpResponse } from 'uWebSockets.js';
import { bytesFrom, joined, type AnyBytes } from '../../core/json/scattered-bytes.js';
import { closingMessage, headerLines, statusText, type Answer } from './answer.js';
import { Exchange } from './exchange.js';
import type { RequestHead } from './guard.js';
import type { OpenExchanges } from './open-exchanges.js';
import { StuckQueue } from './send-queues.js';

/**
 * Larger answers are not copied into uWebSockets.js in order to close the connection after them; the client is asked to
 * close it instead.
 */
const maxClosingBytes = 64 * 1024;

/** uWebSockets.js closes connections that it considers idle after 8 to 12 s; this interval keeps them open. */
const rearmMs = 3000;

/** uWebSockets.js writes the protocol version before the status and a line break after it. */
const versionBytes = 'HTTP/1.1 '.length;
const lineBreakBytes = 2;

/** uWebSockets.js buffers up to this size; anything larger is written immediately. */
const corkBytes = 16 * 1024;

const nothing = Buffer.alloc(0);

/**
 * A request received by uWebSockets.js. Its rules: an aborted or ended response must not be touched (`gone`); a body
 * piece is valid only during its callback; all writes are corked; a request that arrives before an earlier one on its
 * connection is answered closes the connection.
 */
export class UwsExchange extends Exchange {
  /** True during the callback for the last piece of a body, which is corked already: corking again takes 0.4 µs. */
  private corked = false;
  private lastRearm = 0;
  /** The body of an answer that did not fit into the socket. */
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
    // Registered before anything asynchronous can happen. If the answer is already out, the response has ended.
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
    // Pausing saves the socket's poll flags; resuming restores them and restarts its time-out.
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
      // The chunk parser is lax. The bytes after a last chunk are parsed once this callback has returned; if they are
      // not a request, the connection is closed within this tick, and this was not a valid request either.
      if (last) {
        setImmediate(() => {
          if (!this.gone) this.take(nothing, true);
        });
      }
    });
  }

  protected send(answer: Answer): void {
    const { body } = answer;
    // A chunked request is the last of its connection: the remains of a misread chunk must not become a request.
    // `closes` is checked too, since the library recognizes "Connection: close" only as the sole option of the header.
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
      // If endWithoutBody got the length, it would arm no time-out, and the connection could stay open for ever.
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
   * uWebSockets.js takes the whole message for a status line, not for a finished answer. Another request in the same
   * packet therefore closes the connection instead of being executed, as it would be after a regular `Connection:
   * close` answer, and the connection can be closed a moment later, once the client has had time to read.
   */
  protected sendLast(answer: Answer): void {
    // The bytes after an ambiguous head are parsed next. If they are not a request, uWebSockets.js drops its buffer and
    // answers 505 instead; a message larger than the buffer is written first.
    const message = closingMessage(answer, this.head.method, this.receiving ? 0 : corkBytes);
    this.response.cork(() => {
      this.response.writeStatus(message.subarray(versionBytes, message.length - lineBreakBytes));
    });
  }

  protected cut(): void {
    if (!this.gone) this.response.close();
  }

  /**
   * The socket's buffer holds megabytes. The socket is reported writable only when a third of it is free, but accepts
   * bytes as soon as the client has taken one packet, so trying to write shows within seconds whether the client reads.
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
   * A remainder this small must not be pushed: uWebSockets.js would buffer it, count it as sent, and lose it when it
   * closes the connection as idle.
   */
  protected stuckQueue(): StuckQueue | undefined {
    if (this.outgoing.length - this.response.getWriteOffset() > corkBytes) return undefined;
    this.stuck ??= new StuckQueue(undefined);
    return this.stuck;
  }

  /** The socket is full: continue whenever it has room. */
  private sendRest(body: AnyBytes): void {
    const { response } = this;
    // A small body may be a view into a shared buffer; copy it so the buffer can be freed.
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

  /** Write as much of a body from `offset` on as the socket accepts. @returns whether that was all */
  private push(body: AnyBytes, offset: number): boolean {
    for (let at = offset; ;) {
      const piece = bytesFrom(body, at);
      const [room, whole] = this.response.tryEnd(piece, body.length);
      if (whole || !room) return whole;
      at += piece.length;
    }
  }
}
