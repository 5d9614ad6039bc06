/** Messages of the MCP as clients of either era send them. */
export const versionKey = 'io.modelcontextprotocol/protocolVersion';
export const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

export const modernMeta: Readonly<Record<string, unknown>> = { [versionKey]: '2026-07-28', [capabilitiesKey]: {} };

export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: unknown;
  readonly method: string;
  readonly params?: unknown;
}

export function legacy(method: string, params?: object, id: unknown = 1): Message {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) };
}

export function modern(method: string, params: object = {}, meta: unknown = modernMeta, id: unknown = 1): Message {
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } };
}

export function initialize(protocolVersion: unknown = '2025-11-25', id: unknown = 1): Message {
  return legacy('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } }, id);
}

export const readCall = { name: 'read_file', arguments: { name: 'a.txt' } };
export const editCall = { name: 'edit_file', arguments: { name: 'a.txt', append: 'x' } };
