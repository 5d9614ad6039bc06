/** The methods of the Model Context Protocol in both eras (spec 10). */
import type { DiscoverResult } from '@modelcontextprotocol/client';
import type { InitializeResult, ListToolsResult, LoggingLevel } from '@modelcontextprotocol/sdk/types.js';
import { mostMessageBytes } from '../../core/thread/task.js';
import type { MakeCall, CallContext } from '../../call/call.js';
import type { Config } from '../../config/config.js';
import type { Pool } from '../../pool/pool.js';
import { jsonOf } from '../../core/json/json-of.js';
import type { JsonPart } from '../../call/parts.js';
import { lineBaseOf } from '../../core/line-numbers.js';
import { type Operation } from '../../core/operations.js';
import { availableOperations } from '../../config/offer.js';
import { callTool } from './tools/tool-call.js';
import type { Presentation } from './tools/tool.js';
import { inputSchema, instructions, toolOf } from './tools/tools.js';
import { version } from '../../version.js';
import { invalidParams, unknownTool, type Refusal } from './refusals.js';
import { metaKeys, modernRevisions, negotiatedRevision } from './revisions.js';

/** The members of a result as JSON, each starting with a comma; a refusal; null if the call was cancelled in time. */
type Members = readonly JsonPart[] | Refusal | null;

type Params = Readonly<Record<string, unknown>>;
type Method = (params: Params, context: CallContext) => Members | Promise<Members>;

/** A read-only version of an official type. */
type Frozen<Value> = Value extends object ? { readonly [Key in keyof Value]: Frozen<Value[Key]> } : Value;

/** How long clients may cache the list of tools, which changes only with a restart. */
const cacheable = { ttlMs: 300_000, cacheScope: 'public' } as const;

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
>;

export interface MethodParts {
  readonly config: McpConfig;
  /** Executes a tool. */
  readonly call: MakeCall;
  readonly pool?: Pick<Pool, 'preload'> | undefined;
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
  private readonly presentation: Omit<Presentation, 'maxBytes'>;
  private readonly serverInfo: InitializeResult['serverInfo'];
  private readonly instructions: string;
  private list: string | undefined;

  constructor(private readonly parts: MethodParts) {
    const { config } = parts;
    this.operations = availableOperations(config);
    this.presentation = {
      lineBase: config.mcpLineBase,
      names: config.names,
      maxChars: config.mcpMaxChars,
      textOnly: config.mcpTextOnly,
    };
    this.serverInfo = {
      name: config.serverName,
      title: 'File editing server',
      version,
      description: 'High-performance file editing server for AI agents',
    };
    this.instructions = instructions(this.operations.values(), config.mcpLineBase);
    const callToolByName: Method = (params, context) => this.callTool(params, context);
    this.legacy = new Map<string, Method>([
      ['initialize', (params) => this.initialize(params)],
      ['ping', () => []],
      ['tools/list', (params) => inPieces(this.listTools(params))],
      ['tools/call', callToolByName],
      ['logging/setLevel', setLevel],
    ]);
    this.modern = new Map<string, Method>([
      ['server/discover', () => this.discover()],
      ['tools/list', (params) => inPieces(this.listTools(params), membersOf(cacheable))],
      ['tools/call', callToolByName],
    ]);
    this.modernMembers = membersOf({ resultType: 'complete', _meta: { [metaKeys.serverInfo]: this.serverInfo } });
  }

  /** What a client learns first, in both eras. While it reads that, the code of its first call is loaded. */
  private greet(): { capabilities: { tools: object }; instructions: string } {
    setImmediate(() => this.parts.pool?.preload());
    return { capabilities: { tools: {} }, instructions: this.instructions };
  }

  private initialize({ protocolVersion }: Params): Members {
    if (typeof protocolVersion !== 'string') return invalidParams('protocolVersion must be a string');
    const { serverInfo } = this;
    const result = { protocolVersion: negotiatedRevision(protocolVersion), serverInfo, ...this.greet() };
    return [membersOf(result satisfies InitializeResult)];
  }

  private discover(): Members {
    const result = { supportedVersions: [...modernRevisions], ...this.greet(), ...cacheable };
    return [membersOf(result satisfies Omit<DiscoverResult, 'resultType'>)];
  }

  private listTools({ cursor }: Params): string | Refusal {
    if (cursor !== undefined && cursor !== null)
      return invalidParams('there is no such cursor; leave it out: all tools are on one page');
    return (this.list ??= membersOf({
      tools: Array.from(this.operations.values(), (operation) => definition(operation, this.presentation)),
    } satisfies Frozen<ListToolsResult>));
  }

  private callTool({ name, arguments: given }: Params, context: CallContext): ReturnType<Method> {
    const { operations, presentation } = this;
    const { call, config } = this.parts;
    if (typeof name !== 'string') return invalidParams('name must be a string, the name of a tool');
    const operation = operations.get(name);
    if (operation === undefined) return unknownTool(name, operations.keys(), config);
    const { mostBytes: maxBytes = mostMessageBytes } = context;
    return callTool(call, operation, given ?? {}, context, { ...presentation, maxBytes });
  }
}

/** Accepted, as the revisions require; this server sends no log messages. */
function setLevel({ level }: Params): Members {
  const known = typeof level === 'string' && Object.hasOwn(loggingLevels, level);
  return known ? [] : invalidParams(`level must be one of ${Object.keys(loggingLevels).join(', ')}`);
}

function definition(
  operation: Operation,
  presentation: Omit<Presentation, 'maxBytes'>,
): Frozen<ListToolsResult['tools'][number]> {
  const { name, title, writes, destroys = false } = operation;
  const tool = toolOf(operation);
  const lineBase = lineBaseOf(operation, presentation.lineBase);
  return {
    name,
    title,
    description: tool.description(lineBase),
    // Spread, because the open object types of the official library reject interfaces.
    inputSchema: { ...inputSchema(operation, { ...presentation, lineBase }) },
    // If a tool has an output schema, clients reject results without structuredContent.
    ...(presentation.textOnly ? {} : { outputSchema: { ...tool.output } }),
    annotations: { readOnlyHint: !writes, destructiveHint: destroys, idempotentHint: !writes, openWorldHint: false },
  };
}

function membersOf(result: object): string {
  return `,${jsonOf(result).slice(1, -1)}`;
}

function inPieces(members: string | Refusal, ...more: readonly string[]): Members {
  return typeof members === 'string' ? [members, ...more] : members;
}
