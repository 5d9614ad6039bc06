/** `POST /mcp` (spec 10): takes one message and returns its answer as JSON, without sessions or streams. */
import type { CallContext } from '../../call/call.js';
import type { Config } from '../../config/config.js';
import { codeOf, statusOf, type Failure } from '../../core/errors.js';
import { internalError } from '../../core/failures.js';
import type { Parsed, ReadBody, Unread } from '../../core/json/json-body.js';
import type { JsonPart } from '../../call/parts.js';
import type { Budget } from '../../call/budget.js';
import type { Metrics } from '../../observe/metrics.js';
import type { Log } from '../../observe/log.js';
import type { RequestHead } from '../../transports/http/site.js';
import { answerBatch, refuseBatch, type PartContext } from '../json-rpc/batch.js';
import { errorAnswer, invalidRequest, readRequest, resultAnswer, type Request } from '../json-rpc/envelope.js';
import { refuseHeaders, refuseOtherRevision, refuseUnknownRevision } from './headers.js';
import { declaredRevision, revisionWithBatches } from './revisions.js';
import type { MethodParts } from './methods.js';
import { createMcp, type Mcp } from './mcp.js';
import { requestIdOf } from '../rest/answer.js';
import { errorObject } from '../../call/result-json.js';
import { withUnreadArguments } from './tools/unread-arguments.js';

export interface McpParts extends MethodParts {
  readonly config: Config;
  readonly budget: Budget;
  /** Default: parse on this thread. */
  readonly readBody?: ReadBody;
  readonly metrics: Metrics;
  readonly log?: Log;
}

/** `json` is null if the answer has no body. */
interface Answered {
  readonly status: number;
  readonly json: readonly JsonPart[] | null;
}

const accepted: Answered = { status: 202, json: null };

/** Answers requests to `/mcp`. */
export class McpEndpoint {
  private readonly mcp: Mcp;

  constructor(private readonly parts: McpParts) {
    this.mcp = createMcp(parts);
  }

  /**
   * The answer to a body. Writes are submitted before this returns. A bug fails only the message that hits it, not the
   * rest of its batch.
   */
  answer(head: RequestHead, parsed: Parsed | Unread): Promise<Answered> {
    return parsed.ok ? this.answerTo(head, parsed.value) : this.answerUnread(head, parsed);
  }

  private answerTo(head: RequestHead, value: unknown): Promise<Answered> {
    if (Array.isArray(value)) return this.answerToBatch(head, value);
    const request = readRequest(value);
    if (request === null) return this.takeResponse(head);
    if ('refused' in request) return this.refuse(request.id, request.refused);
    return this.answerToRequest(head, request);
  }

  private async answerToRequest(head: RequestHead, request: Request, part?: PartContext): Promise<Answered> {
    try {
      return await this.execute(head, request, {
        front: 'mcp',
        requestId: requestIdOf(head),
        recipient: head,
        caller: head.caller,
        ...part,
      });
    } catch (error) {
      return this.answerToBug(head, request, error);
    }
  }

  private async execute(head: RequestHead, request: Request, context: CallContext): Promise<Answered> {
    const { id } = request;
    const refused = refuseOtherRevision(request, head) ?? this.mcp.refuse(request) ?? refuseHeaders(request, head);
    const reply = refused ?? (await this.mcp.answer(request, context));
    if (reply !== null && 'status' in reply) {
      this.parts.metrics.refuse('mcp', reply.kind, reply.code);
      if (id !== undefined || refused !== null) return { status: reply.status, json: errorAnswer(id ?? null, reply) };
    }
    if (id === undefined || reply === null || !('result' in reply)) return accepted;
    return { status: 200, json: resultAnswer(id, reply.result) };
  }

  private async answerToBatch(head: RequestHead, batch: readonly unknown[]): Promise<Answered> {
    const { mcpRevision = revisionWithBatches } = head;
    const { config, budget } = this.parts;
    const { maxSizeMb } = config;
    const refused =
      mcpRevision === revisionWithBatches
        ? refuseBatch(batch)
        : invalidRequest('This revision does not allow batches.', 'Send one message at a time.');
    if (refused !== null) return this.refuse(null, refused);
    const json = await answerBatch(batch, {
      budget,
      recipient: head,
      limitMb: 2 * maxSizeMb,
      maxSizeMb,
      refuse: ({ method, params }) =>
        method === 'initialize' || declaredRevision(params) !== undefined
          ? invalidRequest('This message cannot be in a batch.', 'Send it in a request of its own.')
          : null,
      isRead: (request) => this.mcp.isRead(request),
      execute: async (request, part) => (await this.answerToRequest(head, request, part)).json,
      refusal: ({ id = null }, refused) => errorAnswer(id, errorObject(refused)),
    });
    return json === null ? accepted : { status: 200, json };
  }

  /** The envelope of a body with too many values is readable. */
  private answerUnread(head: RequestHead, refused: Unread): Promise<Answered> {
    if (refused.outline === undefined) return this.refuse(null, refused);
    const request = readRequest(refused.outline);
    if (request === null) return this.takeResponse(head);
    const call = 'refused' in request ? undefined : withUnreadArguments(request, refused);
    if (call === undefined) return this.refuse(request.id, refused);
    this.parts.metrics.refuse('mcp', refused.kind, codeOf(refused));
    return this.answerToRequest(head, call);
  }

  private takeResponse(head: RequestHead): Promise<Answered> {
    const refused = refuseUnknownRevision(head);
    if (refused === null) return Promise.resolve(accepted);
    this.parts.metrics.refuse('mcp', refused.kind, refused.code);
    return Promise.resolve({ status: refused.status, json: errorAnswer(null, refused) });
  }

  /** Refuse a body that is not a request. */
  private refuse(id: Request['id'] | null, refused: Failure): Promise<Answered> {
    this.parts.metrics.refuse('mcp', refused.kind, codeOf(refused));
    return Promise.resolve({ status: statusOf(refused), json: errorAnswer(id ?? null, errorObject(refused)) });
  }

  private answerToBug(head: RequestHead, { id }: Request, error: unknown): Answered {
    this.parts.log?.error({ operation: 'mcp', requestId: requestIdOf(head), error }, 'a request failed');
    const bug = internalError();
    this.parts.metrics.refuse('mcp', bug.kind, codeOf(bug));
    return id === undefined ? accepted : { status: 500, json: errorAnswer(id, errorObject(bug)) };
  }
}
