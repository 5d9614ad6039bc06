import { Body, smallBody } from './body.js';
import { settleFraming, type RequestHead } from './guard.js';
import type { OpenExchanges } from './open-exchanges.js';
import { lingerMs, maxLingerBytes } from './patience.js';
import type { Answer, Work } from './site.js';
import { WatchedExchange } from './watched-exchange.js';

const nothing = Buffer.alloc(0);

/**
 * One request and its answer, on either listener: order of steps, limits and held memory. A completely received request
 * is executed even if its client has left, except a read still waiting for memory; an incomplete one is never executed
 * (spec 7).
 */
export abstract class Exchange extends WatchedExchange {
  private received = 0;
  private work: Work | undefined;
  /** Decided from the head, but sent only after the small body has been read. */
  private refusal: Answer | undefined;
  private body: Body | undefined;
  private finished = false;
  private lingering: NodeJS.Timeout | undefined;
  /** The body has been asked for. */
  protected receiving = false;

  constructor(
    protected readonly head: RequestHead,
    all: OpenExchanges,
  ) {
    super(all);
    all.count(1);
  }

  /** Start receiving the body; its pieces go to `take`. */
  protected abstract receive(): void;
  /** Suspend or resume receiving. */
  protected abstract setReceiving(on: boolean): void;
  /** Send a whole answer, then `leave`. */
  protected abstract send(answer: Answer): void;
  /** Send an answer that is the last of its connection. */
  protected abstract sendLast(answer: Answer): void;

  /** Handle the head, which has just arrived. */
  begin(): void {
    const { head, all } = this;
    const ambiguous = settleFraming(head);
    if (ambiguous !== null) {
      this.answerNow(all.site.refuse(ambiguous, head));
      return;
    }
    const verdict = this.judge();
    if ('run' in verdict) {
      this.work = verdict;
      if (!head.hasBody) this.execute(verdict, nothing);
      else if (head.bodyLength > all.maxBytes) this.answerNow(all.site.tooLarge(head));
      else this.receive();
    } else if (!head.hasBody) {
      this.answer(verdict);
    } else if (head.bodyLength > smallBody || head.awaitsContinue) {
      this.answerNow(verdict);
    } else {
      this.refusal = verdict;
      this.receive();
    }
  }

  /** Suspend reading the body. */
  pause(): void {
    this.paused = true;
    this.setReceiving(false);
  }

  resume(): void {
    if (this.gone) return;
    this.paused = false;
    this.progress();
    this.setReceiving(true);
  }

  /** A piece of the body, valid only during this call. */
  protected take(piece: Buffer, last: boolean): void {
    this.received += piece.length;
    if (this.answered) {
      if (this.received > maxLingerBytes) this.cut();
    } else if (this.refusal !== undefined) {
      if (last) this.answer(this.refusal);
      else if (this.received > smallBody) this.answerNow(this.refusal);
    } else if (this.received > this.all.maxBytes) {
      this.body?.giveUp();
      this.answerNow(this.all.site.tooLarge(this.head));
    } else if (this.work !== undefined) {
      if (last && this.body === undefined) {
        this.execute(this.work, piece);
        return;
      }
      this.body ??= new Body(this.head.bodyLength, this.all.maxBytes, this.all.budget, this);
      this.body.append(piece);
      if (last) this.execute(this.work, this.body.finish());
    }
  }

  /** The connection was closed by either side, or the whole answer has been handed over. */
  protected leave(): void {
    clearTimeout(this.lingering);
    if (this.gone) return;
    this.gone = true;
    this.head.gone = true;
    this.unwatch();
    this.releaseUntaken();
    this.body?.giveUp();
    this.finish();
  }

  /** A closing listener need not wait for this exchange any more. */
  protected finish(): void {
    if (this.finished) return;
    this.finished = true;
    this.all.count(-1);
  }

  /** An exception from a handler would end the process, with uWebSockets.js without a message. */
  private judge(): Answer | Work {
    try {
      return this.all.site.judge(this.head);
    } catch (error) {
      return this.unforeseen(error);
    }
  }

  /** `bytes` are valid only during this call. */
  private execute(work: Work, bytes: Buffer): void {
    this.unwatch();
    const { body } = this;
    // Ownership passes to the call: `leave` must not release the body before the call has read it.
    this.body = undefined;
    const answer = this.attempt(work, bytes);
    if (answer instanceof Promise) this.answerLater(answer, bytes.length);
    else this.answer(answer);
    body?.giveUp();
  }

  /** A call may wait for its file until its time-out: its body counts in the budget until it is answered. */
  private answerLater(answer: Promise<Answer>, bodyLength: number): void {
    const { budget } = this.all;
    const as = bodyLength > smallBody ? 'body' : 'other';
    budget.hold(as, bodyLength);
    const settle = (settled: Answer): void => {
      this.answer(settled);
      budget.release(as, bodyLength);
    };
    void answer.then(settle, (error: unknown) => {
      settle(this.unforeseen(error));
    });
  }

  private attempt(work: Work, bytes: Buffer): Answer | Promise<Answer> {
    try {
      return work.run(bytes);
    } catch (error) {
      return this.unforeseen(error);
    }
  }

  private unforeseen(error: unknown): Answer {
    return this.all.site.unforeseen(error, this.head);
  }

  private answer(answer: Answer): void {
    this.answered = true;
    if (this.gone) return;
    if ((answer.body?.length ?? 0) <= smallBody) this.send(answer);
    else this.sendLarge(answer);
  }

  private sendLarge(answer: Answer): void {
    const began = performance.now();
    this.send(answer);
    this.all.budget.spendTime(performance.now() - began);
  }

  private answerNow(answer: Answer): void {
    this.answered = true;
    this.unwatch();
    if (!this.gone) this.sendAndClose(answer);
  }

  /**
   * Send an answer immediately. Then discard input for a moment, so the client can read the answer, and close the
   * connection.
   */
  protected sendAndClose(answer: Answer): void {
    this.sendLast(answer);
    if (!this.receiving) this.receive();
    this.lingering = setTimeout(() => {
      this.cut();
    }, lingerMs);
    this.finish();
  }
}
