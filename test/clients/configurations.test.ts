/** The README's table of configurations: each starts the server that it says, and a client finds its tools there. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { withDirectory } from '../directory.js';
import { clientInfo } from '../fronts/mcp.js';
import { startHttpServer } from '../fronts/server-process.js';
import { offered } from '../operations/offered.js';

const repository = new URL('../../', import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, repository), 'utf8');

interface Configuration {
  readonly type?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
}

/** By client: what stands in the last column. */
const configurations = new Map(
  [...text('README.md').matchAll(/^\| ([^|]+) \| [^|]+ \| `(\{[^|]*\})` \|$/gm)].map(([, client = '', json = '']) => [
    client,
    json,
  ]),
);

/** The only server of a configuration. */
function serverIn(json: string, member: string): Configuration {
  const { [member]: servers, ...others } = JSON.parse(json) as Record<string, Record<string, Configuration>>;
  assert.deepEqual(others, {});
  const [server, ...more] = Object.values(servers ?? {});
  assert.ok(server !== undefined && more.length === 0);
  return server;
}

/** The file that an installed command runs. */
function programOf(command: string): string {
  const { bin } = JSON.parse(text('package.json')) as { bin: Record<string, string> };
  const file = bin[command];
  assert.ok(file, `${command} is a command of this package`);
  return new URL(file, repository).pathname;
}

async function assertServes(transport: unknown, directory: string): Promise<void> {
  const client = new Client(clientInfo);
  // Its optional members are declared as if undefined could not be given, which they are given.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  try {
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      offered(),
    );
    const { content, structuredContent } = await client.callTool({ name: 'read_file', arguments: { name: 'a.txt' } });
    assert.deepEqual(content, [{ type: 'text', text: `File: a.txt (1 lines)\n\nin ${directory}` }]);
    assert.equal(structuredContent, undefined, 'some of these clients would show a model nothing else');
  } finally {
    await client.close();
  }
}

describe('the configurations in the README', () => {
  const stdio = [
    ['Claude Code', 'mcpServers'],
    ['Claude Desktop', 'mcpServers'],
    ['Cursor', 'mcpServers'],
    ['VS Code', 'servers'],
  ] as const;

  it('are for these clients', () => {
    assert.deepEqual([...configurations.keys()], [...stdio.map(([client]) => client), 'Claude Code over HTTP']);
  });

  for (const [client, member] of stdio) {
    it(`start the server: ${client}`, () =>
      withDirectory({}, (directory) =>
        withDirectory({ 'a.txt': `in ${directory}` }, async (served) => {
          const { type = 'stdio', command = '', args = [] } = serverIn(configurations.get(client) ?? '', member);
          assert.equal(type, 'stdio');
          const here = args.map((arg) => arg.replace('/path/to/files', served));
          assert.notDeepEqual(here, args);
          const transport = new StdioClientTransport({
            command: process.execPath,
            args: [programOf(command), ...here, '--log-level=silent'],
          });
          await assertServes(transport, directory);
        }),
      ));
  }

  it('lead to a server that runs: Claude Code over HTTP', () =>
    withDirectory({}, (directory) =>
      withDirectory({ 'a.txt': `in ${directory}` }, async (served) => {
        const { type, url = '' } = serverIn(configurations.get('Claude Code over HTTP') ?? '', 'mcpServers');
        assert.equal(type, 'http');
        const server = await startHttpServer(served, { mcpTextOnly: true });
        try {
          // The default port may be somebody else's here.
          const { port } = new URL(server.url);
          const address = new URL(url);
          assert.equal(address.port, '8080');
          address.port = port;
          await assertServes(new StreamableHTTPClientTransport(address), directory);
        } finally {
          await server.stop();
        }
      }),
    ));
});
