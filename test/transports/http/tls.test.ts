import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectPlainly } from 'node:net';
import { describe, it } from 'node:test';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { Outcome } from '../../../src/core/errors.js';
import { Budget } from '../../../src/call/budget.js';
import { createLog } from '../../../src/observe/log.js';
import { startHttp } from '../../../src/transports/http/start.js';
import type { Listener } from '../../../src/transports/http/site.js';
import { certificates, pem, withoutOpenssl, type Pair } from '../../certificates.js';
import { answerTo, kinds, mb, pause, read, request, siteOf, testConfig, tlsFiles, withServer } from './harness.js';

const made = certificates();

/** Everything a client receives until the server closes the connection; rejects if TLS fails. */
async function talk(options: ConnectionOptions, bytes: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', ...options });
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => (text += piece));
  const ended = once(socket, 'close');
  socket.once('secureConnect', () => socket.write(bytes));
  await ended;
  return text;
}

/** Everything until the end of the connection, with a pause after each given number of bytes. */
async function all(socket: TLSSocket, restEvery: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let next = restEvery;
  for await (const piece of socket) {
    assert.ok(Buffer.isBuffer(piece));
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < next) continue;
    next += restEvery;
    await pause(200);
  }
  return Buffer.concat(pieces);
}

const health = request('GET /health', '', ['Connection: close']);

describe('TLS', { skip: made === undefined && withoutOpenssl, concurrency: true }, () => {
  if (made === undefined) return;
  const ca = pem(made.authority.cert);

  for (const kind of kinds) {
    describe(`of the listener (${kind})`, { concurrency: true }, () => {
      it('presents a certificate that clients can verify, in versions 1.2 and 1.3', async () => {
        await withServer(`${kind}, TLS`, async ({ port }) => {
          for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
            const options = { host: '127.0.0.1', port, ca, minVersion: version, maxVersion: version };
            const socket: TLSSocket = connect(options);
            await once(socket, 'secureConnect');
            assert.deepEqual([socket.authorized, socket.getProtocol()], [true, version]);
            socket.destroy();
          }
        });
      });

      it('accepts no older version', async () => {
        await withServer(`${kind}, TLS`, async ({ port }) => {
          // At any other level, the client itself would refuse.
          const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const;
          await assert.rejects(talk({ port, ca, ...old }, health), /protocol version|ECONNRESET|unsupported protocol/i);
        });
      });

      it('answers nothing to a client that speaks plain HTTP, and keeps serving', async () => {
        await withServer(`${kind}, TLS`, async ({ port, calls }) => {
          const socket = connectPlainly({ host: '127.0.0.1', port });
          let received = '';
          socket.on('data', (piece: Buffer) => (received += piece.toString('latin1')));
          socket.write(request('/edit_file', '{"name":"a.txt","append":"x"}'));
          await once(socket, 'close');
          assert.doesNotMatch(received, /HTTP/);
          assert.deepEqual(calls, []);
          assert.equal((await answerTo(port, health)).status, 200);
        });
      });

      it('delivers answers of 10 MB whole, also to a client that pauses', async () => {
        const content = Buffer.from(`"${'abcdefghijklmnopqrstuvwxyz012345678\\n'.repeat(mb / 4)}"`);
        const outcome = async (): Promise<typeof read> => ({ ok: true, result: { content, total_lines: 1 } });
        await withServer(
          `${kind}, TLS`,
          async ({ port }) => {
            await Promise.all(
              [Infinity, 2 * mb].map(async (restEvery) => {
                const socket = connect({ host: '127.0.0.1', port, ca });
                await once(socket, 'secureConnect');
                socket.write(request('/read_file', '{"name":"a.txt"}', ['Connection: close']));
                const answer = await all(socket, restEvery);
                const body = answer.subarray(answer.indexOf('\r\n\r\n') + 4);
                const expected = Buffer.concat([Buffer.from('{"content":'), content, Buffer.from(',"total_lines":1}')]);
                assert.ok(body.subarray(0, expected.length).equals(expected));
                assert.equal(body.subarray(expected.length).toString().trim(), '');
              }),
            );
          },
          { outcome },
        );
      });
    });
  }

  describe('with --tls-ca', () => {
    async function withListener(use: (listener: Listener, reached: () => number) => Promise<void>): Promise<void> {
      if (made === undefined) return;
      const config = testConfig({ tls: tlsFiles(made, true) });
      let calls = 0;
      const call = async (): Promise<Outcome> => {
        calls++;
        return read;
      };
      const listener = await startHttp(config, siteOf(call, { config }), new Budget(mb), createLog('silent'));
      try {
        await use(listener, () => calls);
      } finally {
        await listener.close();
      }
    }

    const call = request('/read_file', '{"name":"a.txt"}', ['Connection: close']);
    const as = ({ cert, key }: Pair): ConnectionOptions => ({ cert: pem(cert), key: pem(key) });

    it('admits clients with a certificate of that authority, and always listens with node:https', async () => {
      await withListener(async (listener, reached) => {
        assert.equal(listener.kind, 'node');
        const answer = await talk({ port: listener.port, ca, ...as(made.client) }, call);
        assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
        assert.equal(reached(), 1);
      });
    });

    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      for (const [name, options] of [
        ['none', {}],
        ['one that it signed itself', as(made.stranger)],
        ['one that has expired', as(made.expired)],
      ] as const) {
        it(`closes the connection of a client with ${name} (${version}), and reads nothing from it`, async () => {
          await withListener(async ({ port }, reached) => {
            const attempt = talk({ port, ca, minVersion: version, maxVersion: version, ...options }, call);
            // Only a client without a certificate gets an alert.
            if (name === 'none') await assert.rejects(attempt, /alert|ECONNRESET|EPIPE/i);
            else assert.equal(await attempt.catch(() => ''), '');
            assert.equal(reached(), 0);
          });
        });
      }
    }
  });
});
