/**
 * What a listener and the site agree on. A listener moves bytes: where a request ends, how much of it is read, how its
 * answer is taken. What a request means is the site's (protocols/rest.ts).
 */
import type { AnswerRoom } from '../held-memory.js';
import type { Failure } from '../errors.js';
import type { Answer } from './http-answer.js';
import type { RequestHead } from './http-guard.js';

export type { Answer, RequestHead };

/** What a call will need. */
export interface Need {
  /** For its answer; a read that needs more asks for it. */
  readonly bytes: number;
  /** It may write: then it keeps its place among others that do. */
  readonly purpose: 'read' | 'write';
}

/** A request that was let in, waiting for its body. */
export interface Work {
  /**
   * What its answer will need, as far as that can be told.
   * @param sparing others wait: the least with which it can begin, and worth a look at what `body` asks for
   */
  need(body: Buffer, sparing: boolean): Need;
  /** Bytes that its body holds until it is answered, parsed. */
  weight(body: Buffer): number;
  /** Execute it. `body` is valid only until this returns: what is needed of it later is taken from it at once. */
  run(body: Buffer, room: AnswerRoom): Answer | Promise<Answer>;
}

/** What is served. */
export interface Site {
  /** Decide by the head alone: the answer, or what to do with the body. */
  judge(head: RequestHead): Answer | Work;
  /** The answer to a request that a listener refuses. */
  refuse(failure: Failure, head: RequestHead): Answer;
  /** The answer to a body that exceeds the limit. */
  tooLarge(head: RequestHead): Answer;
  /** The answer where `judge` or what it gave has thrown, which is a mistake in the site: it goes to the log. */
  unforeseen(error: unknown, head: RequestHead): Answer;
}

export interface Listener {
  /** The real one, also if 0 was asked for. */
  readonly port: number;
  readonly kind: 'uws' | 'node';
  /** Accept no connection from now on; those that are open still get answers, the last ones. */
  stopListening(): void;
  /** End idle connections; resolves when all answers under way were written, after a second at the latest. */
  close(): Promise<void>;
}
