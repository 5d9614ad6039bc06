/** The lines of connect.ts where the server runs on Windows: a shell there is cmd, and commands are scripts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

const { platform } = process;
Object.defineProperty(process, 'platform', { value: 'win32' });
const { callToTry, curl, httpConnections, stdioConnection } =
  await import('../../../../src/protocols/pages/status-page/connect.js');
const { helpText } = await import('../../../../src/commands/help.js');
const { fileEditor } = await import('../../../../src/config/config.js');
Object.defineProperty(process, 'platform', { value: platform });

const server = { address: 'http://127.0.0.1:8080', hasTokens: false };

/** What a program of Windows gets of a line in cmd that has none of its special characters. */
function argumentsOf(line: string): string[] {
  assert.doesNotMatch(line, /[&|<>^!']/, 'cmd gives them a meaning, or ours');
  const found = line.matchAll(/(?:"(?:\\+"|[^"])*"|[^\s"])+/g);
  return Array.from(found, ([argument]) =>
    argument.replaceAll(/(\\*)"/g, (_, slashes: string) => {
      return slashes.slice(0, Math.floor(slashes.length / 2)) + (slashes.length % 2 === 1 ? '"' : '');
    }),
  );
}

describe('the lines for connecting clients on Windows', () => {
  it('call the server from cmd with the parameters that are meant', () => {
    for (const params of [{ name: 'welcome.txt' }, { path: '' }, { path: String.raw`a\"b"\ ` }]) {
      const [program, url, ...rest] = argumentsOf(curl(server, 'read_file', params));
      assert.deepEqual([program, url], ['curl', 'http://127.0.0.1:8080/read_file']);
      const [header, type, data, body = '', ...more] = rest;
      assert.deepEqual([header, type, data, more], ['-H', 'Content-Type: application/json', '-d', []]);
      assert.deepEqual(JSON.parse(body), params);
    }
    assert.equal(
      callToTry(server, (name) => name === 'list_files'),
      String.raw`curl http://127.0.0.1:8080/list_files -H "Content-Type: application/json" -d "{}"`,
    );
  });

  it('take the token from a variable as cmd writes it', () => {
    const secured = { ...server, hasTokens: true };
    const [claude, call] = httpConnections(secured, () => true).map(({ lines }) => lines);
    for (const line of [claude, call]) assert.match(line ?? '', / "Authorization: Bearer %FILES_TOKEN%"/);
  });

  it('start the command by cmd, since it is a script that no client can start without a shell', () => {
    const served = {
      directory: String.raw`C:\my project`,
      readOnly: false,
      toolsets: ['agent'],
      names: 'portable',
      paths: undefined,
    } as const;
    assert.deepEqual(JSON.parse(stdioConnection(served).lines), {
      mcpServers: {
        files: {
          command: 'cmd',
          args: [
            '/c',
            'file-editor',
            String.raw`--dir=C:\my project`,
            '--transport=stdio',
            '--toolset=agent',
            '--mcp-text-only',
          ],
        },
      },
    });
  });
});

it('--help shows on Windows a call that needs no job of a shell', () => {
  assert.match(helpText(fileEditor), /\nTry it, in two terminals:\n {2}file-editor .*\n {2}curl\.exe .*\n$/);
});
