/**
 * The route `POST /mcp`. The code of MCP is loaded with the first message; messages that arrive during loading are
 * answered after it.
 */
import type { Failure } from '../../core/errors.js';
import { internalError } from '../../core/failures.js';
import { parseJson, type Parsed, type Unread } from '../../core/json/json-body.js';
import { piecesOf } from '../../call/parts.js';
import { gather } from '../../core/json/scattered-bytes.js';
import { Late } from '../late.js';
import { largeTexts } from '../../core/operations.js';
import type { Answer, RequestHead, Work } from '../../transports/http/site.js';
import { isJson, wrongContentType } from '../rest/content-type.js';
import { errorAnswer } from '../json-rpc/envelope.js';
import type { McpEndpoint, McpParts } from './http.js';
import { answer, jsonType, requestIdOf } from '../rest/answer.js';
import { errorObject } from '../../call/result-json.js';

const nothing = Buffer.alloc(0);

/** The route of MCP messages. */
export class McpRoute {
  private readonly endpoint: Late<McpEndpoint>;

  constructor(private readonly parts: McpParts) {
    this.endpoint = new Late(async () => new (await import('./mcp-bundle.js')).McpEndpoint(parts));
  }

  /** The work for a body, or why the body is not read. */
  open(head: RequestHead): Work | Failure {
    // Without a body there is no content type to check: an empty body is invalid JSON (spec 10).
    const isEmpty = !head.hasBody && head.contentType === undefined;
    if (!isEmpty && !isJson(head.contentType)) return wrongContentType();
    return { run: (body) => this.run(head, body) };
  }

  private run(head: RequestHead, body: Buffer): Promise<Answer> {
    const { readBody = parseJson } = this.parts;
    const read = readBody(body, largeTexts);
    if (!(read instanceof Promise)) return this.answer(head, read);
    return read.then((beside) => this.answer(head, beside));
  }

  private async answer(head: RequestHead, parsed: Parsed | Unread): Promise<Answer> {
    const { status, json } = await (this.endpoint.now?.answer(head, parsed) ?? this.answerLater(head, parsed));
    if (json === null) return answer(head, status, [], nothing);
    return answer(head, status, ['Content-Type', jsonType], gather(piecesOf(json)));
  }

  private answerLater(head: RequestHead, parsed: Parsed | Unread): ReturnType<McpEndpoint['answer']> {
    return this.endpoint.load().then(
      (endpoint) => endpoint.answer(head, parsed),
      (error: unknown) => {
        this.parts.log?.error({ operation: 'mcp', requestId: requestIdOf(head), error }, 'MCP could not be loaded');
        return { status: 500, json: errorAnswer(null, errorObject(internalError())) };
      },
    );
  }
}
