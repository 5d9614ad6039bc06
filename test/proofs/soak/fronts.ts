/** The fronts of a server, each as a `Client`. */
import { isRecord, type Client, type Reply } from '../../reliability/client.js';

/** A client over MCP, given a function that calls a method. Its tools must count lines from 1. */
export function mcpClient(ask: (method: string, params: unknown) => Promise<Reply>): Pick<Client, 'call'> {
  return {
    call: async (operation, params) => {
      const reply = await ask('tools/call', { name: operation, arguments: asElsewhere(operation, params) });
      return reply.kind === 'done' ? toldBy(operation, reply.result) : reply;
    },
  };
}

/** Only MCP creates a missing file by default. */
function asElsewhere(operation: string, params: unknown): unknown {
  return operation === 'edit_file' && isRecord(params) ? { create_if_missing: false, ...params } : params;
}

/** `POST /mcp`, given a function that posts to a path. */
export function mcpOverHttp({ call }: Pick<Client, 'call'>): Pick<Client, 'call'> {
  let lastId = 0;
  return mcpClient(async (method, params) => {
    const reply = await call('mcp', { jsonrpc: '2.0', id: ++lastId, method, params });
    if (reply.kind !== 'done') return reply;
    const { result } = reply.result;
    if (!isRecord(result)) throw new Error(`no result of ${method}: ${JSON.stringify(reply.result).slice(0, 300)}`);
    return { kind: 'done', result };
  });
}

/** In the other fronts' form. A file's text is not in the structure, but follows the first empty line. */
function toldBy(operation: string, { isError, content, structuredContent }: Readonly<Record<string, unknown>>): Reply {
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  const text = isRecord(first) ? String(first['text']) : '';
  if (isError === true) {
    const message = text.replace(/^Error: /, '').replace(/\n.*/s, '');
    return { kind: 'refused', code: 0, message, data: {}, status: undefined };
  }
  const result = isRecord(structuredContent) ? structuredContent : {};
  if (operation !== 'read_file') return { kind: 'done', result };
  return { kind: 'done', result: { ...result, content: text.slice(text.indexOf('\n\n') + 2) } };
}
