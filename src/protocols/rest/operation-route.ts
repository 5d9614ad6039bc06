/** `POST /<operation>`: from headers and body to a call, and from its outcome to an answer. */
import type { Calls, CallContext, CheckedCall } from '../../call/call.js';
import { codeOf, type Failure, type Outcome } from '../../core/errors.js';
import { internalError } from '../../core/failures.js';
import { noTexts, type Parsed, type ReadBody, type Unread } from '../../core/json/json-body.js';
import type { Metrics } from '../../observe/metrics.js';
import type { Log } from '../../observe/log.js';
import { filenameOf, largeTexts, type Operation } from '../../core/operations.js';
import type { Answer, RequestHead, Work } from '../../transports/http/site.js';
import { etagOf, matchesIfNone, parseIfMatch, refuseConditions, refuseContradiction } from './conditions.js';
import { isJson, wrongContentType } from './content-type.js';
import { RepeatedReads } from './repeated-reads.js';
import { answer, failureAnswer, jsonType, requestIdOf } from './answer.js';
import { resultJson } from '../../call/result-json.js';

interface Parts {
  readonly calls: Calls;
  readonly readBody: ReadBody;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Serves the calls of one operation. */
export class OperationRoute {
  private readonly repeated = new RepeatedReads();

  constructor(
    readonly operation: Operation,
    private readonly parts: Parts,
  ) {}

  /** The work for a body if the headers allow it, otherwise why not. */
  open(head: RequestHead): Work | Failure {
    const { operation } = this;
    const mayBeEmpty = operation.emptyBody && head.bodyLength === 0;
    if (!mayBeEmpty && !isJson(head.contentType)) return wrongContentType();
    return refuseConditions(operation, head) ?? { run: (body) => this.run(head, body) };
  }

  /** Execute a call, synchronously if its answer is cached. Never rejects. */
  private run(head: RequestHead, body: Buffer): Answer | Promise<Answer> {
    try {
      const answered = this.call(head, body);
      if (!(answered instanceof Promise)) return answered;
      return answered.catch((error: unknown) => this.answerToBug(head, error));
    } catch (error) {
      return this.answerToBug(head, error);
    }
  }

  private call(head: RequestHead, body: Buffer): Answer | Promise<Answer> {
    // Checked again, since a chunked body turns out to be non-empty only now.
    if (body.length > 0 && !isJson(head.contentType)) return this.refuse(head, wrongContentType());
    const { operation, repeated } = this;
    const key = operation.writes ? undefined : repeated.keyOf(body);
    const known = key === undefined ? undefined : repeated.find(key);
    if (known !== undefined) return this.make(head, known, contextOf(head));
    const parsed = this.parse(body);
    if (!(parsed instanceof Promise)) return this.callWith(head, parsed, key);
    return parsed.then((read) => this.callWith(head, read, key));
  }

  private parse(body: Buffer): ReturnType<ReadBody> {
    const { writes, emptyBody = false } = this.operation;
    if (body.length === 0 && emptyBody) return { ok: true, value: {} };
    return this.parts.readBody(body, writes ? largeTexts : noTexts);
  }

  /** @param key of a repeatable read */
  private callWith(head: RequestHead, parsed: Parsed | Unread, key: string | undefined): Answer | Promise<Answer> {
    if (!parsed.ok) return this.refuse(head, parsed);
    const precondition = head.ifMatch === undefined ? undefined : parseIfMatch(head.ifMatch);
    const refused = precondition === undefined ? null : refuseContradiction(precondition, parsed.value);
    if (refused !== null) return this.refuse(head, refused);
    const call = this.parts.calls.check(this.operation, parsed.value);
    if (key !== undefined && call.fault === null) this.repeated.remember(key, call);
    const context = contextOf(head);
    return this.make(head, call, precondition === undefined ? context : { ...context, precondition });
  }

  private make(head: RequestHead, call: CheckedCall, context: CallContext): Answer | Promise<Answer> {
    const outcome = this.parts.calls.run(call, context);
    if (!(outcome instanceof Promise)) return this.answerTo(head, call.params, outcome);
    return outcome.then((ended) => this.answerTo(head, call.params, ended));
  }

  private refuse(head: RequestHead, refusal: Failure | Unread): Answer {
    const { operation, parts } = this;
    const { kind, message } = refusal;
    parts.metrics.refuse('rest', kind, codeOf(refusal));
    const about = { operation: operation.name, front: 'rest', requestId: requestIdOf(head), category: kind };
    parts.log.debug(about, message);
    // The error does not name the operation: the request as such is invalid (spec 7).
    if (refusal.kind === 'invalid_request') return failureAnswer(head, refusal);
    return failureAnswer(head, refusal, subject(operation, 'outline' in refusal ? refusal.outline : undefined));
  }

  private answerTo(head: RequestHead, params: unknown, outcome: Outcome): Answer {
    const { operation } = this;
    if (!outcome.ok) return failureAnswer(head, outcome, subject(operation, params));
    const { hash } = outcome;
    const tag = hash === undefined ? [] : etagOf(hash);
    if (operation.conditional && hash !== undefined && head.ifNoneMatch !== undefined) {
      if (matchesIfNone(head.ifNoneMatch, hash)) return answer(head, 304, tag, null);
    }
    const body = resultJson(outcome);
    return answer(head, 200, ['Content-Type', jsonType, ...tag], body);
  }

  private answerToBug(head: RequestHead, error: unknown): Answer {
    const { operation, parts } = this;
    parts.log.error({ operation: operation.name, requestId: requestIdOf(head), error }, 'a request failed');
    const bug = internalError();
    parts.metrics.refuse('rest', bug.kind, codeOf(bug));
    return failureAnswer(head, bug, { operation: operation.name });
  }
}

function contextOf(head: RequestHead): CallContext {
  return { front: 'rest', requestId: requestIdOf(head), recipient: head, caller: head.caller };
}

function subject(operation: Operation, params: unknown): { operation: string; filename?: string } {
  const filename = filenameOf(operation, params);
  return filename === undefined ? { operation: operation.name } : { operation: operation.name, filename };
}
