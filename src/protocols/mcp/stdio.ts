/** MCP on a stream that it shares with plain JSON-RPC (spec 10): cancellation, and what was negotiated. */
import type { CallContext } from '../../call/call.js';
import { isObject } from '../../core/json/json-body.js';
import type { JsonPart } from '../../call/parts.js';
import { errorAnswer, resultAnswer, type Request } from '../json-rpc/envelope.js';
import { claimedRevision, negotiatedRevision, revisionWithBatches } from './revisions.js';
import type { Mcp, Reply } from './mcp.js';

type StreamContext = Omit<CallContext, 'front'>;

/** One client, or several that share a stream and keep their ids apart. */
export class McpStream {
  /** What `initialize` has agreed on last; only batches depend on it. */
  private revision: string | undefined;
  /** Tool calls that can be cancelled, by the id of their request. */
  private readonly running = new Map<unknown, AbortController>();

  constructor(private readonly mcp: Mcp) {}

  /** Whether this request may be a part of a batch. */
  mayBeInBatch({ method, params }: Request): boolean {
    return this.revision === revisionWithBatches && method !== 'initialize' && claimedRevision(params) === undefined;
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
    if (method === 'initialize' && isObject(params) && claimedRevision(params) === undefined) {
      const { protocolVersion: asked } = params;
      // Now and not when it is answered: a batch may be in the next line. One that names none is refused, and changes
      // nothing.
      if (typeof asked === 'string') this.revision = negotiatedRevision(asked);
    }
    const reply = await replied;
    if (id === undefined || reply === null) return null;
    return 'result' in reply ? resultAnswer(id, reply.result) : errorAnswer(id, reply);
  }

  private async reply(request: Request, ofStream: StreamContext): Promise<Reply> {
    const { id, method } = request;
    const context = { front: 'mcp', ...ofStream } as const;
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
