/** The ways to a server, all of which answer as a `Client`. */
import { isRecord, type Client, type Reply } from '../../reliability/client.js';

/** Of the MCP, over what calls its method with these parameters. Its tools must count lines from 1. */
export function mcpClient(ask: (method: string, params: unknown) => Promise<Reply>): Pick<Client, 'call'> {
  return {
    call: async (operation, params) => {
      const reply = await ask('tools/call', { name: operation, arguments: asElsewhere(operation, params) });
      return reply.kind === 'done' ? toldBy(operation, reply.result) : reply;
    },
  };
}

/** Only here a missing file is created unless that is forbidden. */
function asElsewhere(operation: string, params: unknown): unknown {
  return operation === 'edit_file' && isRecord(params) ? { create_if_missing: false, ...params } : params;
}

/** `POST /mcp`, over what posts to a path. */
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

/** As the other fronts say it. The text of a file is not in the structure, but behind the first empty line. */
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
