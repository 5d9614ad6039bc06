/**
 * `POST /mcp` (CONTRACT.md 10): one message in, its answer as JSON out. There are no sessions and no streams, so there
 * is nothing to GET or to DELETE.
 */
import type { Call } from '../call.js';
import type { Config } from '../config.js';
import { failure, type Failure } from '../errors.js';
import { parseJson, type Unread } from '../json-body.js';
import type { Log } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { Answer, RequestHead, Work } from '../transports/http.js';
import { AnswerSize } from './answer-size.js';
import { answerBatch, refuseBatch } from './batch.js';
import { isJson, wrongContentType } from './content-type.js';
import { errorAnswer, invalidRequest, readRequest, resultAnswer, type Request } from './envelope.js';
import { refuseContradiction, refuseHeaders } from './mcp-headers.js';
import { claimedRevision, revisionWithBatches } from './mcp-revisions.js';
import type { Mcp } from './mcp.js';
import { answer, jsonType, requestIdOf } from './rest-answer.js';
import { errorObject, piecesOf, type JsonPart } from './result-json.js';

interface Parts {
  readonly config: Config;
  readonly call: Call;
  readonly metrics: Metrics;
  readonly log?: Log;
}

/** What is answered; `json` is null where that is nothing. */
interface Answered {
  readonly status: number;
  readonly json: readonly JsonPart[] | null;
}

const accepted: Answered = { status: 202, json: null };

export class McpRoute {
  private readonly size: AnswerSize;
  private mcp: Mcp | undefined;
  private loading: Promise<Mcp> | undefined;

  constructor(private readonly parts: Parts) {
    this.size = new AnswerSize(parts.config.maxBytes);
  }

  /** What to do with a body, or why it is not read. */
  open(head: RequestHead): Work | Failure {
    if (!isJson(head.contentType)) return wrongContentType();
    return { estimate: this.size.estimate, run: (body) => this.run(head, body) };
  }

  /** Reads `body` before it returns. Never rejects. */
  private run(head: RequestHead, body: Buffer): Promise<Answer> {
    const { metrics } = this.parts;
    const parsed = parseJson(body);
    metrics.inFlight(1);
    return (parsed.ok ? this.whenLoaded((mcp) => this.answerTo(mcp, head, parsed.value)) : this.refuseUnread(parsed))
      .catch((error: unknown) => this.answerToBug(head, error))
      .then((answered) => this.send(head, answered))
      .finally(() => {
        metrics.inFlight(-1);
      });
  }

  /** At once where the MCP is loaded, and otherwise in the order of the requests. */
  private whenLoaded(act: (mcp: Mcp) => Promise<Answered>): Promise<Answered> {
    if (this.mcp !== undefined) return act(this.mcp);
    this.loading ??= import('./mcp.js').then(({ createMcp }) => (this.mcp = createMcp(this.parts)));
    return this.loading.then(act);
  }

  private answerTo(mcp: Mcp, head: RequestHead, value: unknown): Promise<Answered> {
    if (Array.isArray(value)) return this.answerToBatch(mcp, head, value);
    const request = readRequest(value);
    if ('refused' in request) return this.refuse(request.id, request.refused);
    return this.answerToRequest(mcp, head, request);
  }

  private async answerToRequest(mcp: Mcp, head: RequestHead, request: Request): Promise<Answered> {
    const { id } = request;
    const refused = refuseContradiction(request, head) ?? mcp.refuse(request) ?? refuseHeaders(request, head);
    const reply = refused ?? (await mcp.answer(request, { requestId: requestIdOf(head) }));
    if (reply !== null && 'status' in reply) {
      this.parts.metrics.count('none', reply.kind, 0);
      if (id !== undefined || refused !== null) return { status: reply.status, json: errorAnswer(id ?? null, reply) };
    }
    if (id === undefined || reply === null || !('result' in reply)) return accepted;
    return { status: 200, json: resultAnswer(id, reply.result) };
  }

  /** One read at a time: what a batch puts together is not known before, and so not counted in the budget. */
  private async answerToBatch(mcp: Mcp, head: RequestHead, batch: readonly unknown[]): Promise<Answered> {
    const { mcpRevision = revisionWithBatches } = head;
    const { maxSizeMb } = this.parts.config;
    const refused =
      mcpRevision === revisionWithBatches
        ? refuseBatch(batch)
        : invalidRequest('there are no batches in this revision', 'Send one message at a time.');
    if (refused !== null) return this.refuse(null, refused);
    const json = await answerBatch(
      batch,
      {
        limitMb: 2 * maxSizeMb,
        maxSizeMb,
        refuse: ({ method, params }) =>
          method === 'initialize' || claimedRevision(params) !== undefined
            ? invalidRequest('this message cannot be in a batch', 'Send it in a request of its own.')
            : null,
        isRead: (request) => mcp.isRead(request),
        execute: async (request) => (await this.answerToRequest(mcp, head, request)).json,
        refusal: ({ id = null }, refused) => errorAnswer(id, errorObject(refused)),
      },
      () => undefined,
    );
    return json === null ? accepted : { status: 200, json };
  }

  /** Of what holds too much, the envelope can be read. */
  private refuseUnread(refused: Unread): Promise<Answered> {
    const { id = null } = refused.kind === 'parse_error' ? {} : readRequest(refused.outline);
    return this.refuse(id, refused);
  }

  /** Of what is no request. */
  private refuse(id: Request['id'], refused: Failure): Promise<Answered> {
    this.parts.metrics.count('none', refused.kind, 0);
    return Promise.resolve({ status: 400, json: errorAnswer(id ?? null, errorObject(refused)) });
  }

  private send(head: RequestHead, { status, json }: Answered): Answer {
    if (json === null) return answer(head, status, [], null);
    const body = Buffer.concat(piecesOf(json));
    this.size.learn(body.length);
    return answer(head, status, ['Content-Type', jsonType], body);
  }

  private answerToBug(head: RequestHead, error: unknown): Answered {
    this.parts.log?.error({ operation: 'mcp', requestId: requestIdOf(head), error }, 'a request failed');
    this.parts.metrics.count('none', 'internal', 0);
    return { status: 500, json: errorAnswer(null, errorObject(failure('internal', 'Internal error'))) };
  }
}
