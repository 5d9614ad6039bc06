/** `POST /<operation>`: from headers and body to a call, and from its outcome to an answer. */
import { usualRoom } from '../../workers/task.js';
import type { AnswerRoom } from '../memory/held.js';
import type { Call, CallContext } from '../call.js';
import type { Config } from '../config/config.js';
import { codeOf, type Failure, type Outcome } from '../errors.js';
import { internalError } from '../failures.js';
import type { Parsed, ReadBody, Unread } from '../json/json-body.js';
import type { Metrics } from '../metrics.js';
import type { Log } from '../monitoring/log.js';
import { largeTexts, type Operation, filenameOf } from '../operations.js';
import type { Answer, Need, RequestHead, Work } from '../transports/site.js';
import { AnswerSize, editAnswerBytes } from './answer-size.js';
import { matchesIfNone, parseIfMatch, refuseConditions, refuseContradiction } from './conditions.js';
import { isJson, wrongContentType } from './content-type.js';
import { RepeatedBodies } from './repeated-bodies.js';
import { answer, failureAnswer, jsonType, requestIdOf } from './rest-answer.js';
import { resultJson } from '../json/result-json.js';

interface Parts {
  readonly config: Pick<Config, 'maxBytes'>;
  readonly call: Call;
  readonly readBody: ReadBody;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** What the calls of one operation have in common. */
export class OperationRoute {
  private readonly size: AnswerSize;
  private readonly parse: (body: Buffer) => ReturnType<ReadBody>;

  constructor(
    readonly operation: Operation,
    private readonly parts: Parts,
  ) {
    this.size = new AnswerSize(operation.writes ? editAnswerBytes : parts.config.maxBytes);
    const { readBody } = parts;
    const repeated = new RepeatedBodies(readBody);
    this.parse = operation.writes ? (body) => readBody(body, largeTexts) : (body) => repeated.parse(body);
  }

  /** A call if its headers allow one, otherwise why not. */
  open(head: RequestHead): Work | Failure {
    const { operation } = this;
    const mayBeEmpty = operation.emptyBody && head.bodyLength === 0;
    if (!mayBeEmpty && !isJson(head.contentType)) return wrongContentType();
    return refuseConditions(operation, head) ?? new PostedCall(this, head);
  }

  /** What the next answer will need. */
  need(sparing: boolean): Need {
    const { operation, size } = this;
    // Where memory is short, what needs more asks for it before it writes, and then waits with the large reads.
    if (operation.writes) {
      return { bytes: sparing ? Math.min(size.estimate, usualRoom) : size.estimate, purpose: 'write' };
    }
    return { bytes: sparing ? size.leastFor(operation) : size.likely, purpose: 'read' };
  }

  /** Execute a call, at once if its answer is known. Never rejects. */
  run(head: RequestHead, body: Buffer, room: AnswerRoom): Answer | Promise<Answer> {
    try {
      const answered = this.call(head, body, room);
      if (!(answered instanceof Promise)) return answered;
      return answered.catch((error: unknown) => this.answerToBug(head, error));
    } catch (error) {
      return this.answerToBug(head, error);
    }
  }

  private call(head: RequestHead, body: Buffer, room: AnswerRoom): Answer | Promise<Answer> {
    const parsed = this.read(head, body);
    if (!(parsed instanceof Promise)) return this.callWith(head, parsed, room);
    return parsed.then((read) => this.callWith(head, read, room));
  }

  private read(head: RequestHead, body: Buffer): Failure | ReturnType<ReadBody> {
    if (body.length === 0 && this.operation.emptyBody) return { ok: true, value: {} };
    // Only now is it known that a chunked body is not empty.
    return isJson(head.contentType) ? this.parse(body) : wrongContentType();
  }

  private callWith(head: RequestHead, parsed: Parsed | Unread, room: AnswerRoom): Answer | Promise<Answer> {
    const { operation, parts } = this;
    const request = parsed.ok ? withContext(head, parsed.value, room) : parsed;
    if (!('params' in request)) return this.refuse(head, request);
    const { params, context } = request;
    const outcome = parts.call(operation, params, context);
    if (!(outcome instanceof Promise)) return this.answerTo(head, params, outcome);
    return outcome.then((ended) => this.answerTo(head, params, ended));
  }

  private refuse(head: RequestHead, refusal: Failure | Unread): Answer {
    const { operation, parts } = this;
    const { kind, message } = refusal;
    parts.metrics.refuse('rest', kind, codeOf(refusal));
    const about = { operation: operation.name, front: 'rest', requestId: requestIdOf(head), category: kind };
    parts.log.debug(about, message);
    // Refused as a request, not as one of this operation (spec 7).
    if (refusal.kind === 'invalid_request') return failureAnswer(head, refusal);
    return failureAnswer(head, refusal, subject(operation, 'outline' in refusal ? refusal.outline : undefined));
  }

  private answerTo(head: RequestHead, params: unknown, outcome: Outcome): Answer {
    const { operation } = this;
    if (!outcome.ok) return failureAnswer(head, outcome, subject(operation, params));
    const { hash } = outcome;
    const tag = hash === undefined ? [] : ['ETag', `"${hash}"`];
    if (operation.conditional && hash !== undefined && head.ifNoneMatch !== undefined) {
      if (matchesIfNone(head.ifNoneMatch, hash)) return answer(head, 304, tag, null, outcome.release);
    }
    const body = resultJson(outcome);
    this.size.learn(body.length);
    return answer(head, 200, ['Content-Type', jsonType, ...tag], body, outcome.release);
  }

  private answerToBug(head: RequestHead, error: unknown): Answer {
    const { operation, parts } = this;
    parts.log.error({ operation: operation.name, requestId: requestIdOf(head), error }, 'a request failed');
    const bug = internalError();
    parts.metrics.refuse('rest', bug.kind, codeOf(bug));
    return failureAnswer(head, bug, { operation: operation.name });
  }
}

class PostedCall implements Work {
  constructor(
    private readonly route: OperationRoute,
    private readonly head: RequestHead,
  ) {}

  need(_body: Buffer, sparing: boolean): Need {
    return this.route.need(sparing);
  }

  /** Apart from its body, a waiting call holds 4 kB, and there is one per connection. */
  weight(body: Buffer): number {
    return body.length;
  }

  run(body: Buffer, room: AnswerRoom): Answer | Promise<Answer> {
    return this.route.run(this.head, body, room);
  }
}

function withContext(
  head: RequestHead,
  params: unknown,
  room: AnswerRoom,
): { params: unknown; context: CallContext } | Failure {
  const context = { front: 'rest', requestId: requestIdOf(head), room } as const;
  if (head.ifMatch === undefined) return { params, context };
  const precondition = parseIfMatch(head.ifMatch);
  return refuseContradiction(precondition, params) ?? { params, context: { ...context, precondition } };
}

function subject(operation: Operation, params: unknown): { operation: string; filename?: string } {
  const filename = filenameOf(operation, params);
  return filename === undefined ? { operation: operation.name } : { operation: operation.name, filename };
}
