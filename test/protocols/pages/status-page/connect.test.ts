import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { configFromArguments } from '../../../../src/config/config.js';
import { availableOperations } from '../../../../src/config/offer.js';
import {
  callToTry,
  httpConnections,
  stdioConnection,
  type Connection,
} from '../../../../src/protocols/pages/status-page/connect.js';
import { platform } from '../../../../src/core/platform.js';
import { dir } from '../../../config/config-scene.js';

const address = 'https://files.example:8443/proxied';
/** What a shell of this system takes. */
const isCmd = platform.commandsNeedShell;
const variable = isCmd ? '%FILES_TOKEN%' : '$FILES_TOKEN';

function quoted(text: string): string {
  return isCmd ? `"${text.replaceAll('"', '\\"')}"` : `'${text}'`;
}

const server = { address, hasTokens: false };

function linesOf(connections: readonly Connection[], client: string): string {
  return connections.find((each) => each.client === client)?.lines ?? '';
}

describe('the lines for connecting clients', () => {
  it("contain the server's MCP address in the form each client's settings need", () => {
    const connections = httpConnections(server, () => true);
    const url = `${address}/mcp`;
    assert.equal(linesOf(connections, 'Claude Code'), `claude mcp add --transport http files ${url}`);
    assert.deepEqual(JSON.parse(linesOf(connections, 'Cursor')), { mcpServers: { files: { url } } });
    assert.deepEqual(JSON.parse(linesOf(connections, 'VS Code')), { servers: { files: { type: 'http', url } } });
  });

  it('send the token that the environment or the user has, where the server needs one', () => {
    const connections = httpConnections({ address, hasTokens: true }, () => true);
    const url = `${address}/mcp`;
    const fromShell = `"Authorization: Bearer ${variable}"`;
    const claude = `claude mcp add --transport http files ${url} --header ${fromShell}`;
    assert.equal(linesOf(connections, 'Claude Code'), claude);
    assert.ok(linesOf(connections, 'A call without MCP').includes(` -H ${fromShell} -H `));
    const headers = { Authorization: 'Bearer ${env:FILES_TOKEN}' };
    assert.deepEqual(JSON.parse(linesOf(connections, 'Cursor')), { mcpServers: { files: { url, headers } } });
    const { inputs, servers } = JSON.parse(linesOf(connections, 'VS Code')) as Readonly<Record<string, unknown>>;
    assert.deepEqual(servers, {
      files: { type: 'http', url, headers: { Authorization: 'Bearer ${input:files-token}' } },
    });
    assert.ok(Array.isArray(inputs));
  });

  it('call an operation that the server offers and that changes nothing', () => {
    const header = `-H ${quoted('Content-Type: application/json')} -d`;
    for (const [offered, call] of [
      [['list_files', 'view'], `list_files ${header} ${quoted('{}')}`],
      [['view', 'apply_edits'], `view ${header} ${quoted('{"path":""}')}`],
      [['apply_edits'], 'openapi.json'],
    ] as const) {
      const names: readonly string[] = offered;
      assert.equal(
        callToTry(server, (name) => names.includes(name)),
        `curl ${address}/${call}`,
      );
    }
  });

  for (const args of [
    [],
    ['--toolset=all', '--read-only'],
    ['--toolset=storage,edits', '--names=unicode'],
    ['--toolset=agent', '--paths=**,!{a,b}/**'],
  ]) {
    const chosen = args.length > 0;
    const operations = chosen ? 'the same operations' : 'the operations that agents are recommended';
    it(`start a server with ${operations} on the same files over stdio: ${args.join(' ') || 'no flags'}`, () => {
      const served = configFromArguments([`--dir=${dir}`, ...args], {});
      const offered = chosen ? served : { ...served, toolsets: ['agent'] as const };
      const { lines } = stdioConnection(served);
      const { mcpServers } = JSON.parse(lines) as {
        readonly mcpServers: { readonly files: { readonly command: string; readonly args: readonly string[] } };
      };
      const { command, args: following } = mcpServers.files;
      const begin = isCmd ? ['cmd', '/c', 'file-editor'] : ['file-editor'];
      assert.deepEqual([command, ...following].slice(0, begin.length), begin);
      const started = configFromArguments([command, ...following].slice(begin.length), {});
      assert.deepEqual(availableOperations(started), availableOperations(offered));
      assert.deepEqual(
        [started.directory, started.names, started.paths, started.transport, started.mcpTextOnly],
        [served.directory, served.names, served.paths, 'stdio', true],
      );
    });
  }
});
