/** Contract 1.1 and 9: how a server ends, with work in flight. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDirectory } from '../directory.js';
import type { Client, Reply } from './client.js';
import { Ledger } from './ledger.js';
import { withHolder } from './lock-holder.js';
import { eventually, temporaryFiles, transports, withServer, type Server, type Transport } from './server.js';

const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt'];

/** Generous: 2 s are promised (contract 1.1). */
const endMs = 5_000;

/** @returns the exit code, or the signal that ended it */
async function ending(child: ChildProcess): Promise<number | string> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = await Promise.race([once(child, 'exit'), sleep(endMs, undefined, { ref: false })]);
    if (ended === undefined) return 'still running';
  }
  return child.exitCode ?? child.signalCode ?? 'unknown';
}

/** What it logged, except that its start was slow: the machine may be busy. */
function complaints(server: Server): string[] {
  return server.process
    .errors()
    .split('\n')
    .filter((line) => line !== '' && !line.includes('the start took longer'));
}

/** Appends whose answers are compared with the files when the server is gone. */
class Appends {
  private readonly ledgers = new Map(names.map((name) => [name, new Ledger()]));
  acknowledged = 0;
  refused = 0;

  /** @returns the reply to each, when it comes */
  send(client: Client, count: number): Promise<Reply>[] {
    return Array.from({ length: count }, async (_, i) => {
      const name = names[i % names.length] ?? '';
      const line = `sent-${String(i)}`;
      const reply = await client.call('edit_file', { name, append: line });
      this.record(name, line, reply);
      return reply;
    });
  }

  check(directory: string): void {
    for (const [name, ledger] of this.ledgers) ledger.check(join(directory, name));
    assert.deepEqual(temporaryFiles(directory), []);
  }

  private record(name: string, line: string, reply: Reply): void {
    const ledger = this.ledgers.get(name);
    assert.ok(ledger);
    if (reply.kind === 'done') {
      this.acknowledged++;
      ledger.acknowledge(line, reply.result['new_total_lines']);
    } else if (reply.kind === 'refused') {
      this.refused++;
      assert.deepEqual([reply.code, reply.message, reply.status ?? 503], [-32000, 'Server is shutting down', 503]);
      ledger.refuse(line);
    } else {
      ledger.leaveOpen(line);
    }
  }
}

/** Lend a server with four empty files. */
function withEmptyFiles(
  transport: Transport,
  options: Readonly<Record<string, unknown>>,
  use: (server: Server, directory: string) => Promise<void>,
): Promise<void> {
  const files = Object.fromEntries(names.map((name) => [name, '']));
  return withDirectory(files, (directory) =>
    withServer(transport, directory, options, (server) => use(server, directory)),
  );
}

describe('SIGTERM', { timeout: 600_000 }, () => {
  for (const transport of transports) {
    it(`with 100 edits in flight over ${transport}: each is answered, and what was acknowledged is on the disk`, () =>
      withEmptyFiles(transport, {}, async (server, directory) => {
        const client = server.connect(100);
        // So that every connection has been accepted.
        const warm = await Promise.all(Array.from({ length: 100 }, () => client.call('read_file', { name: 'a.txt' })));
        assert.ok(warm.every(({ kind }) => kind === 'done'));
        const appends = new Appends();
        const replies = appends.send(client, 100);
        await Promise.race(replies);
        server.process.child.kill('SIGTERM');
        assert.equal(await ending(server.process.child), 0);
        const kinds = (await Promise.all(replies)).map(({ kind }) => kind);
        assert.ok(!kinds.includes('unanswered'), 'each is answered');
        assert.ok(appends.acknowledged > 0 && appends.refused > 0, 'it came while edits were in flight');
        appends.check(directory);
        assert.deepEqual(complaints(server), [], 'nothing had to be cut off');
      }));

    it(`a second one ends a server over ${transport} at once`, () =>
      withEmptyFiles(transport, { logLevel: 'info', maxSize: 20 }, async (server, directory) => {
        // An answer that nobody takes keeps the shutdown waiting.
        writeFileSync(join(directory, 'a.txt'), 'x'.repeat(18_000_000));
        await (transport === 'http' ? requestAndNotRead(server) : requestAndPause(server));
        server.process.child.kill('SIGTERM');
        assert.ok(await eventually(() => server.process.errors().includes('shutting down')));
        server.process.child.kill('SIGTERM');
        assert.equal(await ending(server.process.child), 143);
      }));
  }

  it('of a server that waits for a lock: the edit is refused, the lock stays with its holder', () =>
    withEmptyFiles('stdio', {}, (server, directory) =>
      withHolder(directory, async () => {
        const appends = new Appends();
        const [held] = appends.send(server.connect(), 1);
        await server.connect().call('read_file', { name: 'b.txt' });
        server.process.child.kill('SIGTERM');
        assert.equal(await ending(server.process.child), 0);
        assert.equal((await held)?.kind, 'refused');
        // The holder has a temporary file of its own.
        assert.equal(temporaryFiles(directory).length, 1);
      }),
    ));
});

/** Ask for more than the buffers of a connection hold, and take nothing of it. Resolves when the answer is on its way. */
async function requestAndNotRead({ url }: Server): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.once('data', () => socket.pause());
  const body = '{"name":"a.txt"}';
  const headers = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${String(body.length)}`;
  socket.write(`POST /read_file HTTP/1.1\r\n${headers}\r\n\r\n${body}`);
  assert.ok(await eventually(() => socket.isPaused()));
}

async function requestAndPause(server: Server): Promise<void> {
  const { stdout } = server.process.child;
  // The answer will be cut off.
  server.process.lines.removeAllListeners('line');
  stdout?.pause();
  void server.connect().call('read_file', { name: 'a.txt' });
  assert.ok(await eventually(() => (stdout?.readableLength ?? 0) > 0));
}

describe('the end of stdin', { timeout: 600_000 }, () => {
  it('with 50 edits in flight: each is done and answered, then the server ends', () =>
    withEmptyFiles('stdio', {}, async (server, directory) => {
      const appends = new Appends();
      const replies = appends.send(server.connect(), 50);
      server.process.stdin.end();
      assert.equal(await ending(server.process.child), 0);
      await Promise.all(replies);
      assert.equal(appends.acknowledged, 50);
      appends.check(directory);
      assert.deepEqual(complaints(server), []);
    }));

  it('counts a last line without its end', () =>
    withEmptyFiles('stdio', {}, async (server, directory) => {
      const appends = new Appends();
      const replies = appends.send(server.connect(), 1);
      server.process.stdin.end(
        JSON.stringify({ jsonrpc: '2.0', method: 'edit_file', params: { name: 'b.txt', append: 'x' } }),
      );
      assert.equal(await ending(server.process.child), 0);
      assert.deepEqual(
        (await Promise.all(replies)).map(({ kind }) => kind),
        ['done'],
      );
      assert.equal(readFileSync(join(directory, 'b.txt'), 'utf8'), 'x\n');
    }));
});

describe('a reader that closes stdout', { timeout: 600_000 }, () => {
  it('ends the server quietly, with whole files', () =>
    withEmptyFiles('stdio', {}, async (server, directory) => {
      const appends = new Appends();
      const replies = appends.send(server.connect(), 50);
      server.process.child.stdout?.destroy();
      assert.equal(await ending(server.process.child), 0);
      await Promise.all(replies);
      appends.check(directory);
      assert.deepEqual(complaints(server), []);
    }));
});
