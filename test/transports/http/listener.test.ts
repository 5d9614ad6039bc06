import assert from 'node:assert/strict';
import { Server } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../src/config/config.js';
import { StartError } from '../../../src/config/start-error.js';
import type { Outcome } from '../../../src/core/errors.js';
import { Budget } from '../../../src/call/budget.js';
import { createLog } from '../../../src/observe/log.js';
import { bindProblems } from '../../../src/transports/http/start.js';
import { listenNode, probeNode } from '../../../src/transports/http/node-http.js';
import { closeGraceMs, lingerMs } from '../../../src/transports/http/patience.js';
import type { Listener, Site, Work } from '../../../src/transports/http/site.js';
import { probeUws } from '../../../src/transports/http/uws.js';
import { collectGarbage } from '../../collect-garbage.js';
import {
  answerTo,
  ask,
  Client,
  kinds,
  listen,
  mb,
  pause,
  read,
  type Reply,
  request,
  type Response,
  servedBy,
  siteOf,
  testConfig,
  withServer,
} from './harness.js';

const name = '{"name":"a.txt"}';
const silent = createLog('silent');

/** @param logged collects the errors of its log */
function someSite(logged: unknown[] = []): Site {
  const call = async (): Promise<Outcome> => read;
  return siteOf(call, { log: { ...silent, error: ({ error }) => logged.push(error) } });
}

const probe = { uws: probeUws, node: probeNode };

function last({ responses }: Reply): Response {
  const response = responses.at(-1);
  if (response === undefined) throw new Error('no answer');
  return response;
}

async function refusesConnections(port: number): Promise<boolean> {
  return Client.connect(port).then(
    (client) => {
      client.leave();
      return false;
    },
    () => true,
  );
}

