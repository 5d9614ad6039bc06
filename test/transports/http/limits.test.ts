import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Outcome } from '../../../src/core/errors.js';
import { withDirectory } from '../../directory.js';
import { malformed } from './cases.js';
import { ask, Client, errorOf, kinds, mb, pause, request, servedBy, statusOfRefusal, withServer } from './harness.js';

/** A body of exactly this many bytes. */
function bodyOf(bytes: number): string {
  const frame = '{"name":"a.txt","append":""}';
  return `${frame.slice(0, -2)}${'x'.repeat(bytes - frame.length)}"}`;
}

/** Whether the server closes the connection in time: within the bound of spec 7 plus some slack. */
async function endsWithin(client: Client, ms: number): Promise<boolean> {
  const ended = await Promise.race([client.ended().then(() => true), pause(ms).then(() => false)]);
  client.leave();
  return ended;
}

const tenMb: Outcome = { ok: true, result: { content: Buffer.from(`"${'y'.repeat(10 * mb)}"`) } };

describe('limits and timeouts', { concurrency: true, timeout: 600_000 }, () => {
  for (const kind of kinds) {
    describe(`limits of a request (${kind})`, { concurrency: true }, () => {
      const served = servedBy(kind);

      served('takes a body of exactly the limit', async ({ port, calls }) => {
        const { responses } = await ask(port, request('/edit_file', bodyOf(mb)));
        assert.equal(responses[0]?.status, 200);
        assert.equal(calls.length, 1);
      });

      served(
        'refuses a larger one as soon as its length is known, and ends the connection',
        async ({ port, calls }) => {
          const client = await Client.connect(port);
          const lines = [`Content-Length: ${String(mb + 1)}`, 'Content-Type: application/json'];
          await client.send(request('/edit_file', '', lines));
          const { responses } = await client.reply();
          assert.equal(responses[0]?.status, 413);
          const { code, message, data } = errorOf(responses[0]);
          assert.deepEqual([code, message], [-32600, 'Request size exceeds maximum limit 1MB']);
          assert.equal('operation' in data, false);
          assert.ok(await endsWithin(client, 5000));
          assert.equal(calls.length, 0);
        },
      );

      served('refuses one in chunks as soon as too much of it came', async ({ port, calls }) => {
        const client = await Client.connect(port);
        await client.send(request('/edit_file', `200000\r\n${'x'.repeat(mb + 1)}`, ['Transfer-Encoding: chunked']));
        const { responses } = await client.reply();
        assert.equal(responses[0]?.status, 413);
        assert.ok(await endsWithin(client, 5000));
        assert.equal(calls.length, 0);
      });

      served('gives its refusal to a client that sends all before it reads', async ({ port, calls }) => {
        const { responses } = await ask(port, request('/edit_file', bodyOf(4 * mb)));
        assert.equal(responses[0]?.status, 413);
        assert.equal(calls.length, 0);
      });

      served('does not go on reading for ever after a refusal', async ({ port }) => {
        const client = await Client.connect(port);
        const lines = ['Content-Length: 900000000000', 'Content-Type: application/json'];
        await client.send(request('/edit_file', '', lines));
        const piece = Buffer.alloc(mb, 'x');
        let sent = 0;
        while (!client.socket.destroyed && client.socket.writable && sent < 1000) {
          await client.send(piece);
          sent += 1;
        }
        client.leave();
        assert.ok(sent < 1000, 'a thousand times the limit was read');
      });

      served('keeps the connection after a small body was refused', async ({ port, calls }) => {
        const client = await Client.connect(port);
        await client.send(request('/edit_file', '{"name":"a"}', ['Content-Type: text/plain']));
        await client.reply(1);
        await client.send(request('/edit_file', '{"name":"a"}'));
        const { responses } = await client.reply(2);
        client.leave();
        assert.deepEqual(
          responses.map(({ status }) => status),
          [400, 200],
        );
        assert.equal(calls.length, 1);
      });

      served(
        'reads no more of its clients than 256 MB hold, until one of them has left',
        { config: { maxBytes: 64 * mb, maxSizeMb: 64 } },
        async ({ port }) => {
          const lines = [`Content-Length: ${String(60 * mb)}`, 'Content-Type: application/json'];
          const begun = request('/edit_file', '', lines) + 'x'.repeat(100_000);
          const first = await Client.connect(port);
          await first.send(begun);
          const others = await Promise.all([1, 2, 3].map(async () => Client.connect(port)));
          for (const client of others) await client.send(begun);
          await pause(100);
          const fifth = await Client.connect(port);
          void fifth.send(begun).then(async () => fifth.send(Buffer.alloc(40 * mb, 'x')));
          await pause(500);
          assert.ok(fifth.socket.writableLength > 0, 'everything was read');
          first.leave();
          while (fifth.socket.writableLength > 0) await pause(20);
          for (const client of [...others, fifth]) client.leave();
        },
      );

      it('starts no more reads than memory allows, and drops waiting ones whose client has left', () =>
        withDirectory({ 'a.txt': 'x'.repeat(10 * mb) }, async (directory) => {
          const release: (() => void)[] = [];
          let made = 0;
          const outcome = async (): Promise<Outcome> => {
            made += 1;
            await new Promise<void>((resolve) => release.push(resolve));
            return { ok: true, result: {} };
          };
          await withServer(
            kind,
            async ({ port }) => {
              const clients = await Promise.all([1, 2, 3, 4, 5, 6].map(async () => Client.connect(port)));
              for (const client of clients) {
                await client.send(request('/read_file', '{"name":"a.txt"}'));
                await pause(20);
              }
              await pause(300);
              // As JSON, each may take 60 MB; an eighth of 256 MB is reserved for small ones.
              assert.equal(made, 3);
              // Otherwise node:http treats them as half-closed.
              for (const { socket } of clients.slice(0, 5)) socket.resetAndDestroy();
              await pause(100);
              for (const done of release.splice(0)) done();
              while (release.length === 0) await pause(10);
              for (const done of release.splice(0)) done();
              assert.equal((await clients[5]?.reply())?.responses[0]?.status, 200);
              clients[5]?.leave();
              assert.equal(made, 4);
            },
            { config: { directory, maxBytes: 10 * mb, maxSizeMb: 10 }, outcome, checked: true },
          );
        }));

      served('delivers answers of 10 MB whole, also to slow readers', { outcome: () => tenMb }, async ({ port }) => {
        await Promise.all(
          [0, 0, 0, 300].map(async (restMs) => {
            const client = await Client.connect(port);
            await client.send(request('/read_file', '{"name":"a.txt"}'));
            for (let rests = 0; rests < 4 && restMs > 0; rests++) {
              client.socket.pause();
              await pause(restMs);
              client.socket.resume();
              await pause(5);
            }
            const { responses } = await client.reply();
            client.leave();
            assert.equal(responses[0]?.body.length, 10 * mb + '{"content":""}'.length);
          }),
        );
      });
    });

    describe(`timeouts for slow clients (${kind})`, { concurrency: true }, () => {
      const served = servedBy(kind);

      const silent: readonly (readonly [string, string])[] = [
        ['nothing at all', ''],
        ['half a head', 'POST /edit_file HTTP/1.1\r\nHost: local'],
        [
          'a head without its body',
          request('/edit_file', '', ['Content-Length: 10', 'Content-Type: application/json']),
        ],
        ['half a body', request('/edit_file', '{"name"', ['Content-Length: 100'])],
        [
          'a head without its chunks',
          request('/edit_file', '', ['Transfer-Encoding: chunked', 'Content-Type: application/json']),
        ],
        ['half a chunk', request('/edit_file', '20\r\n{"name"', ['Transfer-Encoding: chunked'])],
        ['half a large body', request('/edit_file', 'x'.repeat(200_000), ['Content-Length: 500000'])],
        ['half a head after an answer', `${request('GET /health')}POST /edit`],
      ];
      for (const [name, bytes] of silent) {
        served(`cuts off a client that sent ${name} and then stopped, within 15 s`, async ({ port, calls }) => {
          const client = await Client.connect(port);
          if (bytes !== '') await client.send(bytes);
          assert.ok(await endsWithin(client, 15_500));
          assert.equal(calls.length, 0);
        });
      }

      // uWebSockets.js waits for more after some of these, so they are here.
      served('refuses what is not HTTP/1.1, and executes nothing of it', async ({ port, calls }) => {
        await Promise.all(
          malformed.map(async (each) => {
            const status = await statusOfRefusal(port, each.parts);
            assert.ok(status === undefined || status >= 400, `${each.name}: answered ${String(status)}`);
          }),
        );
        assert.deepEqual(calls, []);
      });

      it('says that a head is too large, and where', { skip: kind !== 'node' }, async () => {
        await withServer(kind, async ({ port }) => {
          const client = await Client.connect(port);
          await client.send(`GET /health?${'q'.repeat(17_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
          const { responses } = await client.reply();
          client.leave();
          assert.match(String(responses[0]?.body), /head of the request is too large.*at most 16 KB/);
        });
      });

      served('waits for a client that sends a byte a second', async ({ port, calls }) => {
        const body = '{"name": "a.t"}';
        const whole = request('/edit_file', body);
        const client = await Client.connect(port);
        await client.send(whole.slice(0, -body.length));
        for (const byte of body) {
          await pause(1000);
          await client.send(byte);
        }
        const { responses } = await client.reply();
        client.leave();
        assert.equal(responses[0]?.status, 200);
        assert.equal(calls.length, 1);
      });

      served(
        'waits for a client that takes nothing of its answer for 14 s',
        { outcome: () => tenMb },
        async ({ port }) => {
          const client = await Client.connect(port);
          client.socket.pause();
          await client.send(request('/read_file', '{"name":"a.txt"}'));
          await pause(14_000);
          client.socket.resume();
          const { responses } = await client.reply();
          client.leave();
          assert.equal(responses[0]?.body.length, 10 * mb + '{"content":""}'.length);
        },
      );
    });
  }

  it('keeps an idle connection for 10 s (node)', async () => {
    await withServer('node', async ({ port }) => {
      const client = await Client.connect(port);
      await client.send(request('GET /health'));
      await client.reply(1, 'GET');
      await pause(10_000);
      await client.send(request('GET /health'));
      const { responses } = await client.reply(2, 'GET');
      client.leave();
      assert.equal(responses.length, 2);
    });
  });
});
