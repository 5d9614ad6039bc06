/** The configuration of docs/deploy/haproxy.cfg, in front of servers of one directory. Run by `npm run prove -- cluster`. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { withDirectory } from '../../directory.js';
import { isRecord } from '../../reliability/client.js';
import { Ledger } from '../../reliability/ledger.js';
import { lastingPort, startServer, type Server } from '../../reliability/server.js';

const documented = fileURLToPath(new URL('../../../docs/deploy/haproxy.cfg', import.meta.url));
const environment = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` };
const installed = spawnSync('haproxy', ['-v'], { env: environment }).status === 0;
const skip = installed ? false : 'needs haproxy (Debian: haproxy)';

/** The documented configuration with this test's ports, plus a header that names the server. */
function configurationFor(port: number, servers: readonly number[], socket: string): string {
  let text = readFileSync(documented, 'utf8');
  const replace = (line: string, by: string): void => {
    assert.ok(text.includes(`    ${line}\n`), `the configuration has the line: ${line}`);
    text = text.replace(line, by);
  };
  replace('bind :8080', `bind 127.0.0.1:${String(port)}\n    http-response set-header X-Server %s`);
  replace('stats socket /run/haproxy/admin.sock mode 660 level admin', `stats socket ${socket} level admin`);
  for (const [index, server] of servers.entries()) {
    const name = `files${String(index + 1)}`;
    replace(`server ${name} 192.0.2.${String(index + 1)}:8080`, `server ${name} 127.0.0.1:${String(server)}`);
  }
  return text;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The server that answered; null if none did. */
  readonly server: string | null;
}

interface Cluster {
  readonly directory: string;
  readonly ports: readonly number[];
  /** In the order of the configuration. */
  readonly servers: Server[];
  /** @param name of the file, for the balancer */
  readonly tell: (command: string) => Promise<string>;
  readonly call: (operation: string, params: unknown, name?: string) => Promise<Answer>;
}

