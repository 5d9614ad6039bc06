import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ambiguous } from './cases.js';
import { allKinds, answerTo, ask, Client, errorOf, pause, request, statusOfRefusal, withServer } from './harness.js';

const edit = '{"name":"a.txt","append":"x"}';
const editLength = String(edit.length);

function inChunks(body: string, size: number): string {
  const pieces = Array.from({ length: Math.ceil(body.length / size) }, (_, i) => body.slice(i * size, (i + 1) * size));
  return `${pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')}0\r\n\r\n`;
}

describe('framing', { concurrency: true }, () => {
  for (const kind of allKinds) {
    describe(`the end of a request (${kind})`, { concurrency: true }, () => {
      it('refuses ambiguous requests, with 400 or by closing, and executes no part of them', async () => {
        await withServer(kind, async ({ port, calls }) => {
          await Promise.all(
            ambiguous.map(async (each) => {
              const status = await statusOfRefusal(port, each.parts);
              assert.ok(status === undefined || status === 400, `${each.name}: answered ${String(status)}`);
            }),
          );
          assert.deepEqual(calls, []);
        });
      });

      it('names the ambiguity, in an error object without an operation', async () => {
        await withServer(kind, async ({ port }) => {
          const lines = ['Host: localhost', 'Host: localhost', 'X-Request-Id: mine'];
          const { responses } = await ask(port, request('/edit_file', edit, lines));
          const error = errorOf(responses[0]);
          assert.equal(error.code, -32600);
          assert.equal(error.message, 'There is more than one Host header');
          assert.deepEqual(Object.keys(error.data).sort(), ['details', 'timestamp']);
          assert.equal(responses[0]?.headers.get('connection'), 'close');
        });
      });

      it('closes a connection whose second request has another version, once the first is answered', async () => {
        await withServer(kind, async ({ port }) => {
          const client = await Client.connect(port);
          await client.send('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /health HTTP/2.0\r\n\r\n');
          assert.ok((await client.ended()) < 10_000);
          client.leave();
        });
      });

      it('takes a body in one packet, apart from its head, and byte by byte', async () => {
        await withServer(kind, async ({ port, calls }) => {
          const whole = request('/edit_file', edit);
          const headEnd = whole.length - edit.length;
          const splits = [
            [whole],
            [whole.slice(0, headEnd), edit],
            [whole.slice(0, headEnd - 4), ...Array.from(whole.slice(headEnd - 4))],
          ];
          await Promise.all(
            splits.map(async (parts) => {
              const { responses } = await ask(port, parts);
              assert.equal(responses[0]?.status, 200);
            }),
          );
          const expected = { name: 'a.txt', append: 'x' };
          assert.deepEqual(
            calls.map(({ params }) => params),
            [expected, expected, expected],
          );
        });
      });

      it('takes a chunked body in chunks of any size', async () => {
        await withServer(kind, async ({ port, calls }) => {
          for (const size of [1, 7, 1000]) {
            const whole = request('/edit_file', inChunks(edit, size), ['Transfer-Encoding: chunked']);
            const { responses } = await ask(port, whole);
            assert.equal(responses[0]?.status, 200);
            const { responses: slowly } = await ask(port, [whole.slice(0, -40), whole.slice(-40, -3), whole.slice(-3)]);
            assert.equal(slowly[0]?.status, 200);
          }
          assert.equal(calls.length, 6);
          for (const { params } of calls) assert.deepEqual(params, { name: 'a.txt', append: 'x' });
        });
      });

      it('executes a chunked request with a trailer and answers it, or does neither', async () => {
        await withServer(kind, async ({ port, calls }) => {
          const chunks = inChunks(edit, 10).replace(/\r\n$/, 'X-Trailer: a\r\n\r\n');
          const { status } = await answerTo(port, request('/edit_file', chunks, ['Transfer-Encoding: chunked']));
          assert.equal(calls.length, status === 200 ? 1 : 0);
        });
      });

      it('takes an empty body whose head comes in two packets', async () => {
        await withServer(kind, async ({ port, calls }) => {
          const { responses } = await ask(port, [
            'POST /list_files HTTP/1.1\r\nHost: local',
            'host\r\nContent-Length: 0\r\n\r\n',
          ]);
          assert.equal(responses[0]?.status, 200);
          assert.deepEqual(calls[0]?.params, {});
        });
      });

      it('answers Expect: 100-continue, and refuses without waiting for the body', async () => {
        await withServer(kind, async ({ port, calls }) => {
          const lines = ['Expect: 100-continue', `Content-Length: ${editLength}`, 'Content-Type: application/json'];
          const client = await Client.connect(port);
          await client.send(request('/edit_file', '', lines));
          await pause(100);
          assert.equal(calls.length, 0);
          await client.send(edit);
          const { responses } = await client.reply();
          client.leave();
          assert.deepEqual(
            responses.map(({ status }) => status),
            [100, 200],
          );
          const large = ['Expect: 100-continue', 'Content-Length: 99000000', 'Content-Type: application/json'];
          const refusal = await ask(port, request('/edit_file', '', large));
          assert.equal(refusal.responses.at(-1)?.status, 413);
          assert.equal(calls.length, 1);
        });
      });

      it('ignores the query and an offer to upgrade', async () => {
        await withServer(kind, async ({ port, calls }) => {
          const upgrade = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'];
          const { responses } = await ask(port, request('/edit_file?name=b.txt&x', edit, upgrade));
          assert.equal(responses[0]?.status, 200);
          const socket = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
          const page = await ask(port, request('GET /health', '', socket), 1, 'GET');
          assert.equal(page.responses[0]?.status, 200);
          assert.equal(calls.length, 1);
        });
      });

      it('answers many requests on one connection', async () => {
        await withServer(kind, async ({ port, calls }) => {
          const client = await Client.connect(port);
          for (let count = 1; count <= 20; count++) {
            await client.send(request(count % 2 === 0 ? 'GET /health' : '/edit_file', count % 2 === 0 ? '' : edit));
            const { responses, closed } = await client.reply(count);
            assert.equal(responses.at(-1)?.status, 200);
            assert.equal(closed, false);
          }
          client.leave();
          assert.equal(calls.length, 10);
        });
      });

      it('answers pipelined requests in order or closes, and executes none of them twice or out of order', async () => {
        const outcome = async (): Promise<{ ok: true; result: Record<string, never> }> => {
          await pause(20);
          return { ok: true, result: {} };
        };
        await withServer(
          kind,
          async ({ port, calls }) => {
            const names = ['a', 'b', 'c', 'd', 'e'];
            const requests = names.map((name) =>
              request('/edit_file', JSON.stringify({ name }), [`X-Request-Id: ${name}`]),
            );
            const { responses, closed } = await ask(port, requests.join(''), names.length);
            const answered = responses.map(({ headers }) => headers.get('x-request-id'));
            assert.deepEqual(answered, names.slice(0, answered.length));
            assert.ok(closed || answered.length === names.length);
            const executed = calls.map(({ context }) => context.requestId);
            assert.deepEqual(executed, names.slice(0, executed.length));
            assert.ok(executed.length >= Math.max(1, answered.length));
          },
          { outcome },
        );
      });

      // uWebSockets.js drops what arrives in one packet with the end of TLS (docs/operating.md).
      const drops = kind === 'uws, TLS' && 'uWebSockets.js drops it over TLS';
      it('executes a complete request even if its client leaves immediately', { skip: drops }, async () => {
        await withServer(kind, async ({ port, calls }) => {
          for (const bytes of [
            request('/edit_file', edit),
            request('/edit_file', inChunks(edit, 9), ['Transfer-Encoding: chunked']),
          ]) {
            const client = await Client.connect(port);
            client.socket.end(bytes);
            await client.ended();
            client.leave();
          }
          assert.equal(calls.length, 2);
        });
      });

      it('never executes a partial request, however much of it arrived', async () => {
        await withServer(kind, async ({ port, calls }) => {
          const whole = request('/edit_file', edit);
          const chunked = request('/edit_file', inChunks(edit, 9), ['Transfer-Encoding: chunked']);
          await Promise.all(
            [whole, chunked].flatMap((bytes) =>
              [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1].map(async (part) => {
                const client = await Client.connect(port);
                await client.send(bytes.slice(0, Math.floor((bytes.length - 3) * part)));
                await pause(50);
                client.socket.end();
                await client.ended();
                client.leave();
              }),
            ),
          );
          const { responses } = await ask(port, whole);
          assert.equal(responses[0]?.status, 200);
          assert.equal(calls.length, 1);
        });
      });
    });
  }

  it('answers a client that has half-closed its connection (node)', async () => {
    await withServer('node', async ({ port }) => {
      const client = await Client.connect(port);
      client.socket.end(request('/edit_file', edit));
      const { responses } = await client.reply();
      client.leave();
      assert.equal(responses[0]?.status, 200);
    });
  });
});
