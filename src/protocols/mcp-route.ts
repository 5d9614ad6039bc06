/**
 * `POST /mcp` for the site. The code of MCP is loaded with the first message; messages that arrive meanwhile wait
 * behind it.
 */
import type { AnswerRoom } from '../memory/held.js';
import type { Failure } from '../errors.js';
import { internalError } from '../failures.js';
import { parseJson, type Parsed, type Unread } from '../json/json-body.js';
import { piecesOf } from '../json/parts.js';
import { gather } from '../json/scattered-bytes.js';
import { inSharedMemory } from '../memory/shared.js';
import { Late } from '../late.js';
import { largeTexts } from '../operations.js';
import type { Answer, Need, RequestHead, Work } from '../transports/site.js';
import { isJson, wrongContentType } from './content-type.js';
import { errorAnswer } from './envelope.js';
import { withExactIds } from './exact-ids.js';
import type { McpEndpoint, McpParts } from './mcp-http.js';
import { McpSizes } from './mcp-sizes.js';
import { weightOf } from './message-weight.js';
import { answer, jsonType, requestIdOf } from './rest-answer.js';
import { errorObject } from '../json/result-json.js';

const nothing = Buffer.alloc(0);
/** Larger bodies are not parsed twice. */
const mostLookedAt = 64 * 1024;

/** The page that takes messages of the MCP. */
export class McpRoute {
  private readonly sizes: McpSizes;
  private readonly endpoint: Late<McpEndpoint>;

  constructor(private readonly parts: McpParts) {
    this.sizes = new McpSizes(parts.config);
    this.endpoint = new Late(async () => new (await import('./mcp-late.js')).McpEndpoint(parts));
  }

  /** What to do with a body, or why it is not read. */
  open(head: RequestHead): Work | Failure {
    // Without a body there is nothing that could have a type: it is bad JSON (spec 10).
    const isEmpty = !head.hasBody && head.contentType === undefined;
    if (!isEmpty && !isJson(head.contentType)) return wrongContentType();
    // As long as memory is plentiful, a message is parsed only once, without a look at what it asks for.
    let parsed: Parsed | Unread | undefined;
    const { readBody = parseJson } = this.parts;
    const need = (body: Buffer, sparing: boolean): Need => {
      if (!sparing) return this.sizes.unknown('read');
      if (body.length > mostLookedAt) return this.sizes.unknown('write');
      parsed ??= parseJson(body, largeTexts);
      return this.sizes.need(parsed);
    };
    return {
      need,
      weight: weightOf,
      run: (body, room) => {
        const read = readBody(body, largeTexts);
        if (!(read instanceof Promise)) return this.answer(head, withExactIds(read, body), room);
        const kept = inSharedMemory(body) ? body : Buffer.from(body);
        return read.then((beside) => this.answer(head, withExactIds(beside, kept), room));
      },
    };
  }

  private async answer(head: RequestHead, parsed: Parsed | Unread, room: AnswerRoom): Promise<Answer> {
    const { status, json } = await (this.endpoint.now?.answer(head, parsed, room) ??
      this.answerLater(head, parsed, room));
    if (json === null) return answer(head, status, [], nothing);
    const body = gather(piecesOf(json));
    this.sizes.learn(parsed, body.length);
    return answer(head, status, ['Content-Type', jsonType], body);
  }

  private answerLater(head: RequestHead, parsed: Parsed | Unread, room: AnswerRoom): ReturnType<McpEndpoint['answer']> {
    return this.endpoint.load().then(
      (endpoint) => endpoint.answer(head, parsed, room),
      (error: unknown) => {
        this.parts.log?.error({ operation: 'mcp', requestId: requestIdOf(head), error }, 'the MCP could not be loaded');
        return { status: 500, json: errorAnswer(null, errorObject(internalError())) };
      },
    );
  }
}
