/** The methods of the Model Context Protocol in both eras (spec 10). */
import type { DiscoverResult } from '@modelcontextprotocol/client';
import type { InitializeResult, ListToolsResult, LoggingLevel } from '@modelcontextprotocol/sdk/types.js';
import { mostMessageBytes } from '../../core/thread/task.js';
import type { Caller } from '../../access/permission.js';
import type { MakeCall, CallContext } from '../../call/call.js';
import type { Config } from '../../config/config.js';
import { isObject } from '../../core/json/json-body.js';
import { jsonOf } from '../../core/json/json-of.js';
import type { JsonPart } from '../../call/parts.js';
import { lineBaseOf } from '../../core/line-numbers.js';
import { type Operation } from '../../core/operations.js';
import { availableOperations, isIn } from '../../config/offer.js';
import { clientNameOf, pageOf, usualPage } from './client-pages.js';
import { callTool } from './tools/tool-call.js';
import type { ObjectSchema, Presentation } from './tools/tool.js';
import { hintsFor, inputSchema, instructions, narrowed, toolOf } from './tools/tools.js';
import { version } from '../../version.js';
import { invalidParams, unknownTool, type Refusal } from './refusals.js';
import { declaredRevision, metaKeys, modernRevisions, negotiatedRevision } from './revisions.js';

/** The members of a result as JSON, each starting with a comma; a refusal; null if the call was cancelled in time. */
type Members = readonly JsonPart[] | Refusal | null;

type Params = Readonly<Record<string, unknown>>;

export interface McpContext extends CallContext {
  /** The longest text for the client of this stream; absent over HTTP, which has no sessions. */
  readonly page?: number | undefined;
}

type Method = (params: Params, context: McpContext) => Members | Promise<Members>;

/** Settings shared by all calls. */
type CommonPresentation = Omit<Presentation, 'maxBytes' | 'maxChars'>;

/** A read-only version of an official type. */
type Frozen<Value> = Value extends object ? { readonly [Key in keyof Value]: Frozen<Value[Key]> } : Value;

/** How long clients may cache the list of tools, which changes only with a restart or with the token. */
const ttlMs = 300_000;

const loggingLevels: Readonly<Record<LoggingLevel, true>> = {
  debug: true,
  info: true,
  notice: true,
  warning: true,
  error: true,
  critical: true,
  alert: true,
  emergency: true,
};

/** Configuration that affects answers to MCP clients. */
export type McpConfig = Pick<
  Config,
  'toolsets' | 'readOnly' | 'names' | 'mcpLineBase' | 'mcpMaxChars' | 'mcpTextOnly' | 'serverName'
> &
  Partial<Pick<Config, 'tokens' | 'history'>>;

export interface MethodParts {
  readonly config: McpConfig;
  /** Executes a tool. */
  readonly call: MakeCall;
  /** Called after a client's first answer. */
  readonly greeted?: (() => void) | undefined;
}

