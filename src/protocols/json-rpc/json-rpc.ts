/**
 * JSON-RPC 2.0 with MCP on the same stream (spec 9): takes one message, returns its answer. A transport splits the
 * stream into messages.
 */
import { anyCaller, type Caller } from '../../access/permission.js';
import type { MakeCall } from '../../call/call.js';
import type { Config } from '../../config/config.js';
import { failure, type Failure } from '../../core/errors.js';
import { internalError, requestTooLarge } from '../../core/failures.js';
import { parseJson, type Unread } from '../../core/json/json-body.js';
import { lendBody } from '../../core/json/lent-texts.js';
import type { JsonPart } from '../../call/parts.js';
import { Late } from '../late.js';
import type { Budget } from '../../call/budget.js';
import type { Log } from '../../observe/log.js';
import { largeTexts } from '../../core/operations.js';
import { answerBatch, refuseBatch, type BatchPlan, type PartContext } from './batch.js';
import { errorAnswer, invalidRequest, readRequest, resultAnswer, type Request } from './envelope.js';
import { JsonRpcMethods } from './methods.js';
import type { McpConfig } from '../mcp/methods.js';
import { isOfMcp } from '../mcp/revisions.js';
import type { McpStream } from '../mcp/stdio.js';
import { errorObject, resultParts } from '../../call/result-json.js';
import { withUnreadArguments } from '../mcp/tools/unread-arguments.js';

export interface LineProtocol {
  /**
   * Answer one message, a line without its terminator. The answer comes in parts, without a newline; null if none is
   * due. Calls are made in the order of the messages, except that the reads of a batch come later. Never rejects, and
   * does not retain `line`.
   */
  answer(line: Buffer): Promise<readonly JsonPart[] | null>;
  /** The answer to a line longer than the limit. */
  tooLong(): readonly JsonPart[];
  /** Nothing more comes: calls that wait for changes of others are answered. */
  inputEnded?(): void;
  /** The reader has gone: reads still waiting for memory are dropped. */
  loseReader(): void;
}

type Answer = readonly JsonPart[] | null;

interface Parts {
  readonly config: McpConfig & Pick<Config, 'maxBytes' | 'maxSizeMb'> & Partial<Pick<Config, 'paths'>>;
  readonly call: MakeCall;
  /** Called after an MCP client's first answer. */
  readonly greeted?: () => void;
  /** Called at the end of the stream. */
  readonly inputEnded?: () => void;
  readonly budget: Budget;
  readonly log?: Pick<Log, 'error'>;
}

/** Answers the messages of one stream. The code of MCP is loaded with its first message. */
export class JsonRpc implements LineProtocol {
  private readonly methods: JsonRpcMethods;
  private readonly mcp: Late<McpStream>;
  private readonly reader = { gone: false };
  private readonly caller: Caller | undefined;
  private messages = 0;

  constructor(private readonly parts: Parts) {
    this.methods = new JsonRpcMethods(parts.config, parts.call);
    this.caller = anyCaller(parts.config.paths);
    this.mcp = new Late(async () => {
      const { createMcp, McpStream } = await import('../mcp/mcp-bundle.js');
      return new McpStream(createMcp(parts));
    });
  }

  /** Not async: an async function retains its arguments, here the line and with it the whole chunk of the stream. */
  answer(line: Buffer): Promise<Answer> {
    const parsed = parseJson(line, largeTexts);
    lendBody(line, parsed);
    if (!parsed.ok) return this.answerUnread(parsed);
    const { value } = parsed;
    // While MCP is loading, later messages must not overtake the one that needs it.
    const answerNow = (): Promise<Answer> => this.answerValue(value);
    return this.mcp.isLoading ? this.mcp.load().then(answerNow, answerNow) : answerNow();
  }

  tooLong(): readonly JsonPart[] {
    return errorAnswer(null, errorObject(requestTooLarge(this.parts.config.maxSizeMb)));
  }

  inputEnded(): void {
    this.parts.inputEnded?.();
  }

  loseReader(): void {
    this.reader.gone = true;
  }