for (const kind of kinds) {
  describe(`the listener (${kind})`, () => {
    const served = servedBy(kind);

    served('says what it is and where it listens', async ({ listener }) => {
      assert.equal(listener.kind, kind);
      assert.ok(listener.port >= 1024 && listener.port <= 65_535);
    });

    it('answers when the site throws, logs it, and keeps serving', async () => {
      const logged: unknown[] = [];
      const mistake = new Error('a mistake');
      const throwing = (): never => {
        throw mistake;
      };
      const site = someSite(logged);
      const verdicts: (() => Work)[] = [throwing, () => ({ run: throwing }), () => ({ run: async () => throwing() })];
      let next = 0;
      const judge = (): Work => (verdicts[next++ % verdicts.length] ?? throwing)();
      const listener = await listen[kind](testConfig(), Object.assign(site, { judge }));
      try {
        for (let i = 0; i < 2 * verdicts.length; i++) {
          const { status, body } = await answerTo(listener.port, request('/read_file', name));
          assert.equal(status, 500);
          assert.match(body, /"code":-32603,"message":"Internal error"/);
        }
        assert.deepEqual(logged, Array(2 * verdicts.length).fill(mistake));
      } finally {
        await listener.close();
      }
    });

    served('has its port to itself', async ({ port }) => {
      for (const other of kinds) {
        const attempt = listen[other](testConfig({ port }), someSite());
        await assert.rejects(attempt, (error) => {
          assert.ok(error instanceof StartError);
          assert.match(error.problems.join('\n'), new RegExp(`--port: ${String(port)} is in use`));
          return true;
        });
      }
    });

    it('names a host that does not belong to this machine', async () => {
      const config = testConfig({ host: '192.0.2.1' });
      // One after the other: a second refusal would find nobody waiting for it.
      for (const attempt of [() => listen[kind](config, someSite()), () => probe[kind](config)]) {
        await assert.rejects(
          attempt,
          (error) => error instanceof StartError && error.problems.join().startsWith('--host:'),
        );
      }
    });

    it('can be probed, which finds a port in use and leaves a free one free', async () => {
      let port = 0;
      await withServer(kind, async (server) => {
        port = server.port;
        for (const other of kinds) {
          await assert.rejects(probe[other](testConfig({ port })), new RegExp(`--port: ${String(port)} is in use`));
        }
        const expected = `expected a free port, for example --port=${String(port === 65_535 ? 8080 : port + 1)}`;
        const [problem, ...others] = await bindProblems(testConfig({ host: 'localhost', port }));
        assert.ok(problem?.startsWith(`--port: ${String(port)} is in use on localhost; ${expected}`), problem);
        assert.deepEqual(others, []);
      });
      for (const other of kinds) await probe[other](testConfig({ port }));
      assert.deepEqual(await bindProblems(testConfig({ port })), []);
      await withServer(kind, async (server) => assert.equal(server.port, port), { config: { port } });
    });

    it('listens on IPv4 for localhost, and on every address for ::', async () => {
      for (const [host, from] of [
        ['localhost', '127.0.0.1'],
        ['::', '127.0.0.1'],
        ['::', '::1'],
        ['0.0.0.0', '127.0.0.1'],
      ] as const) {
        await withServer(
          kind,
          async ({ port }) => {
            const client = await Client.connect(port, from);
            await client.send(request('GET /health'));
            const { responses } = await client.reply(1);
            client.leave();
            assert.equal(responses[0]?.status, 200);
          },
          { config: { host } },
        );
      }
    });

    served('once stopped, takes no connection and gives each open one a last answer', async (server) => {
      const [caller, visitor] = [await Client.connect(server.port), await Client.connect(server.port)];
      for (const client of [caller, visitor]) {
        await client.send(request('GET /health'));
        await client.reply(1);
      }
      void server.listener.stopListening();
      server.state = 'shutting_down';
      await server.listener.stopListening();
      assert.ok(await refusesConnections(server.port));
      await caller.send(request('/read_file', name));
      const refusal = last(await caller.reply(2));
      assert.deepEqual([refusal.status, refusal.headers.get('connection')], [503, 'close']);
      assert.equal(refusal.headers.get('retry-after'), '1');
      await visitor.send(request('GET /health'));
      const health = last(await visitor.reply(2));
      assert.deepEqual([health.status, health.headers.get('connection')], [503, 'close']);
      for (const client of [caller, visitor]) {
        await client.ended();
        client.leave();
      }
    });

    served(
      'when closed, answers those that have connected and sent a request, though it has not accepted them yet',
      async (server) => {
        const clients = await Promise.all(Array.from({ length: 40 }, () => Client.connect(server.port)));
        for (const client of clients) void client.send(request('GET /health'));
        server.state = 'shutting_down';
        await server.listener.close();
        for (const client of clients) {
          assert.equal(last(await client.reply()).status, 503);
          client.leave();
        }
      },
    );

    served(
      'when closed, writes the answers under way and ends idle connections',
      {
        outcome: async () => {
          await pause(200);
          return { ok: true, result: { content: Buffer.from(`"${'z'.repeat(mb)}"`) } };
        },
      },
      async ({ port, listener, calls }) => {
        const idle = await Client.connect(port);
        const busy = await Promise.all([1, 2, 3].map(async () => Client.connect(port)));
        for (const client of busy) await client.send(request('/read_file', name));
        while (calls.length < 3) await pause(5);
        await listener.close();
        await idle.ended();
        for (const client of busy) {
          const { status, headers } = last(await client.reply());
          assert.deepEqual([status, headers.get('connection')], [200, 'close']);
          client.leave();
        }
        idle.leave();
        assert.ok(await refusesConnections(port));
      },
    );

    served('ends the connection if that is one of several options of its client', async ({ port }) => {
      const [answer] = (await ask(port, request('/read_file', name, ['Connection: x, Close']))).responses;
      assert.deepEqual([answer?.status, answer?.headers.get('connection')], [200, 'close']);
    });

    served('opens no tunnel: CONNECT is a method like any other', async ({ port, calls }) => {
      const statuses = ['/read_file', '/health', '/nothing'].map(async (path) => {
        const { responses } = await ask(port, `CONNECT ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        return responses[0]?.status;
      });
      assert.deepEqual(await Promise.all(statuses), [405, 405, 404]);
      assert.deepEqual(calls, []);
      const behind = request('/read_file', name) + 'CONNECT /read_file HTTP/1.1\r\nHost: localhost\r\n\r\n';
      const { responses } = await ask(port, behind);
      assert.notEqual(responses[0]?.status, 405, 'the answer to the request before it comes first, or none');
    });

    served(
      'when closed, does not wait for requests after the last answer of their connection',
      async ({ port, listener }) => {
        const behind = request('/read_file', name, ['Connection: close']) + request('/read_file', name);
        await ask(port, behind);
        await ask(port, request('GET /health', '', ['Host: localhost', 'Host: localhost']) + request('GET /health'));
        // Unread answers are abandoned by then.
        await pause(lingerMs + 200);
        const first = await Promise.race([listener.close().then(() => 'closed'), pause(closeGraceMs / 2)]);
        assert.equal(first, 'closed');
      },
    );

    it('retains nothing it served once closed', async () => {
      const serve = async (): Promise<WeakRef<Site>> => {
        const site = someSite();
        const listener = await listen[kind](testConfig(), site);
        const client = await Client.connect(listener.port);
        await client.send(request('/read_file', name));
        assert.equal(last(await client.reply()).status, 200);
        client.leave();
        await listener.close();
        return new WeakRef(site);
      };
      const site = await serve();
      // Objects of a closed server are freed in the next turns.
      for (let look = 0; look < 50 && site.deref() !== undefined; look++) {
        await pause(20);
        collectGarbage();
      }
      assert.equal(site.deref(), undefined);
    });

    served(
      'when closed, does not wait for ever for an answer',
      { outcome: () => new Promise<never>(() => undefined) },
      async ({ port, listener, calls }) => {
        const client = await Client.connect(port);
        await client.send(request('/read_file', name));
        while (calls.length < 1) await pause(5);
        const tooLong = sleep(30_000, 'still open', { ref: false });
        assert.equal(await Promise.race([listener.close().then(() => 'closed'), tooLong]), 'closed');
        await client.ended();
        client.leave();
      },
    );
  });
}

describe('--reuse-port', () => {
  it('lets two servers share one port (uws)', { skip: !kinds.includes('uws') && 'it does not load here' }, async () => {
    const config = testConfig({ reusePort: true, port: 20_000 + Math.floor(Math.random() * 10_000) });
    const listeners: Listener[] = [await listen.uws(config, someSite()), await listen.uws(config, someSite())];
    const { responses } = await ask(config.port, request('/read_file', name));
    assert.equal(responses[0]?.status, 200);
    await assert.rejects(listen.uws({ ...config, reusePort: false }, someSite()), StartError);
    await probeUws(config);
    for (const listener of listeners) await listener.close();
  });

  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const able = major > 23 || (major === 23 && minor >= 1);
  it(`is ${able ? 'taken' : 'refused'} by node:http in this version`, async () => {
    const config = testConfig({ reusePort: true });
    if (!able) await assert.rejects(listen.node(config, someSite()), /--reuse-port: not possible with Node/);
    else await (await listen.node(config, someSite())).close();
  });

  it('is refused with advice, also with --tls-ca', { skip: able && 'it is taken here' }, async () => {
    const file = { label: '--tls-ca', path: 'x.pem' };
    const probed = (tls: Config['tls']): Promise<void> => probeNode(testConfig({ reusePort: true, tls }));
    await assert.rejects(probed(undefined), /expected Node 23\.1 or later, or a platform where uWebSockets\.js loads$/);
    await assert.rejects(probed({ cert: file, key: file, ca: file }), /expected Node 23\.1 or later, or no --tls-ca$/);
  });

  it('does not hide a port in use when it is refused', { skip: able && 'it is taken here' }, async () => {
    await withServer('node', async ({ port }) => {
      const attempt = listen.node(testConfig({ reusePort: true, port }), someSite());
      await assert.rejects(attempt, /^StartError: --reuse-port: .*\n--port: \d+ is in use/);
    });
  });
});

describe('node:http', () => {
  it('logs a connection that cannot be accepted, and keeps serving', async (test) => {
    const listening = test.mock.method(Server.prototype, 'listen');
    const warned: unknown[] = [];
    const log = { warn: ({ errno }: Readonly<Record<string, unknown>>) => warned.push(errno) };
    const listener = await listenNode(testConfig(), someSite(), new Budget(mb), log);
    try {
      const server: unknown = listening.mock.calls[0]?.this;
      assert.ok(server instanceof Server);
      server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
      assert.deepEqual(warned, ['EMFILE']);
      assert.equal((await answerTo(listener.port, request('/health', '', []).replace('POST', 'GET'))).status, 200);
    } finally {
      await listener.close();
    }
  });
});