/** The methods of both eras, for the operations that the configuration allows. */
export class McpMethods {
  /** For sessions opened by `initialize`, and requests without a revision. */
  readonly legacy: ReadonlyMap<string, Method>;
  /** For requests that name their own revision. */
  readonly modern: ReadonlyMap<string, Method>;
  /** Appended to every result of the modern era. */
  readonly modernMembers: string;
  private readonly operations: ReadonlyMap<string, Operation>;
  /** The tools offered to callers who may write, and to those who may only read. */
  private readonly offers: Readonly<Record<Caller['access'], ToolOffer>>;
  private readonly cacheable: { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' };
  private readonly presentation: CommonPresentation;
  private readonly serverInfo: InitializeResult['serverInfo'];

  constructor(private readonly parts: MethodParts) {
    const { config } = parts;
    this.operations = availableOperations(config);
    this.presentation = {
      lineBase: config.mcpLineBase,
      names: config.names,
      textOnly: config.mcpTextOnly,
    };
    this.serverInfo = {
      name: config.serverName,
      title: 'File editing server',
      version,
      description: 'High-performance file editing server for AI agents',
    };
    const rows = [...this.operations.values()];
    const forReaders = rows.filter(({ writes }) => !writes);
    this.offers = {
      write: new ToolOffer(rows, config, this.presentation),
      read: new ToolOffer(forReaders, config, this.presentation, forReaders.length < rows.length),
    };
    this.cacheable = { ttlMs, cacheScope: config.tokens === undefined ? 'public' : 'private' };
    const callToolByName: Method = (params, context) => this.callTool(params, context);
    this.legacy = new Map<string, Method>([
      ['initialize', (params, context) => this.initialize(params, context)],
      ['ping', () => []],
      ['tools/list', (params, context) => inPieces(this.listTools(params, context))],
      ['tools/call', callToolByName],
      ['logging/setLevel', setLevel],
    ]);
    this.modern = new Map<string, Method>([
      ['server/discover', (_params, context) => this.discover(context)],
      ['tools/list', (params, context) => inPieces(this.listTools(params, context), membersOf(this.cacheable))],
      ['tools/call', callToolByName],
    ]);
    this.modernMembers = membersOf({ resultType: 'complete', _meta: { [metaKeys.serverInfo]: this.serverInfo } });
  }

  /** A client's first answer in both eras. */
  private greet(context: CallContext): { capabilities: { tools: object }; instructions: string } {
    const { greeted } = this.parts;
    if (greeted !== undefined) setImmediate(greeted);
    return { capabilities: { tools: {} }, instructions: this.instructionsFor(context) };
  }

  private instructionsFor(context: CallContext): string {
    const { instructions: about } = this.offerTo(context);
    const limits = context.caller?.writable?.limits;
    return limits === undefined ? about : narrowed(about, limits);
  }

  private offerTo({ caller }: CallContext): ToolOffer {
    return this.offers[caller?.access ?? 'write'];
  }

  private initialize({ protocolVersion }: Params, context: CallContext): Members {
    if (typeof protocolVersion !== 'string') return invalidParams('protocolVersion must be a string');
    const { serverInfo } = this;
    const result = { protocolVersion: negotiatedRevision(protocolVersion), serverInfo, ...this.greet(context) };
    return [membersOf(result satisfies InitializeResult)];
  }

  private discover(context: CallContext): Members {
    const result = { supportedVersions: [...modernRevisions], ...this.greet(context), ...this.cacheable };
    return [membersOf(result satisfies Omit<DiscoverResult, 'resultType'>)];
  }

  private listTools({ cursor }: Params, context: CallContext): string | Refusal {
    if (cursor !== undefined && cursor !== null)
      return invalidParams('there is no such cursor; leave it out: all tools are on one page');
    return this.offerTo(context).list;
  }

  private callTool(params: Params, context: McpContext): ReturnType<Method> {
    const { name, arguments: given } = params;
    const { operations, presentation } = this;
    const { call, config } = this.parts;
    if (typeof name !== 'string') return invalidParams('name must be a string, the name of a tool');
    const operation = operations.get(name);
    if (operation === undefined) return unknownTool(name, this.offerTo(context).names, config);
    const { mostBytes: maxBytes = mostMessageBytes } = context;
    const { mcpMaxChars: maxChars = pageFor(params, context) } = config;
    const named = { ...context, clientName: clientNameFor(params, context) };
    return callTool(call, operation, given ?? {}, named, { ...presentation, maxBytes, maxChars });
  }
}

/** In the modern era, each request names its client. */
function clientNameFor(params: Params, { clientName }: McpContext): string | undefined {
  return declaredRevision(params) === undefined ? clientName : clientNameOf(declaredClient(params));
}

function pageFor(params: Params, { page = usualPage }: McpContext): number {
  return declaredRevision(params) === undefined ? page : pageOf(declaredClient(params));
}

function declaredClient({ _meta: meta }: Params): unknown {
  return isObject(meta) ? meta[metaKeys.clientInfo] : undefined;
}

/** The list of tools and the instructions for one kind of caller. */
class ToolOffer {
  readonly instructions: string;
  private made: string | undefined;

  constructor(
    private readonly operations: readonly Operation[],
    private readonly config: Pick<McpConfig, 'toolsets' | 'history'>,
    private readonly presentation: CommonPresentation,
    isForReader = false,
  ) {
    this.instructions = instructions(operations, presentation.lineBase, isForReader);
  }

  get names(): string[] {
    return this.operations.map(({ name }) => name);
  }

  /** The members of the answer to tools/list. */
  get list(): string {
    return (this.made ??= membersOf({
      tools: this.operations.map((operation) => this.definition(operation)),
    } satisfies Frozen<ListToolsResult>));
  }

  /** Without a history, its parameter would only cost every agent tokens. */
  private published({ properties: { before_change, ...properties } = {}, ...schema }: ObjectSchema): ObjectSchema {
    const isShown = before_change !== undefined && this.config.history !== undefined;
    return { ...schema, properties: { ...properties, ...(isShown ? { before_change } : {}) } };
  }

  private definition(operation: Operation): Frozen<ListToolsResult['tools'][number]> {
    const { presentation, config } = this;
    const { name, title, writes, destroys = false } = operation;
    const tool = toolOf(operation);
    const lineBase = lineBaseOf(operation, presentation.lineBase);
    const hints = hintsFor(operation, config.toolsets.includes('agent') && isIn('agent', operation));
    return {
      name,
      title,
      description: tool.description(lineBase),
      // Spread, because the official library's open object types reject interfaces.
      inputSchema: { ...this.published(inputSchema(operation, { ...presentation, lineBase })) },
      // If a tool has an output schema, clients reject results without structuredContent.
      ...(presentation.textOnly ? {} : { outputSchema: { ...tool.output } }),
      annotations: { readOnlyHint: !writes, destructiveHint: destroys, idempotentHint: !writes, openWorldHint: false },
      ...(hints === undefined ? {} : { _meta: hints }),
    };
  }
}

/** Accepted, as the revisions require; this server sends no log messages. */
function setLevel({ level }: Params): Members {
  const known = typeof level === 'string' && Object.hasOwn(loggingLevels, level);
  return known ? [] : invalidParams(`level must be one of ${Object.keys(loggingLevels).join(', ')}`);
}

function membersOf(result: object): string {
  return `,${jsonOf(result).slice(1, -1)}`;
}

function inPieces(members: string | Refusal, ...more: readonly string[]): Members {
  return typeof members === 'string' ? [members, ...more] : members;
}