  private answerValue(value: unknown): Promise<Answer> {
    if (Array.isArray(value)) return this.answerBatch(value);
    const request = readRequest(value);
    if (request === null) return Promise.resolve(null);
    if ('refused' in request) return Promise.resolve(errorAnswer(request.id, errorObject(request.refused)));
    return this.answerRequest(request);
  }

  private answerRequest(request: Request): Promise<Answer> {
    if (this.mcp.now === undefined && isOfMcp(request)) return this.answerOnceLoaded(request);
    return this.execute(request);
  }

  private answerBatch(batch: readonly unknown[]): Promise<Answer> {
    const refused = refuseBatch(batch);
    if (refused !== null) return Promise.resolve(errorAnswer(null, errorObject(refused)));
    const { config, budget } = this.parts;
    const { maxSizeMb } = config;
    const plan: BatchPlan = {
      budget,
      recipient: this.reader,
      // A batch is answered once its last message is done, so the answers accumulated until then need a limit.
      limitMb: Math.max(128, 2 * maxSizeMb),
      maxSizeMb,
      refuse: (request) => (isOfMcp(request) && this.mcp.now?.mayBeInBatch(request) !== true ? noBatchOfMcp() : null),
      isRead: (request) => this.isRead(request),
      execute: (request, part) => this.execute(request, part),
      refusal: (request, refusedMessage) => this.refusal(request, refusedMessage),
    };
    return answerBatch(batch, plan);
  }

  private answerOnceLoaded(request: Request): Promise<Answer> {
    return this.mcp.load().then(
      () => this.execute(request),
      (error: unknown) => {
        this.parts.log?.error({ operation: 'mcp', error }, 'MCP could not be loaded');
        return request.id === undefined ? null : this.refusal(request, internalError());
      },
    );
  }

  private isRead(request: Request): boolean {
    return isOfMcp(request) ? this.mcp.now?.isRead(request) === true : this.methods.isRead(request.method);
  }

  /** The answer to a message that is not JSON or has too many values; in the latter case the envelope is readable. */
  private answerUnread(refused: Unread): Promise<Answer> {
    if (refused.kind === 'parse_error') return Promise.resolve(errorAnswer(null, errorObject(refused)));
    const request = readRequest(refused.outline);
    if (request === null) return Promise.resolve(null);
    if ('refused' in request) {
      const tooMany = failure('invalid_request', 'Invalid Request', { details: refused.details });
      return Promise.resolve(errorAnswer(request.id, errorObject(tooMany)));
    }
    const call = withUnreadArguments(request, refused);
    if (call !== undefined) return this.answerRequest(call);
    return Promise.resolve(request.id === undefined ? null : this.refusal(request, refused));
  }

  private async execute(request: Request, part?: PartContext): Promise<Answer> {
    try {
      return await this.run(request, part);
    } catch (error) {
      this.parts.log?.error({ operation: request.method, error }, 'a message failed');
      return request.id === undefined ? null : this.refusal(request, internalError());
    }
  }

  private async run(request: Request, part?: PartContext): Promise<Answer> {
    const { id } = request;
    // Includes the caller's id, for searching the log; truncated, since it may be long.
    const ofCaller = id === undefined || id === null ? '' : `:${String(id).slice(0, 64)}`;
    const requestId = `rpc-${String(++this.messages)}${ofCaller}`;
    const mcp = this.mcp.now;
    const clientName = mcp?.clientName;
    const context = { requestId, recipient: this.reader, caller: this.caller, clientName, ...part };
    if (mcp !== undefined && isOfMcp(request)) return mcp.answer(request, context);
    const outcome = await this.methods.run(request, context);
    if (id === undefined) return null;
    return outcome.ok ? resultAnswer(id, resultParts(outcome)) : this.refusal(request, outcome);
  }

  private refusal(request: Request, refused: Failure): readonly JsonPart[] {
    return errorAnswer(request.id ?? null, this.methods.errorOf(request, refused));
  }
}

/** The failure of an MCP message in a batch. */
function noBatchOfMcp(): Failure {
  return invalidRequest(
    'An MCP message cannot be in a batch.',
    'Send it on a line of its own: only revision 2025-03-26, negotiated by initialize, has batches.',
  );
}
