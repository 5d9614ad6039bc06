/** The configurations in the README: each starts the server it names, and a client finds its tools there. */
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

/** File contents by client, whose name is in bold above. */
const configurations = new Map(
  [...text('README.md').matchAll(/^\*\*([^*]+)\*\*(?:.|\n(?!\n))*?\n```json\n([^`]+)```$/gm)].map(
    ([, client = '', json = '']) => [client, json],
  ),
);

/** The only server of a configuration. */
function serverIn(json: string, member: string): Configuration {
  const { [member]: servers, ...others } = JSON.parse(json) as Record<string, Record<string, Configuration>>;
  assert.deepEqual(others, {});
  const [server, ...more] = Object.values(servers ?? {});
  assert.ok(server !== undefined && more.length === 0);
  return server;
}

/** The file an installed command runs. */
function programOf(command: string): string {
  const { bin } = JSON.parse(text('package.json')) as { bin: Record<string, string> };
  const file = bin[command];
  assert.ok(file, `${command} is a command of this package`);
  return new URL(file, repository).pathname;
}

async function assertServes(transport: unknown, directory: string): Promise<void> {
  const client = new Client(clientInfo);
  // The SDK's optional members do not admit undefined, although it passes that itself.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  try {
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      offered(['agent']),
    );
    const { content, structuredContent } = await client.callTool({ name: 'view', arguments: { path: 'src/a.txt' } });
    assert.deepEqual(content, [{ type: 'text', text: `in ${directory}\n` }]);
    assert.equal(structuredContent, undefined, 'some of these clients would show a model nothing else');
  } finally {
    await client.close();
  }
}

describe('the configurations in the README', () => {
  /** The placeholder for the project and its value; none if the client starts servers in the project. */
  const stdio = [
    ['Claude Code', 'mcpServers', '.'],
    ['VS Code', 'servers', '${workspaceFolder}'],
    ['Cursor', 'mcpServers', '${workspaceFolder}'],
    ['Claude Desktop', 'mcpServers', '/path/to/project'],
  ] as const;

  it('cover these clients', () => {
    assert.deepEqual([...configurations.keys()], [...stdio.map(([client]) => client), 'Several agents over HTTP']);
  });

  for (const [client, member, project] of stdio) {
    it(`start the server: ${client}`, () =>
      withDirectory({}, (directory) =>
        withDirectory({ 'src/a.txt': `in ${directory}\n` }, async (served) => {
          const { type = 'stdio', command = '', args = [] } = serverIn(configurations.get(client) ?? '', member);
          assert.equal(type, 'stdio');
          assert.ok(args.includes(`--dir=${project}`));
          const here = project === '.' ? args : args.map((arg) => arg.replace(project, served));
          const transport = new StdioClientTransport({
            command: process.execPath,
            args: [programOf(command), ...here, '--log-level=silent'],
            cwd: served,
          });
          await assertServes(transport, directory);
        }),
      ));
  }

  it('say how they begin on Windows: a client that is given a script without a shell cannot start it', () => {
    const [, begin = ''] = /^\*\*On Windows\*\*[^`]*`[^`]*`[^`]*`([^`]*)…`/m.exec(text('README.md')) ?? [];
    for (const [client] of stdio) {
      const json = configurations.get(client) ?? '';
      const there = json.replace(/"command": "file-editor",\s*"args": \["--dir=/, begin);
      assert.notEqual(there, json);
      const member = client === 'VS Code' ? 'servers' : 'mcpServers';
      const [here, windows] = [json, there].map((each) => serverIn(each, member));
      assert.deepEqual(windows, { ...here, command: 'cmd', args: ['/c', here?.command, ...(here?.args ?? [])] });
    }
  });

  it('connect to a running server: several agents over HTTP', () =>
    withDirectory({}, (directory) =>
      withDirectory({ 'src/a.txt': `in ${directory}\n` }, async (served) => {
        const { type, url = '' } = serverIn(configurations.get('Several agents over HTTP') ?? '', 'mcpServers');
        assert.equal(type, 'http');
        const server = await startHttpServer(served, { toolset: 'agent', mcpTextOnly: true });
        try {
          // Another process may have the default port here.
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
