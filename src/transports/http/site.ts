/**
 * The interface between a listener and the site. A listener moves bytes: it determines where a request ends, how much
 * of it to read, and how its answer is sent. The site gives requests their meaning (protocols/rest/).
 */
import type { Failure } from '../../core/errors.js';
import type { Answer } from './answer.js';
import type { RequestHead } from './guard.js';

export type { Answer, RequestHead };

/** An accepted request that waits for its body. */
export interface Work {
  /** Execute it. Unless `body` is in shared memory, it is valid only until this returns: copy what is needed later. */
  run(body: Buffer): Answer | Promise<Answer>;
}

/** The application behind a listener. */
export interface Site {
  /** Decide from the head alone: an answer, or the work for the body. */
  judge(head: RequestHead): Answer | Work;
  /** The answer to a request refused by the listener. */
  refuse(failure: Failure, head: RequestHead): Answer;
  /** The answer to a body that exceeds the limit. */
  tooLarge(head: RequestHead): Answer;
  /** The answer if `judge` or its result has thrown: a bug, which is logged. */
  unforeseen(error: unknown, head: RequestHead): Answer;
}

export interface Listener {
  /** The actual port, even if 0 was requested. */
  readonly port: number;
  readonly kind: 'uws' | 'node';
  /**
   * Stop accepting connections after draining the backlog; each open connection gets one last answer. Resolves when
   * accepting has stopped. May be called repeatedly.
   */
  stopListening(): Promise<void>;
  /** Close idle connections; resolves when all answers in progress are written, after a second at the latest. */
  close(): Promise<void>;
}
