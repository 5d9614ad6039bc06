/**
 * What a listener and the site agree on. A listener moves bytes: where a request ends, how much of it is read, how its
 * answer is taken. What a request means is for the site (protocols/rest.ts).
 */
import type { Failure } from '../../core/errors.js';
import type { Answer } from './answer.js';
import type { RequestHead } from './guard.js';

export type { Answer, RequestHead };

/** A request that was let in and waits for its body. */
export interface Work {
  /**
   * Execute it. Unless `body` is in shared memory, it is valid only until this returns: whatever is needed later must
   * be taken from it at once.
   */
  run(body: Buffer): Answer | Promise<Answer>;
}

/** What is served. */
export interface Site {
  /** Decide by the head alone: an answer, or what to do with the body. */
  judge(head: RequestHead): Answer | Work;
  /** The answer to a request that a listener refuses. */
  refuse(failure: Failure, head: RequestHead): Answer;
  /** The answer to a body that exceeds the limit. */
  tooLarge(head: RequestHead): Answer;
  /** The answer if `judge` or its result has thrown, which is a mistake in the site and is logged. */
  unforeseen(error: unknown, head: RequestHead): Answer;
}

export interface Listener {
  /** The actual one, even if 0 was asked for. */
  readonly port: number;
  readonly kind: 'uws' | 'node';
  /**
   * Accept no connections, once those are accepted that wait for it; open ones still get answers, which are their last.
   * Resolves when that is so. May be called again.
   */
  stopListening(): Promise<void>;
  /** End idle connections; resolves when all answers under way have been written, after a second at the latest. */
  close(): Promise<void>;
}
