/** MCP on a stream shared with plain JSON-RPC (spec 10): cancellation and the negotiated revision. */
import type { CallContext } from '../../call/call.js';
import { isObject } from '../../core/json/json-body.js';
import type { JsonPart } from '../../call/parts.js';
import { errorAnswer, resultAnswer, type Request } from '../json-rpc/envelope.js';
import { clientNameOf, pageOf } from './client-pages.js';
import { declaredRevision, negotiatedRevision, revisionWithBatches } from './revisions.js';
import type { Mcp, Reply } from './mcp.js';

type StreamContext = Omit<CallContext, 'front'>;

/** One client, or several that share a stream and use distinct ids. */
export class McpStream {
  /** The revision last negotiated; only batches depend on it. */
  private revision: string | undefined;
  /** The longest text for the client that negotiated last. */
  private page: number | undefined;
  /** What that client calls itself. */
  clientName: string | undefined;
  /** Running tool calls, which can be cancelled, by request id. */
  private readonly running = new Map<unknown, AbortController>();

  constructor(private readonly mcp: Mcp) {}

  /** Whether this request may be in a batch. */
  mayBeInBatch({ method, params }: Request): boolean {
    return this.revision === revisionWithBatches && method !== 'initialize' && declaredRevision(params) === undefined;
  }

  isRead(request: Request): boolean {
    return this.mcp.isRead(request);
  }

  /** The answer to a request; null if none is due. Tools are called before this returns. Never rejects. */
  async answer(request: Request, context: StreamContext): Promise<JsonPart[] | null> {
    const { id, method, params } = request;
    const refused = this.mcp.refuse(request);
    if (refused !== null) return id === undefined ? null : errorAnswer(id, refused);
    if (id === undefined && method === 'notifications/cancelled' && isObject(params)) {
      this.running.get(params['requestId'])?.abort();
    }
    const replied = this.reply(request, context);
    if (method === 'initialize' && isObject(params) && declaredRevision(params) === undefined) {
      const { protocolVersion: asked, clientInfo } = params;
      // Set now rather than with the answer: the next line may be a batch. A request without a revision is refused and
      // changes nothing.
      if (typeof asked === 'string') {
        this.revision = negotiatedRevision(asked);
        this.page = pageOf(clientInfo);
        this.clientName = clientNameOf(clientInfo);
      }
    }
    const reply = await replied;
    if (id === undefined || reply === null) return null;
    return 'result' in reply ? resultAnswer(id, reply.result) : errorAnswer(id, reply);
  }

  private async reply(request: Request, ofStream: StreamContext): Promise<Reply> {
    const { id, method } = request;
    const context = { front: 'mcp', page: this.page, ...ofStream } as const;
    if (id === undefined || method !== 'tools/call') return this.mcp.answer(request, context);
    const cancellation = new AbortController();
    this.running.set(id, cancellation);
    try {
      return await this.mcp.answer(request, { ...context, signal: cancellation.signal });
    } finally {
      if (this.running.get(id) === cancellation) this.running.delete(id);
    }
  }
}
