/** Spec 1.1 and 9: how a server ends while work is in flight. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Appends, ending, withEmptyFiles } from './ending.js';
import { withHolder } from './lock-holder.js';
import { eventually, temporaryFiles, transports, type Server } from './server.js';

/** Its log without slow-start warnings, since the machine may be busy. */
function complaints(server: Server): string[] {
  return server.process
    .errors()
    .split('\n')
    .filter((line) => line !== '' && !line.includes('the start took longer'));
}

describe('SIGTERM', { timeout: 600_000 }, () => {
  for (const transport of transports) {
    it(`with 100 edits in flight over ${transport}: each is answered, and acknowledged ones are on disk`, () =>
      withEmptyFiles(transport, {}, async (server, directory) => {
        const client = server.connect(100);
        // Ensures that every connection has been accepted.
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

    it(`sent twice, stops a server over ${transport} immediately`, () =>
      withEmptyFiles(transport, { logLevel: 'info', maxSize: 20 }, async (server, directory) => {
        // An unread answer delays the shutdown.
        writeFileSync(join(directory, 'a.txt'), 'x'.repeat(18_000_000));
        await (transport === 'http' ? requestAndNotRead(server) : requestAndPause(server));
        server.process.child.kill('SIGTERM');
        assert.ok(await eventually(() => server.process.errors().includes('shutting down')));
        server.process.child.kill('SIGTERM');
        assert.equal(await ending(server.process.child), 143);
      }));
  }

  const cannotMount = process.getuid?.() === 0 ? false : 'needs root to mount a file system';
  it(
    'sent twice, stops a server with a hung disk immediately, whenever the second one comes',
    { skip: cannotMount },
    async (t) => {
      for (const when of ['while it shuts down', 'while it waits for its threads']) {
        await t.test(when, () =>
          withEmptyFiles('http', { logLevel: 'info' }, async (server, directory) => {
            const path = join(directory, 'a.txt');
            const end = hang(path);
            try {
              const lost = server.connect().call('read_file', { name: 'a.txt' });
              assert.ok(await eventually(() => hasStuckThread(server)));
              server.process.child.kill('SIGTERM');
              assert.ok(await eventually(() => server.process.errors().includes('shutting down')));
              // The shutdown times out after 1.5 s.
              if (when !== 'while it shuts down') await sleep(2_500);
              assert.equal(server.process.child.exitCode, null);
              server.process.child.kill('SIGTERM');
              assert.equal(await ending(server.process.child), 'SIGTERM');
              await lost;
            } finally {
              end();
            }
          }),
        );
      }
    },
  );

  it('while an edit waits for a lock: the edit is refused, the lock stays with its holder', () =>
    withEmptyFiles('stdio', {}, (server, directory) =>
      withHolder(directory, async () => {
        const appends = new Appends();
        const [held] = appends.send(server.connect(), 1);
        await server.connect().call('read_file', { name: 'b.txt' });
        server.process.child.kill('SIGTERM');
        assert.equal(await ending(server.process.child), 0);
        assert.equal((await held)?.kind, 'refused');
        // The holder has its own temporary file.
        assert.equal(temporaryFiles(directory).length, 1);
      }),
    ));
});

/** Whether a thread is in uninterruptible sleep (state D in proc(5)). */
function hasStuckThread({ process: { child } }: Server): boolean {
  const tasks = `/proc/${String(child.pid)}/task`;
  return readdirSync(tasks).some((id) => /\) D /.test(readFileSync(join(tasks, id, 'stat'), 'utf8')));
}

/**
 * Block every system call on a file: a FUSE file system that never answers is mounted over it.
 * @returns a function that ends it
 */
function hang(path: string): () => void {
  const device = openSync('/dev/fuse', 'r+');
  const options = 'fd=3,rootmode=100600,user_id=0,group_id=0';
  execFileSync('mount', ['-i', '-t', 'fuse', '-o', options, 'fuse', path], {
    stdio: ['ignore', 'pipe', 'pipe', device],
  });
  return () => {
    closeSync(device);
    execFileSync('umount', ['-l', path]);
  };
}

/** Request more than a connection's buffers hold, and read nothing. Resolves once the answer is being sent. */
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
  it('with 50 edits in flight: each is made and answered, then the server exits', () =>
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

  it('accepts a last line without a line end', () =>
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
  it('stops the server quietly, with intact files', () =>
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
