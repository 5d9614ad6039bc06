import { maxLingerBytes, type Answer, type Site, type Work } from './http.js';
import { Body, smallBody } from './http-body.js';
import { Budget, budgetBytes } from './http-budget.js';
import { settleFraming, type RequestHead } from './http-guard.js';

/** The exchanges of one listener, and what they have in common. */
export class Exchanges {
  readonly budget: Budget;
  /** The listener accepts nothing more: every answer is the last of its connection. */
  stopping = false;
  private open = 0;
  private whenNone: () => void = () => undefined;

  constructor(
    readonly site: Site,
    /** Limit of a request body. */
    readonly maxBytes: number,
  ) {
    this.budget = new Budget(budgetBytes(maxBytes));
  }

  /** One more, or one fewer, that still has something to do. */
  count(change: 1 | -1): void {
    this.open += change;
    if (this.open === 0) this.whenNone();
  }

  /** Resolves when none has anything left to do, after `graceMs` at the latest. */
  async ended(graceMs: number): Promise<void> {
    if (this.open === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.whenNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const nothing = Buffer.alloc(0);

/**
 * One request and its answer, on either listener: the order of its steps, its limits and what it holds.
 * A request received whole is executed even if its client has left; a part of one never (contract 7).
 */
export abstract class Exchange {
  /** The connection was lost or the answer is out: nothing may be sent, and uWebSockets.js throws where its objects are used. */
  protected gone = false;
  /** An answer is on its way, or out; what arrives now is dropped. */
  protected answered = false;
  private received = 0;
  private work: Work | undefined;
  /** Decided by the head, given when the small body behind it was read. */
  private refusal: Answer | undefined;
  private body: Body | undefined;
  private finished = false;

  constructor(
    protected readonly head: RequestHead,
    private readonly group: Exchanges,
  ) {
    group.count(1);
  }

  /** Start to receive the body: `take` its pieces. */
  protected abstract receive(): void;
  /** Receive nothing more for now. */
  abstract pause(): void;
  abstract resume(): void;
  /** Send a whole answer, then `leave`. */
  protected abstract send(answer: Answer): void;
  /** Send an answer at once, drop what still arrives for a moment, then end the connection. */
  protected abstract sendAndClose(answer: Answer): void;
  /** End the connection without another word. */
  protected abstract cut(): void;

  /** Judge the head, which has just arrived. */
  begin(): void {
    const { head, group } = this;
    const ambiguous = settleFraming(head);
    if (ambiguous !== null) {
      this.answerNow(group.site.refuse(ambiguous, head));
      return;
    }
    const verdict = group.site.judge(head);
    if ('run' in verdict) {
      this.work = verdict;
      if (!head.hasBody) this.execute(verdict, nothing);
      else if (head.bodyLength > group.maxBytes) this.answerNow(group.site.tooLarge(head));
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

  /** A piece of the body, valid during this call only. */
  protected take(piece: Buffer, last: boolean): void {
    this.received += piece.length;
    if (this.answered) {
      if (this.received > maxLingerBytes) this.cut();
    } else if (this.refusal !== undefined) {
      if (last) this.answer(this.refusal);
      else if (this.received > smallBody) this.answerNow(this.refusal);
    } else if (this.received > this.group.maxBytes) {
      this.body?.giveUp();
      this.answerNow(this.group.site.tooLarge(this.head));
    } else if (this.work !== undefined) {
      if (last && this.body === undefined) {
        this.execute(this.work, piece);
        return;
      }
      this.body ??= new Body(this.head.bodyLength, this.group.maxBytes, this.group.budget, this);
      this.body.append(piece);
      if (last) this.execute(this.work, this.body.finish());
    }
  }

  /** The connection was closed, by whomever, or the whole answer handed over. */
  protected leave(): void {
    if (this.gone) return;
    this.gone = true;
    this.body?.giveUp();
    this.finish();
  }

  /** Nobody needs to wait for this exchange when the listener is closed. */
  protected finish(): void {
    if (this.finished) return;
    this.finished = true;
    this.group.count(-1);
  }

  /** `bytes` are valid during this call only. */
  private execute(work: Work, bytes: Buffer): void {
    const { budget } = this.group;
    const { estimate } = work;
    if (budget.begin('call', estimate)) {
      this.run(work, bytes, estimate);
      return;
    }
    const kept = Buffer.from(bytes);
    budget.hold(kept.length);
    budget.wait('call', estimate, () => {
      this.run(work, kept, estimate);
      budget.release(kept.length);
    });
  }

  private run(work: Work, bytes: Buffer, estimate: number): void {
    void work.run(bytes).then((answer) => {
      this.group.budget.end('call', estimate);
      this.answer(answer);
    });
  }

  private answer(answer: Answer): void {
    this.answered = true;
    if (!this.gone) this.send(answer);
  }

  private answerNow(answer: Answer): void {
    this.answered = true;
    if (!this.gone) this.sendAndClose(answer);
  }
}
