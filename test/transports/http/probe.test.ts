/** Http11Probe against both listeners, around a site that serves every request: a refused one never reaches it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOrigins } from '../../../src/access/origins.js';
import type { Answer, Listener, Site } from '../../../src/transports/http/site.js';
import { loadProbe, type ProbeCase } from '../../corpora/http11probe.js';
import { Client, kinds, listen, pause, testConfig, type Kind, type Reply } from './harness.js';

/** Deviations of a listener from the probe, and why each is harmless here. */
const deviations: Readonly<Record<Listener['kind'], Readonly<Record<string, string>>>> = {
  node: {
    'COMP-OPTIONS-STAR': 'there are no options of the whole server: 400',
  },
  uws: {
    'COMP-OPTIONS-STAR': 'as node, 505',
    'COMP-HTTP10-DEFAULT-CLOSE': 'it speaks HTTP/1.1 only: 505',
    'COMP-CHUNKED-TRAILER-VALID': 'it takes no trailers: 505',
    'SMUG-CHUNK-SIZE-TRAILING-OWS': 'its chunk parser is lax; the connection ends behind a request in chunks',
    'SMUG-CHUNK-MISSING-TRAILING-CRLF': 'likewise',
    'SMUG-CHUNK-SPILL': 'likewise',
    'RFC9112-5-EMPTY-HEADER-NAME': 'to it a head ends there; what stands behind counts for nobody',
    'COMP-UNKNOWN-METHOD': 'methods are judged by the site: 405',
    'MAL-LONG-METHOD': 'likewise',
    'MAL-LONG-URL': 'it takes what fits in its buffer; paths are judged by the site: 404',
    'MAL-LONG-HEADER-VALUE': 'it takes what fits in its buffer',
    'MAL-LONG-HEADER-NAME': 'likewise',
  },
};

/** Requests with an ambiguous end, which the probe lets a server accept and spec 7 does not. */
const refusedByContract: ReadonlySet<string> = new Set([
  'SMUG-CL-TE-BOTH',
  'SMUG-CLTE-PIPELINE',
  'SMUG-TECL-PIPELINE',
  'SMUG-CLTE-CONN-CLOSE',
  'SMUG-TECL-CONN-CLOSE',
  'SMUG-TE-DOUBLE-CHUNKED',
  'SMUG-TE-CASE-MISMATCH',
  'SMUG-TE-LEADING-COMMA',
  'SMUG-TE-TRAILING-COMMA',
  'SMUG-TE-OBS-FOLD',
  'SMUG-OPTIONS-TE-OBS-FOLD',
  'SMUG-CHUNKED-WITH-PARAMS',
  'SMUG-CL-COMMA-SAME',
  'SMUG-CL-COMMA-TRIPLE',
]);

const atOnce = 16;
const connectionMs = 20_000;

interface Result {
  readonly id: string;
  readonly reply: Reply;
  /** Requests that reached the site completely. */
  readonly executed: number;
}

/** With the host rules of the server. */
function echoSite(executed: () => void): Site {
  const refused: Answer = { status: 400, headers: [], body: Buffer.from('refused'), close: false };
  const origins = createOrigins(testConfig());
  return {
    judge: ({ host = '' }) =>
      origins.check(host, undefined) !== null
        ? refused
        : {
            run: (body) => {
              executed();
              return { status: 200, headers: ['Content-Type', 'text/plain'], body: Buffer.from(body), close: false };
            },
          },
    refuse: () => refused,
    tooLarge: () => refused,
    unforeseen: () => refused,
  };
}

/** Every case on its own connection, to listeners that report executed requests. */
async function probe(kind: Kind, cases: readonly ProbeCase[]): Promise<Map<string, Result>> {
  const results = new Map<string, Result>();
  const waiting = cases.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      let executed = 0;
      const listener = await listen[kind](
        testConfig(),
        echoSite(() => executed++),
      );
      for (const each of waiting) {
        executed = 0;
        const reply = await run(listener.port, each);
        results.set(each.id, { id: each.id, reply, executed });
      }
      await listener.close();
    }),
  );
  return results;
}

async function run(port: number, { steps, verdict }: ProbeCase): Promise<Reply> {
  const client = await Client.connect(port);
  const [method = ''] = (steps[0]?.[0] ?? '').split(' ');
  try {
    for (const [index, parts] of steps.entries()) {
      for (const [place, part] of parts.entries()) {
        if (place > 0) await pause(20);
        await client.send(part);
      }
      // A request that must be served is awaited; many of the others get no answer before the connection ends.
      await client.reply(index + 1, method, verdict === 'served' ? connectionMs : 200);
    }
    client.socket.end();
    await Promise.race([client.ended(), sleep(connectionMs, undefined, { ref: false })]);
    return await client.reply(steps.length + 1, method, 1);
  } finally {
    client.leave();
  }
}

const wasServed = ({ reply }: Result): boolean => reply.responses.some(({ status }) => status >= 200 && status < 300);

describe('requests of Http11Probe', { concurrency: true }, () => {
  for (const kind of kinds) {
    it(`are served or refused as it requires, and no smuggled request is executed (${kind})`, async () => {
      const cases = loadProbe();
      assert.equal(cases.length, 209);
      const results = await probe(kind, cases);
      const wrong: string[] = [];
      for (const { id, accepts, verdict, steps } of cases) {
        const result = results.get(id);
        assert.ok(result !== undefined, id);
        const mustRefuse = verdict === 'refused' || refusedByContract.has(id);
        const right = mustRefuse
          ? !wasServed(result) && result.executed === 0
          : (verdict === 'either' || wasServed(result)) && result.executed <= steps.length;
        if (!result.reply.closed) wrong.push(`${id}: the connection stayed open`);
        if (right === id in deviations[kind]) {
          const statuses = result.reply.responses.map(({ status }) => status).join(', ');
          wrong.push(`${id}: accepted is "${accepts}", answered ${statuses}, executed ${String(result.executed)}`);
        }
      }
      assert.deepEqual(wrong, []);
    });
  }
});