async function withCluster(
  files: Readonly<Record<string, string>>,
  use: (cluster: Cluster) => Promise<void>,
): Promise<void> {
  await withDirectory(files, async (directory) => {
    const own = mkdtempSync(join(tmpdir(), 'file-editor-haproxy-'));
    const ports = [await lastingPort(), await lastingPort()];
    const port = await lastingPort();
    const path = join(own, 'haproxy.cfg');
    const socket = join(own, 'admin.sock');
    writeFileSync(path, configurationFor(port, ports, socket));
    const servers: Server[] = [];
    const url = `http://127.0.0.1:${String(port)}`;
    const call = async (operation: string, params: unknown, name?: string): Promise<Answer> => {
      const query = name === undefined ? '' : `?name=${encodeURIComponent(name)}`;
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
      const answer = await fetch(`${url}/${operation}${query}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(params),
      });
      const body: unknown = await answer.json();
      assert.ok(isRecord(body));
      return { status: answer.status, body, server: answer.headers.get('X-Server') };
    };
    try {
      for (const each of ports) servers.push(await startServer('http', directory, { toolset: 'all' }, each));
      const balancer = spawn('haproxy', ['-db', '-f', path], {
        env: environment,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const ended = once(balancer, 'exit');
      try {
        const early = ended.then(() => Promise.reject(new Error('HAProxy has ended')));
        await Promise.race([early, untilAllServe(call)]);
        await use({ directory, ports, servers, call, tell: (command) => tell(socket, command) });
      } finally {
        balancer.kill('SIGKILL');
        await ended;
      }
    } finally {
      for (const server of servers) await server.kill();
      rmSync(own, { recursive: true });
    }
  });
}

/** Send a command to HAProxy's runtime API. @returns what it answers */
async function tell(socket: string, command: string): Promise<string> {
  let answer = '';
  for await (const piece of connect(socket).end(`${command}\n`)) answer += String(piece);
  return answer;
}

/** Number of a server's unanswered calls. */
function callsAt(server: string, statistics: string): number {
  const line = statistics.split('\n').find((each) => each.startsWith(`file_editors,${server},`));
  assert.ok(line !== undefined, statistics);
  return Number(line.split(',')[4]);
}

/** Calls without a name alternate between servers, so both are seen soon. */
async function untilAllServe(call: Cluster['call']): Promise<void> {
  const seen = new Set<string | null>();
  for (let tries = 0; tries < 600; tries++) {
    const answer = await call('list_files', {}).catch(() => undefined);
    if (answer?.status === 200) seen.add(answer.server);
    if (seen.size === 2) return;
    await sleep(100);
  }
  throw new Error(`not all servers answer after 60 s: ${[...seen].join(', ')}`);
}

/** Retry after a closed connection. */
async function untilAnswered(call: () => Promise<string | null>): Promise<string | null> {
  for (let tries = 0; tries < 600; tries++) {
    const server = await call();
    if (server !== null) return server;
    await sleep(100);
  }
  return null;
}

const names = Array.from({ length: 24 }, (_, index) => `file-${String(index)}.txt`);
const empty = Object.fromEntries(names.map((name) => [name, '']));

describe('servers behind HAProxy', { skip, timeout: 300_000 }, () => {
  it("each get all calls for their files; a killed server's calls go to the other, and no acknowledged edit is lost", () =>
    withCluster(empty, async ({ directory, servers, call }) => {
      const ledgers = new Map(names.map((name) => [name, new Ledger()]));
      let sent = 0;
      const append = async (name: string): Promise<string | null> => {
        const line = `client${String(sent++)}-0`;
        const ledger = ledgers.get(name);
        // If a server's connection ends before its answer, HAProxy sends 502 or closes the client's connection as well.
        const answer = await call('edit_file', { name, append: line }, name).catch(() => undefined);
        if (answer?.status === 200) ledger?.acknowledge(line, answer.body['new_total_lines']);
        else if (answer?.status === 503) ledger?.refuse(line);
        else ledger?.leaveOpen(line);
        return answer?.status === 200 ? answer.server : null;
      };
      const home = new Map<string, string | null>();
      for (const name of names) home.set(name, await append(name));
      for (let round = 0; round < 5; round++) {
        for (const name of names) assert.equal(await append(name), home.get(name), `${name} has one server`);
      }
      const mine = (server: string): string[] => names.filter((name) => home.get(name) === server);
      assert.ok(mine('files1').length > 0 && mine('files2').length > 0, 'both have files');

      const appendToAll = (): Promise<unknown> => Promise.all(names.flatMap((name) => [append(name), append(name)]));
      const [first, second] = servers;
      assert.ok(first && second);
      const during = appendToAll();
      await Promise.all([during, second.kill()]);
      for (const name of mine('files1')) {
        assert.equal(await untilAnswered(() => append(name)), 'files1', 'the files of the other stay');
      }
      // The balancer may still think the server is up, but redispatches immediately when it cannot connect.
      for (const name of mine('files2'))
        assert.equal(await untilAnswered(() => append(name)), 'files1', 'its files move');
      for (const [name, ledger] of ledgers) ledger.check(join(directory, name));
    }));

  it('can be drained, stopped, started and put back in turn under load: every call succeeds', () =>
    withCluster({ 'log.txt': '' }, async ({ directory, ports, servers, call, tell }) => {
      const ledger = new Ledger();
      const over = new AbortController();
      const work = async (client: number): Promise<void> => {
        for (let number = 0; !over.signal.aborted; number++) {
          const line = `client${String(client)}-${String(number)}`;
          const { status, body } = await call('edit_file', { name: 'log.txt', append: line });
          assert.equal(status, 200, JSON.stringify(body));
          ledger.acknowledge(line, body['new_total_lines']);
        }
      };
      const clients = Promise.all(Array.from({ length: 6 }, (_, client) => work(client)));
      const restartAll = async (): Promise<void> => {
        for (const [index, port] of ports.entries()) {
          const name = `files${String(index + 1)}`;
          await tell(`set server file_editors/${name} state drain`);
          while (callsAt(name, await tell('show stat')) > 0) await sleep(10);
          assert.equal(await servers[index]?.process.stop(), 0);
          servers[index] = await startServer('http', directory, { toolset: 'all' }, port);
          await tell(`set server file_editors/${name} state ready`);
          await untilAllServe(call);
        }
      };
      await Promise.all([
        clients,
        restartAll().finally(() => {
          over.abort();
        }),
      ]);
      assert.ok(ledger.size > 0);
      ledger.check(join(directory, 'log.txt'));
    }));

  it("accept bodies larger than HAProxy's buffers, and MCP", () =>
    withCluster({}, async ({ directory, call }) => {
      const content = 'a line of text\n'.repeat(300_000);
      const created = await call('create', { path: 'large.txt', content, encoding: 'utf-8' }, 'large.txt');
      assert.equal(created.status, 200, JSON.stringify(created.body));
      assert.equal(readFileSync(join(directory, 'large.txt'), 'utf8'), content);
      const read = await call('read_file', { name: 'large.txt' }, 'large.txt');
      assert.equal(read.body['content'], content.slice(0, -1));
      for (let id = 0; id < 4; id++) {
        const { status, body } = await call('mcp', { jsonrpc: '2.0', id, method: 'tools/list' });
        assert.equal(status, 200);
        assert.equal(body['id'], id);
      }
    }));

  it('leave an agent with a message that says what to do when all are down', () =>
    withCluster({ 'a.txt': 'text\n' }, async ({ servers, call }) => {
      for (const server of servers) await server.kill();
      const { status, body, server } = await call('read_file', { name: 'a.txt' }, 'a.txt');
      assert.deepEqual([status, server], [503, null]);
      assert.deepEqual(body, {
        error: {
          code: -32000,
          message: 'No server is available',
          data: { details: 'Nothing was done. Send the call again in a few seconds.' },
        },
      });
    }));
});
