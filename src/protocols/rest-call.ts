/** `POST /<operation>`: from headers and body to a call, and from its outcome to an answer. */
import type { Call, CallContext } from '../call.js';
import type { Config } from '../config/config.js';
import { codeOf, failure, type Failure, type Outcome } from '../errors.js';
import { parseJson, type Parsed, type Unread } from '../json/json-body.js';
import type { Metrics } from '../metrics.js';
import type { Log } from '../monitoring/log.js';
import { filenameOf, largeTexts, type Operation } from '../operations.js';
import type { Answer, Need, RequestHead, Work } from '../transports/site.js';
import { answerBytes, AnswerSize, editAnswerBytes, learnList, mostLookedAt } from './answer-size.js';
import { matchesIfNone, parseIfMatch, refuseConditions, refuseContradiction } from './conditions.js';
import { isJson, wrongContentType } from './content-type.js';
import { RepeatedBodies } from './repeated-bodies.js';
import { answer, failureAnswer, jsonType, requestIdOf } from './rest-answer.js';
import { resultJson } from './result-json.js';

interface Parts {
  readonly config: Pick<Config, 'directory' | 'maxBytes'>;
  readonly call: Call;
  readonly metrics: Metrics;
  readonly log?: Log;
}

/** What the calls of one operation have in common. */
export class OperationRoute {
  private readonly size: AnswerSize;
  private readonly parse: (body: Buffer) => Parsed | Unread;

  constructor(
    readonly operation: Operation,
    private readonly parts: Parts,
  ) {
    this.size = new AnswerSize(operation.writes ? editAnswerBytes : parts.config.maxBytes);
    const repeated = new RepeatedBodies();
    this.parse = operation.writes ? (body) => parseJson(body, largeTexts) : (body) => repeated.parse(body);
  }

  /** A call if its headers allow one, otherwise why not. */
  open(head: RequestHead): Work | Failure {
    const { operation } = this;
    const mayBeEmpty = operation.emptyBody && head.bodyLength === 0;
    if (!mayBeEmpty && !isJson(head.contentType)) return wrongContentType();
    return refuseConditions(operation, head) ?? new PostedCall(this, head);
  }

  /** What the answer to a body will need. */
  need(body: Buffer, closely: boolean): Need {
    const { operation, size } = this;
    if (operation.writes) return { bytes: size.estimate, purpose: 'write' };
    const mayLook = closely && body.length <= mostLookedAt;
    if (mayLook) learnList(size, this.parts.config, operation);
    return { bytes: (mayLook ? this.measure(body) : undefined) ?? size.estimate, purpose: 'read' };
  }

  private measure(body: Buffer): number | undefined {
    const parsed = body.length === 0 ? undefined : this.parse(body);
    return parsed?.ok === true ? answerBytes(this.parts.config, this.operation, parsed.value) : undefined;
  }

  /** Execute a call, at once if its answer is known. Reads `body` before it returns. Never rejects. */
  run(head: RequestHead, body: Buffer): Answer | Promise<Answer> {
    try {
      const answered = this.call(head, body);
      if (!(answered instanceof Promise)) return answered;
      return answered.catch((error: unknown) => this.answerToBug(head, error));
    } catch (error) {
      return this.answerToBug(head, error);
    }
  }

  private call(head: RequestHead, body: Buffer): Answer | Promise<Answer> {
    const { operation, parts } = this;
    const request = this.read(head, body);
    if (!('params' in request)) return this.refuse(head, request);
    const { params, context } = request;
    const outcome = parts.call(operation.name, params, context);
    if (!(outcome instanceof Promise)) return this.answerTo(head, params, outcome);
    return outcome.then((ended) => this.answerTo(head, params, ended));
  }

  private read(head: RequestHead, body: Buffer): { params: unknown; context: CallContext } | Failure | Unread {
    const { operation } = this;
    const requestId = requestIdOf(head);
    const front = 'rest';
    if (body.length === 0 && operation.emptyBody) return { params: {}, context: { front, requestId } };
    // Of a body in chunks only now is known that it is not empty.
    if (!isJson(head.contentType)) return wrongContentType();
    const parsed = this.parse(body);
    if (!parsed.ok) return parsed;
    const params = parsed.value;
    if (head.ifMatch === undefined) return { params, context: { front, requestId } };
    const precondition = parseIfMatch(head.ifMatch);
    return refuseContradiction(precondition, params) ?? { params, context: { front, requestId, precondition } };
  }

  private refuse(head: RequestHead, refusal: Failure | Unread): Answer {
    const { operation, parts } = this;
    const { kind, message } = refusal;
    parts.metrics.refuse('rest', kind, codeOf(refusal));
    const about = { operation: operation.name, front: 'rest', requestId: requestIdOf(head), category: kind };
    parts.log?.debug(about, message);
    // Refused as a request, not as this operation's (contract 7).
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
    parts.log?.error({ operation: operation.name, requestId: requestIdOf(head), error }, 'a request failed');
    const bug = failure('internal', 'Internal error');
    parts.metrics.refuse('rest', bug.kind, codeOf(bug));
    return failureAnswer(head, bug, { operation: operation.name });
  }
}

class PostedCall implements Work {
  constructor(
    private readonly route: OperationRoute,
    private readonly head: RequestHead,
  ) {}

  need(body: Buffer, closely: boolean): Need {
    return this.route.need(body, closely);
  }

  /** Beside its body a call that waits holds 4 kB, of which there is one for each connection. */
  weight(body: Buffer): number {
    return body.length;
  }

  run(body: Buffer): Answer | Promise<Answer> {
    return this.route.run(this.head, body);
  }
}

function subject(operation: Operation, params: unknown): { operation: string; filename?: string } {
  const filename = filenameOf(operation, params);
  return filename === undefined ? { operation: operation.name } : { operation: operation.name, filename };
}
