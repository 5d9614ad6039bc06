/** Spec 16: the official clients with a token, and without one: they say that they are not let in, and do not hang. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { clientInfo } from '../fronts/mcp.js';
import { lendTokenServer, tokenOf } from '../fronts/token-server.js';
import { kinds } from '../transports/http/harness.js';

/** Far more than a local server takes, far less than a client that hangs. */
const soonMs = 10_000;

interface Connected {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

type Connect = (url: URL, headers: Readonly<Record<string, string>>) => Promise<Connected>;

const clients: Readonly<Record<string, Connect>> = {
  'the SDK 1.x': async (url, headers) => {
    const client = new Client(clientInfo);
    // The SDK's optional members do not admit undefined, although it passes that itself.
    const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as Parameters<
      Client['connect']
    >[0];
    await client.connect(transport);
    return client;
  },
  'the client 2.x, of the era before': async (url, headers) => {
    const client = new ModernClient(clientInfo);
    await client.connect(new ModernHttp(url, { requestInit: { headers } }));
    return client;
  },
  'the client 2.x, of 2026': async (url, headers) => {
    const client = new ModernClient(clientInfo, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new ModernHttp(url, { requestInit: { headers } }));
    return client;
  },
  'the client 2.x, which finds out the era': async (url, headers) => {
    const client = new ModernClient(clientInfo, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new ModernHttp(url, { requestInit: { headers } }));
    return client;
  },
};

async function soon<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error('the client hangs'));
    }, soonMs);
  });
  return Promise.race([work, late]).finally(() => {
    clearTimeout(timer);
  });
}

function unauthorized(error: unknown): true {
  assert.ok(error instanceof Error);
  assert.match(`${error.name} ${error.message}`, /unauthorized|401|needs a token|token is unknown/i);
  assert.ok(!error.message.includes(tokenOf('writer')));
  return true;
}

for (const kind of kinds) {
  describe(`with a server on ${kind} that has tokens,`, () => {
    const tokens = { writer: {}, reader: { access: 'read', paths: ['*.md'] } } as const;
    const server = lendTokenServer({ 'a.md': 'a', 'b.txt': 'b' }, tokens, { nodeListener: kind === 'node' });
    const withToken = (name: string): Record<string, string> => ({ Authorization: `Bearer ${tokenOf(name)}` });
    for (const [title, connect] of Object.entries(clients)) {
      it(`${title} works as far as its token allows`, async () => {
        const url = new URL(`${server().url}/mcp`);
        const [writer, reader] = [await connect(url, withToken('writer')), await connect(url, withToken('reader'))];
        try {
          const named = async (client: Connected): Promise<string[]> =>
            (await client.listTools()).tools.map(({ name }) => name);
          assert.ok((await named(writer)).includes('edit_file'));
          assert.deepEqual(await named(reader), ['list_files', 'read_file', 'view', 'grep', 'glob']);
          const view = (client: Connected, path: string): ReturnType<Connected['callTool']> =>
            client.callTool({ name: 'view', arguments: { path } });
          const failed = [await view(writer, 'b.txt'), await view(reader, 'a.md'), await view(reader, 'b.txt')];
          assert.deepEqual(failed.map(({ isError }) => isError === true), [false, false, true]); // prettier-ignore
        } finally {
          await Promise.all([writer.close(), reader.close()]);
        }
      });

      it(`${title} says so too when its token is taken away`, async () => {
        const client = await connect(new URL(`${server().url}/mcp`), withToken('writer'));
        try {
          await server().reload({ reader: tokens.reader });
          const call = client.callTool({ name: 'view', arguments: { path: 'a.md' } });
          await assert.rejects(soon(call), unauthorized);
        } finally {
          await server().reload(tokens);
          await client.close();
        }
      });

      it(`${title} says that it is not let in, without a token and with a wrong one`, async () => {
        for (const headers of [
          {},
          { Authorization: 'Bearer wrong' },
          { Authorization: `Basic ${tokenOf('writer')}` },
        ]) {
          await assert.rejects(soon(connect(new URL(`${server().url}/mcp`), headers)), unauthorized);
        }
      });
    }
  });
}
