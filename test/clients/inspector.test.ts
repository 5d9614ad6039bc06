/** The official inspector, which people use to try out servers: its CLI lists and calls the tools. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { withDirectory } from '../directory.js';
import { cli, startHttpServer } from '../fronts/server-process.js';
import { offered } from '../operations/offered.js';

/** The inspector's program, if installed: it takes 110 MB and needs Node 22, so .ci/run installs it. */
const inspector = process.env['MCP_INSPECTOR'];
const skip = inspector === undefined && 'MCP_INSPECTOR does not name the program of the inspector';

type Json = Readonly<Record<string, unknown>>;

async function inspect(home: string, target: readonly string[], method: readonly string[]): Promise<Json> {
  const args = [inspector ?? '', '--cli', '--method', ...method, ...target];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, HOME: home } });
  return JSON.parse(stdout) as Json;
}

const readFile = ['tools/call', '--tool-name', 'read_file', '--tool-arg', 'name=a.txt', 'start_line=1'];

async function lookAt(home: string, target: readonly string[]): Promise<void> {
  const { tools } = await inspect(home, target, ['tools/list']);
  assert.deepEqual(
    (tools as readonly Json[]).map(({ name }) => name),
    offered(),
  );
  const { content } = await inspect(home, target, readFile);
  assert.deepEqual(content, [{ type: 'text', text: 'File: a.txt (lines 1-1 of 2 total)\n\ntwo' }]);
}

describe('the inspector in CLI mode', { skip }, () => {
  it('lists and calls the tools over stdio', () =>
    withDirectory({ 'a.txt': 'one\ntwo\n' }, (directory) =>
      withDirectory({}, (home) =>
        lookAt(home, ['--', process.execPath, cli, `--dir=${directory}`, '--transport=stdio']),
      ),
    ));

  it('lists and calls the tools over HTTP', () =>
    withDirectory({ 'a.txt': 'one\ntwo\n' }, (directory) =>
      withDirectory({}, async (home) => {
        const server = await startHttpServer(directory, {});
        try {
          await lookAt(home, ['--server-url', `${server.url}/mcp`, '--transport', 'http']);
        } finally {
          await server.stop();
        }
      }),
    ));
});
