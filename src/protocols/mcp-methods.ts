/** The methods of the Model Context Protocol, of both eras (contract 10), and what they answer. */
import type { DiscoverResult } from '@modelcontextprotocol/client';
import type { InitializeResult, ListToolsResult, LoggingLevel } from '@modelcontextprotocol/sdk/types.js';
import type { Call, CallContext } from '../call.js';
import type { Config } from '../config/config.js';
import type { JsonPart } from '../json/parts.js';
import { availableOperations, type Operation } from '../operations.js';
import { callTool } from '../tools/tool-call.js';
import { inputSchema, instructions, toolOf } from '../tools/tools.js';
import { version } from '../version.js';
import { invalidParams, unknownTool, type Refusal } from './mcp-refusals.js';
import { metaKeys, modernRevisions, negotiatedRevision } from './mcp-revisions.js';

/** The members of a result as JSON, each after a comma; a refusal; null if the call was cancelled in time. */
type Members = readonly JsonPart[] | Refusal | null;

export type Method = (params: Readonly<Record<string, unknown>>, context: CallContext) => Members | Promise<Members>;

interface McpMethods {
  /** For a conversation that `initialize` has opened, or could have. */
  readonly legacy: ReadonlyMap<string, Method>;
  /** For requests that name their own revision. */
  readonly modern: ReadonlyMap<string, Method>;
  /** What every result of the modern era has after its own members. */
  readonly modernMembers: string;
}

/** The official type, but read-only. */
type Frozen<Value> = Value extends object ? { readonly [Key in keyof Value]: Frozen<Value[Key]> } : Value;

/** How long clients may keep the list of tools, which changes only when the server is restarted. */
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

/** The methods of both eras over the operations that the configuration allows. @param call executes a tool */
export function createMethods({
  config,
  call,
}: {
  config: Pick<Config, 'toolsets' | 'readOnly' | 'mcpLineBase' | 'mcpMaxChars' | 'serverName'>;
  call: Call;
}): McpMethods {
  const { serverName, mcpLineBase: lineBase, mcpMaxChars: maxChars } = config;
  const operations = availableOperations(config);
  const serverInfo = { name: serverName, title: 'File editing server', version };
  const capabilities = { tools: {} };
  const teaching = instructions(operations.values(), lineBase);
  let list: string | undefined;

  function listTools({ cursor }: Readonly<Record<string, unknown>>): string | Refusal {
    if (cursor !== undefined) return invalidParams('there is no such cursor; leave it out, all tools are on one page');
    return (list ??= membersOf({
      tools: Array.from(operations.values(), (operation) => definition(operation, lineBase)),
    } satisfies Frozen<ListToolsResult>));
  }

  const callToolByName: Method = ({ name, arguments: given }, context) => {
    if (typeof name !== 'string') return invalidParams('name must be a string, the name of a tool');
    const operation = operations.get(name);
    if (operation === undefined) return unknownTool(name, operations.keys(), config.toolsets);
    // Some clients send null if there is nothing to send.
    return callTool(call, operation, given ?? {}, context, { lineBase, maxChars });
  };

  const initialize: Method = ({ protocolVersion }) => {
    if (typeof protocolVersion !== 'string') return invalidParams('protocolVersion must be a string');
    const negotiated = negotiatedRevision(protocolVersion);
    const result = { protocolVersion: negotiated, capabilities, serverInfo, instructions: teaching };
    return [membersOf(result satisfies InitializeResult)];
  };

  /** Accepted, as the revisions demand; this server has nothing to tell between its answers. */
  const setLevel: Method = ({ level }) => {
    const known = typeof level === 'string' && Object.hasOwn(loggingLevels, level);
    return known ? [] : invalidParams(`level must be one of ${Object.keys(loggingLevels).join(', ')}`);
  };

  const discover: Method = () => {
    const result = { supportedVersions: [...modernRevisions], capabilities, instructions: teaching, ...cacheable };
    return [membersOf(result satisfies Omit<DiscoverResult, 'resultType'>)];
  };

  return {
    legacy: new Map<string, Method>([
      ['initialize', initialize],
      ['ping', () => []],
      ['tools/list', (params) => inPieces(listTools(params))],
      ['tools/call', callToolByName],
      ['logging/setLevel', setLevel],
    ]),
    modern: new Map<string, Method>([
      ['server/discover', discover],
      ['tools/list', (params) => inPieces(listTools(params), membersOf(cacheable))],
      ['tools/call', callToolByName],
    ]),
    modernMembers: membersOf({ resultType: 'complete', _meta: { [metaKeys.serverInfo]: serverInfo } }),
  };
}

function definition(operation: Operation, lineBase: 0 | 1): Frozen<ListToolsResult['tools'][number]> {
  const { name, title, annotations } = operation;
  const tool = toolOf(operation);
  return {
    name,
    title,
    description: tool.description(lineBase),
    // Spread: the open objects of the official types accept no value whose type is an interface.
    inputSchema: { ...inputSchema(operation, lineBase) },
    outputSchema: { ...tool.output },
    annotations,
  };
}

function membersOf(result: object): string {
  return `,${JSON.stringify(result).slice(1, -1)}`;
}

function inPieces(members: string | Refusal, ...more: readonly string[]): Members {
  return typeof members === 'string' ? [members, ...more] : members;
}
